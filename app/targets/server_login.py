"""Looking at a server that runs already, from the target that drives: certificate, password, what it is."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from app.core.errors import DynoError, InputError, TargetError
from app.protocol.answers import ExistingServer, ServerAddress
from app.protocol.reading import LONGEST_NAME
from app.remote.secrets import PASSWORD_FILE, SecretNeededError, Secrets, system_keyring
from app.remote.target import Ask

from .server_address import fingerprint_text
from .servers import NamedServer

_DENIED = ("1045", "1698", "Access denied")  # as the agent says it of a login


class ReachingAgent(Protocol):
    """What is needed of `remote.RemoteAgent`."""

    def reach_server(self, address: ServerAddress) -> ExistingServer: ...


@dataclass(frozen=True)
class LoggedInServer:
    """A server as it was found now, and the password that it took."""

    server: NamedServer
    found: ExistingServer
    password: str = field(repr=False)


def found_lines(looked: LoggedInServer) -> list[str]:
    """What was found, for a person."""
    server, found = looked.server, looked.found
    said = f" ({server.comment})" if server.comment else ""
    its = f"{server.family} {server.version}{said}"
    tls = f"{found.tls}, {fingerprint_text(server.certificate)}" if server.tls else "none: plain text"
    default = server.default_engine
    engines = ", ".join(f"{each} (default)" if each == default else each for each in server.engines)
    problems = [found.schema_state] if found.schema_state else []
    return [
        f"{server.name}: {its}, {server.url}, driven by {server.target}",
        *([f"replica of {server.replica_of}, takes only reads"] if server.replica_of else []),
        f"TLS: {tls}",
        f"engines: {engines or 'unknown'}",
        *([] if found.rtt_ms is None else [f"SELECT 1 takes {found.rtt_ms:.3g} ms"]),
        *(f"setting: {each}" for each in server.found_settings),
        *(f"note: {each}" for each in found.notes),
        *(f"problem: {each}" for each in (*problems, *found.problems)),
    ]


class ServerCertificateError(TargetError):
    """A certificate that nobody has accepted; no account and no password was sent."""

    def __init__(self, server: NamedServer, offered: str, text: str) -> None:
        super().__init__(
            f"{text}: dyno server trust {server.name} {fingerprint_text(offered)}",
            window_text=f"{text}: choose Look at the server on the Bench page",
        )
        self.server, self.offered = server, offered

    @property
    def fingerprint(self) -> str:
        return fingerprint_text(self.offered)


class UnknownServerCertificateError(ServerCertificateError):
    """The certificate of a server that was never looked at."""

    def __init__(self, server: NamedServer, offered: str) -> None:
        text = f"the certificate of {server.place} is unknown: {fingerprint_text(offered)}"
        super().__init__(server, offered, f"{text}; check the fingerprint, then accept it")


class ChangedServerCertificateError(ServerCertificateError):
    """Another certificate than the accepted one."""

    def __init__(self, server: NamedServer, offered: str) -> None:
        accepted, shown = fingerprint_text(server.certificate), fingerprint_text(offered)
        super().__init__(
            server,
            offered,
            f"THE CERTIFICATE OF {server.place} HAS CHANGED: accepted is {accepted}, it shows {shown}."
            " Somebody may be between the target and the server, or it has a new one; no password was sent."
            " Only if you know why, accept it",
        )


class CertificateNotAcceptedError(InputError):
    """A person has looked at the certificate, and does not accept it."""

    def __init__(self, server: NamedServer) -> None:
        super().__init__(f"the certificate of {server.place} is not accepted: no account was sent to it")


def offered_certificate(agent: ReachingAgent, server: NamedServer) -> str:
    """The SHA-256 of what the server shows, before any account is sent; raises InputError without TLS."""
    nobody = ServerAddress(host=server.host, port=server.port, schema="", user="")
    found = agent.reach_server(nobody).certificate.lower()
    if not found:
        what = f"{server.place} offers no TLS: passwords and rows would cross the network in plain text"
        todo = f"{what}; switch TLS on in the server, or allow plain text"
        raise InputError(f"{todo} with --no-tls", "tls", window_text=todo)
    return found


def check_usable(server: NamedServer) -> None:
    """Raise an error for a server that a person has not confirmed, or whose certificate is not accepted."""
    _check_confirmed(server)
    if server.tls and not server.certificate:
        text = f"the certificate of server {server.name} is not accepted yet:"
        raise InputError(
            f"{text} look at it with dyno server show {server.name}",
            "server",
            window_text=f"{text} choose Look at the server on the Bench page",
        )


def _check_confirmed(server: NamedServer) -> None:
    if server.needs_confirmation:
        text = f"server {server.name} is on {server.host}, which nobody has confirmed:"
        raise InputError(
            f"{text} write dyno server edit {server.name} --confirm {server.host}",
            "server",
            window_text=f"{text} choose Edit the server on the Bench page, and type its host once more",
        )


def look_at(agent: ReachingAgent, server: NamedServer, ask: Ask) -> LoggedInServer:
    """Log in and look; raises ServerCertificateError before anybody is asked for a password."""
    _check_confirmed(server)
    if server.tls:
        _check_certificate(server, offered_certificate(agent, server))
    return log_in(agent, server, ask)


def _check_certificate(server: NamedServer, offered: str) -> None:
    """Raise an error for a certificate that is not the accepted one."""
    if not server.certificate:
        raise UnknownServerCertificateError(server, offered)
    if offered != server.certificate:
        raise ChangedServerCertificateError(server, offered)


def log_in(
    agent: ReachingAgent, server: NamedServer, ask: Ask, clock: Callable[[], float] = time.time
) -> LoggedInServer:
    """Log in by the first password that is right, and look; raises an error where none is."""
    label, variable = server.password_label, _file_variable(server)
    keyring = system_keyring() if server.remember else None
    secrets = Secrets(ask, keyring, label if os.environ.get(variable) else "", variable)
    instead = f": name a file that has it, and that only you can read, in {variable}"
    needed = SecretNeededError(f"server {server.name}", label, instead)
    refused: DynoError = needed
    for password in secrets.candidates(label, may_be_empty=True):
        if len(password) > LONGEST_NAME:
            raise InputError(f"the {label} has more than {LONGEST_NAME:,} characters", "server")
        try:
            found = _look(agent, server, password)
        except DynoError as error:
            if not _is_denied(error):
                _check_why_failed(agent, server)
                raise
            refused = error
            continue
        secrets.accept(label, password)
        return LoggedInServer(server.as_found(found, clock()), found, password)
    if secrets.of_file:
        raise TargetError(f"{refused}; the password is that of {variable}")
    raise refused


def _file_variable(server: NamedServer) -> str:
    """DYNO_PASSWORD_FILE_PROD of a server prod, where that is set: servers have different passwords."""
    own = f"{PASSWORD_FILE}_{re.sub(r'[^A-Z0-9]', '_', server.name.upper())}"
    return own if os.environ.get(own) else PASSWORD_FILE


def _check_why_failed(agent: ReachingAgent, server: NamedServer) -> None:
    """Whether a login has failed for another certificate: the agent then hangs up before it."""
    if server.tls:
        offered = server.certificate
        with suppress(DynoError):  # the error of the login says more
            offered = offered_certificate(agent, server)
        _check_certificate(server, offered)


def _look(agent: ReachingAgent, server: NamedServer, password: str) -> ExistingServer:
    found = agent.reach_server(server.asked(password))
    if not found.family:
        said = "; ".join(found.problems) or "it does not say why"
        raise TargetError(f"{server.place} did not let {server.user} in: {said}")
    return found


def _is_denied(error: DynoError) -> bool:
    """Whether another password may be the right one."""
    return any(each in str(error) for each in _DENIED)
