"""The servers that run already which a person has: kept in servers.toml, without any password."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from app.core import settings
from app.core.errors import InputError, add_field_to_errors
from app.core.harmless import harmless
from app.core.nearest import did_you_mean
from app.engines.engine import NAME as ENGINE_NAME
from app.protocol.answers import ExistingServer, ServerAddress
from app.protocol.hosts import is_loopback
from app.remote.target import LOCAL

from .named_tables import NamedTables

PORT = 3306
_PLACE = ("host", "port", "tls")  # another one is another server: all that was accepted of it is gone
SYSTEM = ("mysql", "sys", "information_schema", "performance_schema")
MOST_SETTINGS, MOST_ENGINES = 50, 50
MOST_QUERIES = 10_000_000  # a second
CERTIFICATE = re.compile(r"[0-9a-f]{64}")  # its SHA-256
_LONGEST, _LONGEST_VALUE = 200, 1000  # characters of what a server says of itself

_LOOKED_AT_BY = ("user", "settings", "replica_of")  # with another one other things are found
_FAMILIES = {"mysql": "MySQL", "mariadb": "MariaDB"}  # as surveys name those of builds
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?")
_SCHEMA = re.compile(r"[A-Za-z0-9_$]{1,64}")
_VARIABLE = re.compile(r"[a-z][a-z0-9_]{0,99}")
_FOUND_SETTING = re.compile(rf"[a-z][a-z0-9_]{{0,99}}=[ -~]{{0,{_LONGEST_VALUE}}}")
_PRICE = re.compile(r"\d{1,9}(?:\.\d{1,6})? [^\s\d]\S{0,11}")


@dataclass(frozen=True)
class NamedServer:
    """Address and account of a server that Dyno neither starts nor ends, and what was found there last."""

    name: str
    host: str = ""
    port: int = PORT
    schema: str = ""
    user: str = ""
    certificate: str = ""  # the SHA-256 that a person has accepted, in hex; empty: none yet, or plain text
    tls: bool = True
    settings: list[str] = field(default_factory=list)  # variables whose values belong to the contender
    max_queries: int = 0  # a second that it may be sent; 0: any
    price: str = ""  # of an hour: 0.52 USD
    replica_of: str = ""  # the server that it repeats; it takes reads alone
    target: str = LOCAL  # that drives
    remember: bool = False  # its password is kept in the system keyring
    confirmed: bool = False  # a person has typed its host once
    # as it was found last
    family: str = ""  # empty: nobody has logged in yet
    version: str = ""
    engines: list[str] = field(default_factory=list)
    default_engine: str = ""
    comment: str = ""
    found_settings: list[str] = field(default_factory=list)  # sort_buffer_size=262144
    found_at: float = 0.0  # this computer's clock

    @property
    def place(self) -> str:
        """`db.example:3306`, `[::1]:3306`."""
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def url(self) -> str:
        """Its address as a person types it."""
        port = "" if self.port == PORT else f":{self.port}"
        return f"mysql://{quote(self.user, safe='')}@{_bracketed(self.host)}{port}/{self.schema}"

    @property
    def password_label(self) -> str:
        """Whose password it is, for the keyring and for questions."""
        return f"password of {self.user}@{self.place}"

    @property
    def is_loopback(self) -> bool:
        """Whether no network lies between it and the target that drives."""
        return is_loopback(self.host)

    @property
    def needs_confirmation(self) -> bool:
        return not (self.is_loopback or self.confirmed)

    def with_confirmed_host(self, typed: str) -> NamedServer:
        """Confirmed by typing its host: nobody drives another one by mistake."""
        if typed.strip().lower() != self.host.lower():
            raise InputError(
                f"the host of server {self.name} is {self.host}, not the one that was typed: nothing is kept",
                "confirm",
            )
        return replace(self, confirmed=True)

    def asked(self, password: str = "") -> ServerAddress:
        """What the agent needs to look at it."""
        return ServerAddress(
            host=self.host,
            port=self.port,
            schema=self.schema,
            user=self.user,
            certificate=self.certificate,
            tls=self.tls,
            settings=self.settings,
            is_replica=bool(self.replica_of),
            password=password,
        )

    def as_found(self, found: ExistingServer, at: float) -> NamedServer:
        """The same with what was found now; a server may say anything of itself."""
        engines = [each.lower() for each in found.engines if ENGINE_NAME.fullmatch(each.lower())]
        default = found.default_engine.lower()
        values = {name: found.settings[name] for name in self.settings if name in found.settings}
        return replace(
            self,
            family=_FAMILIES.get(found.family.lower(), harmless(found.family, _LONGEST)),
            version=harmless(found.version, _LONGEST),
            engines=engines[:MOST_ENGINES],
            default_engine=default if default in engines else "",
            comment=harmless(found.comment, _LONGEST),
            found_settings=[f"{name}={_as_option(value)}" for name, value in values.items()],
            found_at=at,
        )


class Servers:
    """servers.toml: one table for each server."""

    def __init__(self, home: Path | None = None) -> None:
        self._tables = NamedTables((home or settings.home()) / "servers.toml", NamedServer, check_server)
        self.path = self._tables.path

    def all(self) -> list[NamedServer]:
        found = self._tables.read()
        return [found[name] for name in sorted(found)]

    def get(self, name: str) -> NamedServer:
        known = self._tables.read()
        if name not in known:
            there = f"choose one of {', '.join(sorted(known))}, or add it" if known else "add it"
            text = f"no server {name!r}{did_you_mean(name, known)}: {there}"
            raise InputError(f"{text} with dyno server add", window_text=f"{text} on the Bench page")
        return known[name]

    def primary_of(self, server: NamedServer) -> NamedServer:
        """Of a replica the server that it repeats, else the server itself; raises InputError."""
        if not server.replica_of:
            return server
        with add_field_to_errors("replica_of"):
            primary = self.get(server.replica_of)
        if problem := _replica_problem(server, primary):
            raise InputError(f"server {server.name}: {problem}", "replica_of")
        return primary

    def replicas_of(self, name: str) -> list[NamedServer]:
        """In the order of their names; raises InputError for one that cannot be."""
        found = [each for each in self.all() if each.replica_of == name]
        for each in found:
            self.primary_of(each)
        return found

    def check_new(self, server: NamedServer) -> None:
        """Raise InputError if it is not valid, its name is taken, or nothing can remember its password."""
        check_server(server)
        self.primary_of(server)
        _check_keyring(server)
        if server.name in self._tables.read():
            raise InputError(
                f"server {server.name!r} exists already: edit it, or choose another name", "name"
            )

    def add(self, server: NamedServer) -> None:
        """Store a server under a new name."""
        self.check_new(server)
        self.keep(server)

    def update(self, server: NamedServer) -> None:
        """Store a server in place of the one of this name, unless that was removed meanwhile."""
        self.get(server.name)
        self.keep(server)

    def keep(self, server: NamedServer) -> None:
        """Store a server, whether or not there is one of this name."""
        before = self._tables.read()
        known = {**before, server.name: check_server(server)}
        self.primary_of(server)
        for each in known.values():
            if each.replica_of == server.name and (problem := _replica_problem(each, server)):
                text = f"server {each.name}: {problem}; first"
                raise InputError(
                    f"{text} dyno server edit {each.name} --replica-of ''",
                    "replica_of",
                    window_text=f"{text} edit {each.name}, a replica of none",
                )
        self._write(before, known)

    def changed(self, name: str, **changes: Any) -> NamedServer:
        """The server of the list with these fields; raises InputError if they do not fit."""
        self._tables.check_fields(changes, "a server")
        before = self.get(name)
        changed = changed_server(before, **changes)
        if not before.remember:
            _check_keyring(changed)
        return changed

    def remove(self, name: str) -> None:
        """Take it off the list; raises InputError while it has replicas there."""
        self.get(name)
        if replicas := [each.name for each in self.all() if each.replica_of == name]:
            raise InputError(f"server {name} has the replica {replicas[0]}: remove that first")
        before = self._tables.read()
        self._write(before, {key: server for key, server in before.items() if key != name})

    def forget_password(self, server: NamedServer) -> None:
        """Of a server that is not on the list, unless one of the list remembers the same."""
        _forget(_remembered({"": server}) - _remembered(self._tables.read()))

    def _write(self, before: Mapping[str, NamedServer], after: Mapping[str, NamedServer]) -> None:
        """Store these servers; what none of them remembers any more leaves the keyring."""
        _forget(_remembered(before) - _remembered(after))
        self._tables.write(after)


def changed_server(before: NamedServer, **changes: Any) -> NamedServer:
    """The server with these fields; of another place nothing stays accepted, confirmed or known."""
    changed = replace(before, **changes)
    if any(getattr(before, each) != getattr(changed, each) for each in _PLACE):
        is_confirmed = before.confirmed and before.host == changed.host
        changed = _unknown(replace(changed, certificate="", confirmed=is_confirmed))
    elif any(getattr(before, each) != getattr(changed, each) for each in _LOOKED_AT_BY):
        changed = _unknown(changed)
    return check_server(changed)


def _remembered(servers: Mapping[str, NamedServer]) -> set[str]:
    """Whose passwords are in the keyring; servers may share one."""
    return {each.password_label for each in servers.values() if each.remember}


def _forget(labels: set[str]) -> None:
    if labels:
        from app.remote.secrets import forget_secret

        forget_secret(*labels)


def _check_keyring(server: NamedServer) -> None:
    if server.remember:
        from app.remote.secrets import check_keyring

        check_keyring(server.name)


def _as_option(value: str) -> str:
    """A value as a line of a my.cnf can hold it."""
    plain = harmless(value, _LONGEST_VALUE).encode("ascii", "backslashreplace").decode()
    return plain.replace("#", r"\x23")[:_LONGEST_VALUE]


def _unknown(server: NamedServer) -> NamedServer:
    """Without what was found at another place or by another account."""
    return replace(
        server, family="", version="", engines=[], default_engine="", comment="", found_settings=[],
        found_at=0.0,
    )  # fmt: skip


def check_server(server: NamedServer) -> NamedServer:
    """The server; raises InputError for its first wrong field."""
    for name, text in _problems(server):
        if text:
            raise InputError(f"server {harmless(server.name, 64)}: {text}", name)
    return server


def _problems(server: NamedServer) -> Iterator[tuple[str, str]]:
    yield "name", _form(_NAME, server.name, "the name may have a-z, 0-9, '.', '_' and '-', up to 64")
    yield "host", _host_problem(server.host)
    yield "port", "" if 1 <= server.port <= 65535 else f"port must be 1 to 65535, got {server.port}"
    yield "user", _user_problem(server.user)
    yield "schema", _schema_problem(server.schema)
    if server.certificate:
        must = "certificate must be a SHA-256 of 64 hexadecimal digits, with tls"
        yield "certificate", _form(CERTIFICATE, server.certificate if server.tls else "", must)
    yield "settings", _settings_problem(server.settings)
    most = f"max_queries must be 0 to {MOST_QUERIES:,} queries a second, got {server.max_queries:,}"
    known = all(map(_FOUND_SETTING.fullmatch, server.found_settings))
    yield "found_settings", "" if known else "found_settings must be lines such as sync_binlog=1"
    yield "max_queries", "" if 0 <= server.max_queries <= MOST_QUERIES else most
    yield "price", _price_problem(server.price)
    must = "replica_of must be the name of another server"
    is_other = _NAME.fullmatch(server.replica_of) and server.replica_of != server.name
    yield "replica_of", "" if not server.replica_of or is_other else must
    yield "target", _form(_NAME, server.target, "target must be the name of a target")


def _replica_problem(replica: NamedServer, primary: NamedServer) -> str:
    """Why one cannot be a replica of the other; '' if it can."""
    if primary.replica_of:
        return f"{primary.name} is a replica too: name its primary {primary.replica_of}"
    for what in ("schema", "target"):
        its, own = getattr(primary, what), getattr(replica, what)
        if its != own:
            return f"it must have the {what} of its primary {primary.name}, {its}, not {own}"
    if (replica.host, replica.port) == (primary.host, primary.port):
        return f"it is at {replica.place} like its primary {primary.name}: name the address of the replica"
    return ""


def _form(form: re.Pattern[str], text: str, must: str) -> str:
    return "" if form.fullmatch(text) else must


def _host_problem(host: str) -> str:
    if is_ipv6(host) or _HOST.fullmatch(host):
        return ""
    return "host must be a name or an address, of letters, digits, dots and dashes"


def is_ipv6(host: str) -> bool:
    try:
        return "%" not in host and ipaddress.ip_address(host).version == 6
    except ValueError:
        return False


def _user_problem(user: str) -> str:
    return "" if 0 < len(user) <= 80 and user.isprintable() else "user must be 1 to 80 printable characters"


def _schema_problem(schema: str) -> str:
    if not _SCHEMA.fullmatch(schema):
        return "schema must be 1 to 64 letters, digits, _ and $"
    own = "is the server's own: name a schema that is empty"
    return f"schema {schema} {own}" if schema.lower() in SYSTEM else ""


def _settings_problem(names: list[str]) -> str:
    wrong = next((each for each in names if not _VARIABLE.fullmatch(each)), None)
    if wrong is not None:
        return f"settings must be names of variables, such as sync_binlog, not {harmless(wrong, 40)!r}"
    if len(set(names)) < len(names):
        return "settings names a variable twice"
    return f"settings may name {MOST_SETTINGS} variables at most" if len(names) > MOST_SETTINGS else ""


def _price_problem(price: str) -> str:
    is_price = _PRICE.fullmatch(price) and price.isprintable() and float(price.split()[0]) > 0
    return "" if not price or is_price else "price must be that of an hour, such as 0.52 USD"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
