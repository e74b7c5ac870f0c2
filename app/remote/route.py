"""The way to a target: the hosts on it in their order, as the target and ~/.ssh/config say."""

from __future__ import annotations

import getpass
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import InputError

if TYPE_CHECKING:
    from .target import Target

CONFIG_VARIABLE = "DYNO_SSH_CONFIG"  # another file in place of ~/.ssh/config
DEFAULT_KEYS = ("id_ed25519", "id_ecdsa", "id_rsa")
MOST_HOPS = 8

_PUBLIC_KEY = re.compile(rb"(sk-)?(ssh|ecdsa)-\S+ |---- BEGIN SSH2 PUBLIC KEY|-----BEGIN (RSA )?PUBLIC KEY")


@dataclass(frozen=True)
class Hop:
    """A host on the way to the target, or the target."""

    host: str
    port: int
    user: str
    identities: tuple[Path, ...] = ()  # private key files that are there
    identities_only: bool = False  # no other key of the SSH agent is offered

    @property
    def text(self) -> str:
        return f"{self.user}@{self.host} port {self.port}"

    @property
    def password_label(self) -> str:
        """The label of its password, for questions and the keyring."""
        return f"password of {self.text}"


def passphrase_label(identity: Path) -> str:
    """The label of a key file's passphrase, for questions and the keyring."""
    return f"passphrase of {identity}"


@dataclass(frozen=True)
class _Wanted:
    """What is set for a host; empty values come from the config."""

    host: str
    user: str = ""
    port: int = 0
    identity: str = ""
    jump: str = ""


def ssh_config_path() -> Path:
    return Path(os.environ.get(CONFIG_VARIABLE) or "~/.ssh/config").expanduser()


def find_route(target: Target, config_path: Path | None = None) -> list[Hop]:
    """The hosts to go through; the last is the target."""
    path = config_path or ssh_config_path()
    wanted = _Wanted(target.host, target.user, target.port, target.identity, target.jump)
    return _route(wanted, _Config(path))


def _route(wanted: _Wanted, config: _Config) -> list[Hop]:
    hops: list[Hop] = []
    pending = [wanted]
    while pending:
        if len(hops) + len(pending) > MOST_HOPS:
            raise InputError(
                f"the way to {wanted.host} has more than {MOST_HOPS} hosts: look at its ProxyJump"
            )
        current = pending.pop()
        settings = config.of(current.host)
        hops.insert(0, _hop(current, settings, config.folder))
        if not pending:  # only the first host on the way may have a way of its own
            pending = _jumps(current, settings)
    return hops


def _jumps(wanted: _Wanted, settings: dict[str, Any]) -> list[_Wanted]:
    jump = wanted.jump or settings.get("proxyjump") or "none"
    if jump.lower() == "none":
        if settings.get("proxycommand", "none").lower() != "none":
            raise InputError(
                f"{wanted.host} has a ProxyCommand, which Dyno cannot use: write it as ProxyJump"
            )
        return []
    return [parse_jump_host(part.strip()) for part in jump.split(",")]


def parse_jump_host(text: str) -> _Wanted:
    """One `[user@]host[:port]` of a ProxyJump."""
    found = re.fullmatch(r"(?:ssh://)?(?:([^@\s]+)@)?(?:\[([^\]\s]+)\]|([^:@\s]+))(?::(\d{1,5}))?", text)
    if not found or text.startswith("-"):
        raise InputError(f"{text!r} is no host to jump over: write user@host:port")
    user, bracketed, plain, port = found.groups()
    return _Wanted(bracketed or plain, user or "", int(port or 0))


def _hop(wanted: _Wanted, settings: dict[str, Any], folder: Path) -> Hop:
    identities = _identities(wanted.identity, settings.get("identityfile", []), folder)
    return Hop(
        host=settings.get("hostname") or wanted.host,
        port=wanted.port or int(settings.get("port", 22)),
        user=wanted.user or settings.get("user") or getpass.getuser(),
        identities=identities,
        identities_only=settings.get("identitiesonly", "no").lower() == "yes",
    )


def _identities(named: str, configured: list[str], folder: Path) -> tuple[Path, ...]:
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise InputError(f"key file {path} does not exist: choose another private key")
        if is_public_key(path):
            raise InputError(f"{path} is a public key: choose the private key")
        return (path,)
    paths = [Path(name).expanduser() for name in configured] or [folder / name for name in DEFAULT_KEYS]
    return tuple(path for path in paths if path.is_file())


def is_public_key(path: Path) -> bool:
    """Whether a file holds a public key; False if it cannot be read."""
    try:
        with path.open("rb") as file:
            return bool(_PUBLIC_KEY.match(file.read(200)))
    except OSError:
        return False


class _Config:
    """~/.ssh/config with what it includes."""

    def __init__(self, path: Path) -> None:
        from paramiko import SSHConfig
        from paramiko.ssh_exception import ConfigParseError

        self.folder = path.parent
        self._path = path
        try:
            self._config = SSHConfig.from_text("\n".join(_lines_of(path, path.parent)))
        except (ConfigParseError, UnicodeDecodeError) as error:
            raise InputError(f"{path} cannot be read: {error}") from None

    def of(self, host: str) -> dict[str, Any]:
        from paramiko.ssh_exception import SSHException

        try:
            settings = dict(self._config.lookup(host))
            int(settings.get("port", 22))
        except (SSHException, ValueError, ImportError) as error:
            raise InputError(f"{self._path} says of {host} what cannot be used: {error}") from None
        return settings


def _lines_of(path: Path, folder: Path, depth: int = 0) -> Iterator[str]:
    """The lines of a config with the included ones in their place, which paramiko leaves out."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    block = "Host *"
    for line in lines:
        words = line.split()
        keyword = words[0].lower() if words else ""
        if keyword == "include" and depth < 16:
            for pattern in words[1:]:
                for included in _matching(pattern.strip('"'), folder):
                    yield from _lines_of(included, folder, depth + 1)
                    yield block  # what follows belongs where the Include is
            continue
        if keyword in ("host", "match"):
            block = line
        yield line


def _matching(pattern: str, folder: Path) -> list[Path]:
    path = folder / Path(pattern).expanduser()
    return sorted(Path(path.anchor).glob(str(path.relative_to(path.anchor))))
