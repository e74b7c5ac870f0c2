"""What a server that runs already is, and what is wrong with it, before a plan names it."""

from __future__ import annotations

import contextlib
import shutil
import socket
import tempfile
from typing import Callable, Dict, Iterator, List, Tuple, TypeVar

from app.agent.server.login_socket import LoginError
from app.agent.server.mysql import Client, QueryError, ServerPlace, certificate_of
from app.agent.server.server import runtime_dir
from app.agent.system.errors import AgentError
from app.protocol.answers import ExistingServer, ServerAddress

from .meter import round_trip_ms
from .relayed import OTHERS, RelayedServer, process_of
from .schema import OwnedSchema

Answer = TypeVar("Answer")
OLDEST = (5, 5)
_NO_TLS = "the server offers no TLS: allow plain text by name, or turn TLS on"
_READ_ONLY = (
    "it is read only, and Dyno has to fill a schema: name its primary, and add this one as a replica of that"
)
_NOT_KNOWN = (
    "its CPU, memory, disk and start state cannot be known: costs per query and resources are missing"
)
_SEVERAL = "it leads to {} servers or more: {}: counters, waits and sizes will be missing"
_SEEN: Tuple[Tuple[str, str], ...] = (  # what an account may lack, and what is missing then
    (
        "SELECT COUNT(*) AS n FROM performance_schema.events_waits_summary_global_by_event_name",
        "waits and statements have no names: the account may not read the Performance Schema, or it is off",
    ),
    ("SHOW ENGINE INNODB STATUS", "no state of the engine: the account lacks the privilege PROCESS"),
)


def reach_server(asked: ServerAddress) -> ExistingServer:
    """What it shows: without an accepted certificate only that, and no credential is sent."""
    if asked.tls and not asked.certificate:
        certificate, _, tls = _certificate(asked).partition(" ")
        return ExistingServer(certificate, tls, problems=[] if certificate else [_NO_TLS])
    return _through_relay(asked, _look)


def _certificate(asked: ServerAddress) -> str:
    try:
        return certificate_of(asked.host, asked.port)
    except LoginError as error:
        raise AgentError(str(error)) from None


def clean_server(asked: ServerAddress) -> List[str]:
    """Drop what a plan that fell silent has left in the schema."""

    def clean(server: RelayedServer, _: ServerAddress) -> List[str]:
        schema = _schema(server.client)
        left = schema.take()
        schema.give_back()
        return ["{} of {}".format(each.text, asked.schema) for each in left]

    return _through_relay(asked, clean)


def _through_relay(asked: ServerAddress, do: Callable[[RelayedServer, ServerAddress], Answer]) -> Answer:
    private = tempfile.mkdtemp(prefix="dyno-", dir=runtime_dir())
    place = ServerPlace(asked.host, asked.port, asked.schema, asked.user, asked.certificate)
    server = RelayedServer(private, place, asked.password, price="")
    try:
        server.relay.start()
        return do(server, asked)
    except QueryError as error:
        raise AgentError(server.text_with(server.problem or str(error))) from None
    finally:
        server.stop()
        shutil.rmtree(private, ignore_errors=True)


def _schema(client: Client) -> OwnedSchema:
    return OwnedSchema(client, "{} dyno server".format(socket.gethostname()), ())


def _look(server: RelayedServer, asked: ServerAddress) -> ExistingServer:
    client = server.client
    variables = client.pairs("SHOW GLOBAL VARIABLES")
    engines = client.query("SHOW ENGINES")
    family, version = family_of(variables)
    several = list(_of_several(server))
    return ExistingServer(
        certificate=asked.certificate,
        tls=client.pairs("SHOW SESSION STATUS LIKE 'Ssl_version'").get("ssl_version", ""),
        family=family,
        version=version,
        comment=variables.get("version_comment", "")[:200],
        engines=sorted(str(row["engine"]).lower() for row in engines if row["support"] != "NO"),
        default_engine=variables.get("default_storage_engine", "").lower(),
        schema_state="" if asked.is_replica else _schema(client).problem(),
        problems=list(_problems(version, variables, asked.is_replica)),
        rtt_ms=round_trip_ms(client),
        settings={name: variables[name] for name in asked.settings if name in variables},
        notes=[*_notes(client, asked), *several],
        called="" if several else "".join(server.relay.servers),
    )


def family_of(variables: Dict[str, str]) -> Tuple[str, str]:
    """By what it answers, as a proxy or a cloud may show any version."""
    version = variables.get("version", "")
    is_mariadb = "mariadb" in version.lower() or "aria_pagecache_buffer_size" in variables
    return ("mariadb" if is_mariadb else "mysql"), version.partition("-")[0][:50]


def _problems(version: str, variables: Dict[str, str], is_replica: bool) -> Iterator[str]:
    words = version.split(".")
    if not all(word.isdigit() for word in words[:2]) or tuple(map(int, words[:2])) < OLDEST:
        yield "its version is {}: Dyno knows servers from 5.5 on".format(version or "not told")
    if variables.get("read_only", "OFF").upper() in ("ON", "1") and not is_replica:
        yield _READ_ONLY


def _notes(client: Client, asked: ServerAddress) -> Iterator[str]:
    if not process_of(asked.host, asked.port):
        yield _NOT_KNOWN
    for statement, missing in _SEEN:
        try:
            client.query(statement)
        except QueryError:
            yield missing


def _of_several(server: RelayedServer) -> Iterator[str]:
    """Open some connections at once, so that a proxy spreads them; an account may be allowed fewer."""
    with contextlib.suppress(QueryError), contextlib.ExitStack() as stack:
        for _ in range(OTHERS):
            stack.callback(server.client.connect_another())
    server.relay.take_problems()
    names = server.relay.servers
    if len(names) > 1:
        yield _SEVERAL.format(len(names), ", ".join(names))
