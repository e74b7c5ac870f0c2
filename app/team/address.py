"""The address of a team's history: `mysql://USER@HOST[:PORT]/DATABASE`, and what a person chose with it."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from urllib.parse import unquote, urlsplit

from app.core.errors import InputError
from app.core.settings import read_settings_table, write_settings_table

PORT = 3306
FORM = "mysql://USER@HOST[:PORT]/DATABASE"
MAX_PERSON = 100  # characters of a person's name
_NAME = re.compile(r"[^\x00-\x20\x7f/@:]{1,80}")
_DATABASE = re.compile(r"[0-9A-Za-z_$-]{1,64}")
_TABLE = "team"  # of settings.toml


@dataclass(frozen=True)
class TeamDatabaseAddress:
    """A database on a server, and the account."""

    user: str
    host: str
    port: int
    database: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == PORT else f":{self.port}"
        return f"mysql://{self.user}@{host}{port}/{self.database}"

    @property
    def place(self) -> str:
        """The server in messages: `db.example port 3306`."""
        return f"{self.host} port {self.port}"

    @property
    def password_label(self) -> str:
        return f"password of {self.user}@{self.place} (team's history)"

    @property
    def is_on_this_computer(self) -> bool:
        """Whether no network lies between: only then may TLS be left out."""
        try:
            return self.host == "localhost" or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True)
class TeamHistoryChoice:
    """The team's history that a person uses; stored in settings.toml, without any secret."""

    address: str
    person: str  # the name that others see
    tls: bool = True
    certificate: str = ""  # fingerprint of an accepted certificate that no authority vouches for
    fetches_all: bool = True  # every session of the team; else those that the person chooses
    plugin: str = ""  # authentication plugin by which the account has logged in; '': nobody knows


def parse_team_address(text: str) -> TeamDatabaseAddress:
    """Read an address; raises InputError, which never repeats a password."""
    try:
        parts = urlsplit(text)
        port = parts.port or PORT
    except ValueError:
        raise _wrong("the port is not from 1 to 65535") from None
    if parts.password is not None or text.count("@") > 1:
        raise InputError(f"leave the password out of the address, Dyno asks for it: write {FORM}")
    if parts.scheme != "mysql" or parts.query or parts.fragment:
        raise _wrong()
    user, database = unquote(parts.username or ""), parts.path.removeprefix("/")
    if not _NAME.fullmatch(user):
        raise _wrong("the user is missing or has characters that no account has")
    if not parts.hostname or not _NAME.fullmatch(parts.hostname.replace(":", "")):
        raise _wrong("the host is missing")
    if not _DATABASE.fullmatch(database):
        raise _wrong("the database is missing, or its name has other characters than letters, digits and _")
    return TeamDatabaseAddress(user, parts.hostname, port, database)


def _wrong(why: str = "") -> InputError:
    return InputError(f"the address of a team's history is {FORM}{why and f': {why}'}")


def check_person(name: str) -> str:
    """A name that others see beside sessions."""
    name = name.strip()
    if not 0 < len(name) <= MAX_PERSON or not name.isprintable():
        raise InputError(f"your name must be one line of 1 to {MAX_PERSON} characters")
    return name


def read_team_history(home: Path) -> TeamHistoryChoice | None:
    """The chosen team's history; None: this computer's own alone. Raises InputError for a damaged entry."""
    kept = read_settings_table(home).get(_TABLE)
    if kept is None:
        return None
    names = {field.name for field in fields(TeamHistoryChoice)}
    try:
        choice = TeamHistoryChoice(**{name: value for name, value in kept.items() if name in names})
        if type(choice.tls) is not bool or type(choice.fetches_all) is not bool:
            raise TypeError
        parse_team_address(choice.address)
        check_person(choice.person)
        choice.certificate.encode("ascii")
        choice.plugin.encode("ascii")
    except (TypeError, AttributeError, ValueError):
        damaged = f"{home / 'settings.toml'}: [team] is damaged"
        raise InputError(
            f"{damaged}: `dyno history use` writes it anew",
            window_text=f"{damaged}: Share in File, Team's history writes it anew",
        ) from None
    return choice


def keep_history_choice(home: Path, choice: TeamHistoryChoice | None) -> None:
    """Store the choice; None goes back to this computer's own history."""
    table = {name: value for name, value in read_settings_table(home).items() if name != _TABLE}
    if choice is not None:
        table[_TABLE] = asdict(choice)
    write_settings_table(table, home)
