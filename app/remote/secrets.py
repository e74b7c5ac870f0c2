"""Passwords and passphrases: asked for, remembered by this process, kept in the keyring if so wished."""

from __future__ import annotations

import contextlib
import importlib
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from app.core.errors import InputError
from app.core.private import read_private

if TYPE_CHECKING:
    from .route import Hop
    from .target import Target

SERVICE = "dyno"
TRIES = 3
PASSWORD_FILE = "DYNO_PASSWORD_FILE"  # noqa: S105 - a variable of the environment
NO_PASSWORDS: Mapping[str, str] = MappingProxyType({})  # of servers, by contender
_MOST_PASSWORD = 4096  # bytes

_remembered: dict[str, str] = {}  # for reconnects, until the process ends
_lock = threading.Lock()


class SecretNeededError(InputError):
    """A secret is needed, and nobody can enter it, or nobody did."""

    def __init__(self, place: str, what: str, instead: str = "") -> None:
        text = f"{place} needs the {what}, and there is nobody to ask for it"
        super().__init__(text + instead)
        self.window_text = text
        self.what = what  # "password of me@nuc port 22", "passphrase of /home/me/.ssh/id_ed25519"


class Keyring(Protocol):
    """The used part of the library `keyring`."""

    def get_password(self, service_name: str, username: str) -> str | None: ...

    def set_password(self, service_name: str, username: str, password: str) -> None: ...

    def delete_password(self, service_name: str, username: str) -> None: ...


class Secrets:
    """The secrets of one connection; `missing` names those that nobody could enter.

    `of_file`: the label whose secret is in the file that a variable names, and is asked of nobody.
    """

    def __init__(
        self,
        ask: Callable[[str], str | None],
        keyring: Keyring | None = None,
        of_file: str = "",
        variable: str = PASSWORD_FILE,
    ) -> None:
        self._ask = ask
        self._keyring = keyring
        self.of_file = of_file
        self._variable = variable
        self.missing: list[str] = []

    def candidates(self, label: str, may_be_empty: bool = False) -> Iterator[str]:
        """Possible secrets: that of the file, or remembered, stored, then entered by a person."""
        if label == self.of_file and (password := password_of_file(self._variable)) is not None:
            yield password
            return
        with _lock:
            known = _remembered.get(label)
        if known is not None:
            yield known
        kept = self._kept(label)
        if kept is not None and kept != known:
            yield kept
        for _ in range(TRIES):
            answer = self._ask(f"{label}: ")
            if answer is None:
                self.missing.append(label)
                return
            if answer or may_be_empty:
                yield answer
            if not answer:  # a person who goes on without
                return

    def accept(self, label: str, secret: str) -> None:
        """Remember the secret, which was right; that of a file stays there alone."""
        if label == self.of_file:
            return
        with _lock:
            _remembered[label] = secret
        if self._keyring is not None and self._kept(label) != secret:
            try:
                self._keyring.set_password(SERVICE, label, secret)
            except Exception:  # noqa: S110 - a locked keyring raises what it likes; nothing is lost
                pass

    def _kept(self, label: str) -> str | None:
        if self._keyring is None:
            return None
        try:
            return self._keyring.get_password(SERVICE, label)
        except Exception:
            return None


_withheld: ContextVar[bool] = ContextVar("withheld", default=False)  # PASSWORD_FILE, from whom is reached


@contextlib.contextmanager
def password_file_withheld() -> Iterator[None]:
    """For targets that the command does not name: the password may be that of another one."""
    before = _withheld.set(True)
    try:
        yield
    finally:
        _withheld.reset(before)


def label_of_file(route: Sequence[Hop]) -> str:
    """Whose password is in PASSWORD_FILE: the target's, and that of no host on the way; empty: nobody's."""
    return route[-1].password_label if os.environ.get(PASSWORD_FILE) and not _withheld.get() else ""


def password_of_file(variable: str) -> str | None:
    """The password for who runs without a person, such as cron and CI; None if no file is named."""
    path = os.environ.get(variable)
    if not path:
        return None
    what = f"{variable} {path}"
    try:
        password = read_private(Path(path), what, _MOST_PASSWORD).decode()
    except UnicodeDecodeError:
        password = ""
    password = password.removesuffix("\n").removesuffix("\r")
    if not password or not password.isprintable():
        raise InputError(f"{what}: it must have the password alone, on its only line")
    return password


def forget_secrets() -> None:
    """Forget all secrets of this process; the keyring keeps its own."""
    with _lock:
        _remembered.clear()


def forget_secrets_of(target: Target) -> None:
    """Take the secrets of a target out of the system keyring."""
    from .route import find_route, passphrase_label

    for hop in find_route(target):
        forget_secret(hop.password_label, *map(passphrase_label, hop.identities))


def forget_secret(*labels: str) -> None:
    """Take secrets out of the system keyring."""
    keyring = system_keyring()
    if keyring is None:
        return
    for label in labels:
        with contextlib.suppress(Exception):  # not in there, or locked
            keyring.delete_password(SERVICE, label)


def check_keyring(whose: str) -> None:
    """Raise InputError if nothing here can store the secrets of a target or server."""
    if system_keyring() is None:
        raise InputError(
            f"this system has no keyring for the secrets of {whose}: do not remember them,"
            " or install the library keyring (pipx inject dyno keyring) and unlock it",
            "remember",
        )


def system_keyring() -> Keyring | None:
    """The system keyring; None if none returns what it stores."""
    try:
        keyring: Any = importlib.import_module("keyring")
    except ImportError:
        return None
    return keyring if gives_back(keyring) else None


def gives_back(keyring: Keyring) -> bool:
    """Whether a keyring stores secrets; one of its backends silently drops all."""
    label, value = f"probe-{secrets.token_hex(8)}", secrets.token_hex(8)
    try:
        keyring.set_password(SERVICE, label, value)
        found = keyring.get_password(SERVICE, label)
        keyring.delete_password(SERVICE, label)
    except Exception:
        return False
    return found == value
