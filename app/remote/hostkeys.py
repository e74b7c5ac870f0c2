"""Host keys: which are trusted (Dyno's own known_hosts), and the errors where one is not."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import InputError, TargetError
from app.core.private import write_private


@dataclass(frozen=True)
class HostKey:
    """The public key by which a host shows who it is."""

    type: str  # ssh-ed25519, ecdsa-sha2-nistp256, ssh-rsa
    blob: bytes

    @property
    def fingerprint(self) -> str:
        """The fingerprint as OpenSSH prints it."""
        digest = hashlib.sha256(self.blob).digest()
        return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


@dataclass(frozen=True)
class OfferedHostKey:
    """A host on the way to a target and the key it offers."""

    target: str  # the name it is trusted under
    host: str
    port: int
    key: HostKey

    @property
    def label(self) -> str:
        """The name in known_hosts."""
        return self.host if self.port == 22 else f"[{self.host}]:{self.port}"


class HostKeyError(TargetError):
    """A host is not, or may not be, the right one; nothing was sent to it."""

    def __init__(self, offer: OfferedHostKey, text: str) -> None:
        super().__init__(text)
        self.target = offer.target
        self.host = offer.host
        self.port = offer.port
        self.key_type = offer.key.type
        self.fingerprint = offer.key.fingerprint
        before, _, _ = text.rpartition(": dyno ")
        self.window_text = f"{before} on the Bench page, at the target {offer.target}"


class HostKeyUnknownError(HostKeyError):
    """An unknown host."""

    def __init__(self, offer: OfferedHostKey) -> None:
        key = offer.key
        super().__init__(
            offer,
            f"the host key of {offer.host} port {offer.port} is unknown: {key.type} {key.fingerprint};"
            f" check the fingerprint, then accept it: dyno target trust {offer.target} {key.fingerprint}",
        )


class HostKeyChangedError(HostKeyError):
    """A host whose key has changed since it was trusted."""

    def __init__(self, offer: OfferedHostKey, trusted: list[HostKey]) -> None:
        key = offer.key
        self.trusted = [each.fingerprint for each in trusted]
        super().__init__(
            offer,
            f"THE HOST KEY OF {offer.host} port {offer.port} HAS CHANGED: trusted is"
            f" {' '.join(self.trusted)}, offered is {key.type} {key.fingerprint}. Somebody may be between you"
            " and the machine, or it was installed anew; nothing was sent to it. Only if you know why, accept"
            f" it: dyno target trust {offer.target} {key.fingerprint}",
        )


class KnownHosts:
    """A known_hosts file in OpenSSH's format, for this user alone."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keys_of(self, label: str) -> list[HostKey]:
        entries = (_entry_of(line) for line in self._lines())
        return [key for names, key in filter(None, entries) if _names_host(names, label)]

    def check(self, offer: OfferedHostKey) -> None:
        """Raise HostKeyUnknownError or HostKeyChangedError unless the offered key is trusted."""
        trusted = self.keys_of(offer.label)
        if not trusted:
            raise HostKeyUnknownError(offer)
        if offer.key not in trusted:
            raise HostKeyChangedError(offer, trusted)

    def trust(self, offer: OfferedHostKey) -> None:
        """Store the offered key in place of older ones."""
        kept = [line for line in self._lines() if not _is_about(line, offer.label)]
        encoded = base64.b64encode(offer.key.blob).decode()
        lines = [*kept, f"{offer.label} {offer.key.type} {encoded}"]
        write_private(self.path, "".join(f"{line}\n" for line in lines).encode())

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise InputError(f"{self.path} cannot be read: {error.strerror or error}") from None


def _entry_of(line: str) -> tuple[str, HostKey] | None:
    """Host names and key of a line; an unreadable line trusts nobody."""
    parts = line.split()
    if len(parts) < 3 or line.startswith(("#", "@")):
        return None
    try:
        return parts[0], HostKey(parts[1], base64.b64decode(parts[2], validate=True))
    except binascii.Error:
        return None


def _is_about(line: str, label: str) -> bool:
    entry = _entry_of(line)
    return entry is not None and _names_host(entry[0], label)


def _names_host(names: str, label: str) -> bool:
    return any(
        _hashed_alike(name, label) if name.startswith("|1|") else name == label for name in names.split(",")
    )


def _hashed_alike(name: str, label: str) -> bool:
    """Whether a name that `ssh-keygen -H` has hashed is this one."""
    try:
        salt, digest = (base64.b64decode(part) for part in name[3:].split("|"))
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(hmac.new(salt, label.encode(), "sha1").digest(), digest)
