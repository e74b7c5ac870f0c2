"""The authentication plugin of an account: which ones show its password to the server, and when they may."""

from __future__ import annotations

from app.core.harmless import harmless

from .address import TeamDatabaseAddress
from .store import TeamError, UntrustedServerError

CACHING, SHA256 = "caching_sha2_password", "sha256_password"
_HASHED = ("mysql_native_password", "client_ed25519", CACHING)  # the server gets a hash or a signature
_SWITCH, _FULL = (
    b"\xfe",
    b"\x01\x04",
)  # packets: log in by another plugin; CACHING has no hash, show the password


class PlainPasswordPluginError(UntrustedServerError):
    """The server asks for the password as plain text, which the account has not needed so far."""

    def __init__(self, address: TeamDatabaseAddress, plugin: str, known: str) -> None:
        asks = f"{address.place} asks for the password of {address.user} as plain text"
        super().__init__(
            f"{asks} ({plugin}): so far the account logged in by {known}. Somebody may have taken over the"
            " server, or has altered the account; no password was sent. Only if you know why, accept it:"
            f" dyno history use {address} --auth-plugin {plugin}",
            window_text=f"{asks}: choose Share in File, Team's history",
        )
        self.place, self.plugin, self.known = address.place, plugin, known


class AccountLoginPlugin:
    """How an account logs in, as its server asks for it packet by packet."""

    def __init__(self, address: TeamDatabaseAddress, known: str) -> None:
        self._address, self._known = address, known  # '': nobody knows, as it is the first time
        self.name = ""

    def begin(self, default: str) -> str:
        """The plugin of the first packet: the server's default, unless that shows the password at once."""
        self.name = default if default in _HASHED else CACHING
        return self.name

    def check(self, asked: bytes) -> None:
        """Raise TeamError if the server asks for what it does not get."""
        if asked[:1] == _SWITCH:
            self.name = asked[1:].partition(b"\0")[0].decode("ascii", "replace")
            if self.name not in (*_HASHED, SHA256):
                raise self._not_one_of_ours()
        is_shown = self.name == SHA256 or asked[:2] == _FULL
        if is_shown and self._known not in ("", self.name):
            raise PlainPasswordPluginError(self._address, self.name, self._known)

    def _not_one_of_ours(self) -> TeamError:
        place, user, name = self._address.place, self._address.user, harmless(self.name, 50)
        return TeamError(
            f"{place} wants {user} to log in by {name}, and gets no password as plain text: ask for an"
            " account with mysql_native_password, ed25519 or caching_sha2_password"
        )
