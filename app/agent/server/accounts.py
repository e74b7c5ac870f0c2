"""Who may log in to a server: root over its private socket, and over TCP only the account of the session.

Each family makes other accounts, and data from a snapshot may have any. So a server that listens carries out
`CLOSING` at each start, by its option init-file: before it accepts the first connection.
"""

from __future__ import annotations

import os
from typing import List

from app.agent.system.directory import write_file
from app.agent.system.errors import AgentError
from app.engines.server import CLOSING, SCHEMA

from .mycnf import CLOSING_FILE
from .mysql import Client, QueryError, accepts_without_password

OWN = "dyno"  # the account of the session


def write_init_file(session: str) -> None:
    """Write the statements of init-file, one a line as servers read it."""
    write_file(os.path.join(session, CLOSING_FILE), "".join("{};\n".format(each) for each in CLOSING))


def create_session_account(client: Client, password: str) -> None:
    """Create the account of the session, the only one that may log in over TCP."""
    client.try_run(
        "CREATE USER dyno@'%' IDENTIFIED BY '{}'".format(password),
        "GRANT USAGE ON *.* TO dyno@'%' IDENTIFIED BY '{}'".format(password),  # rights of it were left
    )
    client.run("GRANT ALL ON {}.* TO dyno@'%'".format(SCHEMA))  # and nothing global: no FILE, no SUPER


def drop_dyno_account(client: Client) -> None:
    """Undo `create_session_account`: no password stays in data that are kept."""
    client.try_run("DROP USER dyno@'%'")


def refuse_open_accounts(client: Client, address: str, port: int) -> None:
    """Raise AgentError if an account other than the session's can log in over TCP without a password."""
    for user in ("", "root", *_others(client)):  # where the anonymous one can log in, every name can
        try:
            if not accepts_without_password(address, port, user):
                continue
        except QueryError as error:
            text = "cannot check who may log in at {} port {}: {}"
            raise AgentError(text.format(address, port, error)) from None
        who = "the account {}".format(user) if user else "the anonymous account"
        text = "{} can log in at {} port {} without a password: the server is not used"
        raise AgentError(text.format(who, address, port))


def _others(client: Client) -> List[str]:
    rows = client.query("SELECT DISTINCT User AS user FROM mysql.user")
    return [name for name in (str(row["user"]) for row in rows) if name not in ("root", "", OWN)]
