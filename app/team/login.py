"""Logging in to a team's server: its certificate, the password, the tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from app.core.errors import InputError
from app.remote.secrets import SecretNeededError, Secrets, system_keyring

from .address import Address, Choice, keep_choice, parse_address
from .certificate import by_fingerprint, verifying
from .connection import PasswordError, UnverifiedError, look
from .server import Server

Ask = Callable[[str], str | None]


def log_in(choice: Choice, ask: Ask) -> Server:
    """Connect to the chosen server; raises CertificateError before anything is sent to a stranger."""
    address = parse_address(choice.address)
    if not choice.tls and not address.is_on_this_computer:
        raise InputError(
            f"{address.host} is not this computer: leave out --no-tls, or anybody on the way reads along"
        )
    secrets = Secrets(ask, system_keyring())
    label = address.password_label
    for password in secrets.candidates(label):
        try:
            server = _connect(address, choice, password)
        except PasswordError:
            continue
        secrets.accept(label, password)
        return server
    if secrets.missing:
        raise SecretNeededError(f"the team's history on {address.place}", label)
    server = _connect(address, choice, "")  # the person entered none
    secrets.accept(label, "")
    return server


def begin(home: Path, choice: Choice, ask: Ask) -> None:
    """Use a team's history from now on: log in, create what is missing, store the choice."""
    _look(choice)
    server = log_in(choice, ask)
    try:
        server.create()
    finally:
        server.close()
    keep_choice(home, choice)


def _look(choice: Choice) -> None:
    """Check the certificate before anybody is asked for a password."""
    address = parse_address(choice.address)
    if not choice.tls:
        return
    if choice.certificate:
        look(address, by_fingerprint(address.place, choice.certificate))
        return
    try:
        look(address, verifying())
    except UnverifiedError as error:
        look(address, by_fingerprint(address.place, "", str(error)))


def _connect(address: Address, choice: Choice, password: str) -> Server:
    if not choice.tls:
        return Server(address, password, None)
    if choice.certificate:
        return Server(address, password, by_fingerprint(address.place, choice.certificate))
    try:
        return Server(address, password, verifying())
    except UnverifiedError:
        _look(choice)  # raises the error with the fingerprint
        raise
