"""What a person does with a server that runs already, by way of the target that drives it."""

from __future__ import annotations

from dataclasses import replace

from app.core.errors import InputError
from app.remote.reach import reached
from app.remote.target import Ask

from .server_address import fingerprint_text, parse_fingerprint
from .server_login import LoggedInServer, look_at, offered_certificate
from .servers import NamedServer, Servers
from .store import Targets


def look_at_server(server: NamedServer, ask: Ask) -> LoggedInServer:
    """Log in and look; raises ServerCertificateError before anybody is asked for a password."""
    with reached(Targets().get(server.target), ask) as agent:
        return look_at(agent, server, ask)


def look_anew(name: str, ask: Ask, accepted: str = "") -> LoggedInServer:
    """Look at a server of the list, and store what was found; `accepted`: a certificate, just now."""
    looked = look_at_server(_listed(name, accepted), ask)
    Servers().update(looked.server)
    return looked


def clean_schema(name: str, ask: Ask, accepted: str = "") -> list[str]:
    """Drop what Dyno made in the schema of a server of the list; lines about it for a person."""
    server = _listed(name, accepted)
    if server.replica_of:
        text, primary = f"server {name} is a replica, where Dyno makes nothing:", server.replica_of
        raise InputError(f"{text} write dyno server clean {primary}", window_text=f"{text} clean {primary}")
    with reached(Targets().get(server.target), ask) as agent:
        removed = agent.clean_server(server.asked(look_at(agent, server, ask).password))
    nothing = f"nothing is left in the schema {server.schema} of {server.place}"
    return [f"removed {each}" for each in removed] or [nothing]


def trust_certificate(name: str, fingerprint: str, ask: Ask) -> NamedServer:
    """Accept the certificate with this fingerprint, if it is the one that the server shows."""
    server, accepted = Servers().get(name), parse_fingerprint(fingerprint)
    if not server.tls:
        raise InputError(f"server {name} is used without TLS: it has no certificate to accept")
    with reached(Targets().get(server.target), ask) as agent:
        offered = offered_certificate(agent, server)
    if offered != accepted:
        shown = fingerprint_text(offered)
        raise InputError(f"{server.place} shows {shown}: that is not the fingerprint you gave")
    return _listed(name, offered)


def _listed(name: str, accepted: str) -> NamedServer:
    """The server of this name, with a certificate that a person has just accepted."""
    servers = Servers()
    server = servers.get(name)
    servers.primary_of(server)
    if accepted and accepted != server.certificate:
        server = replace(server, certificate=accepted)
        servers.update(server)
    return server
