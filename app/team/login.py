"""Logging in to a team's server: its certificate, the password, the tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from app.core.errors import DynoError, InputError
from app.history.store.history import History
from app.remote.secrets import SecretNeededError, Secrets, password_of_file, system_keyring

from .address import (
    TeamDatabaseAddress,
    TeamHistoryChoice,
    keep_history_choice,
    parse_team_address,
    read_team_history,
)
from .certificate import pinned_tls_context, verified_tls_context
from .connection import PasswordError, UnverifiedCertificateError, inspect_certificate
from .server import TeamServerStore
from .syncing import check_team

Ask = Callable[[str], str | None] | None  # None: nobody is there to be asked
PASSWORD_FILE = "DYNO_TEAM_PASSWORD_FILE"  # noqa: S105 - a variable of the environment


def connect_to_team_server(choice: TeamHistoryChoice, ask: Ask) -> TeamServerStore:
    """Connect to the chosen server; raises StrangerError before a password is asked for or sent."""
    address = parse_team_address(choice.address)
    if not choice.tls and not address.is_on_this_computer:
        elsewhere, why = f"{address.host} is not this computer", "or anybody on the way reads along"
        raise InputError(
            f"{elsewhere}: leave out --no-tls, {why}",
            window_text=f"{elsewhere}: connect with TLS, {why}",
        )
    password = password_of_file(PASSWORD_FILE)
    if password is None:
        return _log_in_by_person(address, choice, ask)
    try:
        return _connect(address, choice, password)
    except PasswordError as error:
        raise PasswordError(f"{error}; the password is that of {PASSWORD_FILE}") from None


def _log_in_by_person(address: TeamDatabaseAddress, choice: TeamHistoryChoice, ask: Ask) -> TeamServerStore:
    def ask_for_known(prompt: str) -> str | None:
        if ask is None:  # a server counts looks without a login, and blocks a host that has too many
            return None
        _look(choice)
        return ask(prompt)

    label = address.password_label
    secrets = Secrets(ask_for_known, system_keyring())
    needed = SecretNeededError(
        f"the team's history on {address.place}", label, f": name a file that has it in {PASSWORD_FILE}"
    )
    refused: DynoError = needed
    for password in secrets.candidates(label, may_be_empty=True):
        try:
            server = _connect(address, choice, password)
        except PasswordError as error:
            refused = error
            continue
        secrets.accept(label, password)
        return server
    raise needed if secrets.missing else refused


def join_team_history(home: Path, choice: TeamHistoryChoice, ask: Ask, merge_teams: bool = False) -> None:
    """Use a team's history from now on: log in, look, create what is missing, store the choice."""
    choice = _with_what_is_known(home, choice)
    _look(choice)
    with closing(connect_to_team_server(choice, ask)) as server, History(home) as history:
        check_team(history, server.identity_if_any(), merge_teams)
        server.create()
    keep_history_choice(home, replace(choice, plugin=server.plugin))


def _with_what_is_known(home: Path, choice: TeamHistoryChoice) -> TeamHistoryChoice:
    """The choice with what was accepted before at the same address, unless the person accepts another."""
    with suppress(InputError):  # a damaged choice is written anew
        known = read_team_history(home)
        if known is not None and known.address == choice.address:
            return replace(
                choice,
                certificate=choice.certificate or known.certificate,
                plugin=choice.plugin or known.plugin,
            )
    return choice


def store_login_plugin(home: Path, choice: TeamHistoryChoice, server: TeamServerStore) -> None:
    """Store by which plugin the account logs in, where an earlier Dyno stored none."""
    if not choice.plugin and read_team_history(home) == choice:
        keep_history_choice(home, replace(choice, plugin=server.plugin))


def _look(choice: TeamHistoryChoice) -> None:
    """Check the certificate before anybody is asked for a password."""
    address = parse_team_address(choice.address)
    if not choice.tls:
        return
    if choice.certificate:
        inspect_certificate(address, pinned_tls_context(address.place, choice.certificate))
        return
    try:
        inspect_certificate(address, verified_tls_context())
    except UnverifiedCertificateError as error:
        inspect_certificate(address, pinned_tls_context(address.place, "", str(error)))


def _connect(address: TeamDatabaseAddress, choice: TeamHistoryChoice, password: str) -> TeamServerStore:
    if not choice.tls:
        return TeamServerStore(address, password, None, choice.plugin)
    if choice.certificate:
        context = pinned_tls_context(address.place, choice.certificate)
        return TeamServerStore(address, password, context, choice.plugin)
    try:
        return TeamServerStore(address, password, verified_tls_context(), choice.plugin)
    except UnverifiedCertificateError:
        _look(choice)  # raises the error with the fingerprint
        raise
