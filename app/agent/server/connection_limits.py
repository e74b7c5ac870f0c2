"""Limits for the client threads of a plan: connections of the server, open files of server and sysbench."""

from __future__ import annotations

import resource
from typing import Dict

from app.agent.system.errors import AgentError
from app.protocol.plan import OPEN_FILES

from .options_in_force import options_of

SPARE = 24  # connections besides those of the load: ours, and the one that a server reserves
STATEMENTS = 1_048_576  # prepared ones: each client prepares those of every table
DEFAULT_CONNECTIONS = 151  # of a server whose my.cnf does not set it


def room_options(cnf: str, clients: int) -> Dict[str, str]:
    """The settings that a preset leaves too small for this number of clients, with values that are enough."""
    asked = options_of(cnf)
    said, needed = asked.get("max_connections", str(DEFAULT_CONNECTIONS)), clients + SPARE
    options = {"max_connections": str(needed)} if said.isdigit() and int(said) < needed else {}
    if "max_prepared_stmt_count" not in asked:
        options["max_prepared_stmt_count"] = str(STATEMENTS)
    return options


def raise_file_limit(clients: int) -> int:
    """Raise the limit of open files of this process and its children for these clients; returns it.

    No further: servers of MySQL 5 take memory for every file that they may open.
    """
    needed = clients + OPEN_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if _allows(soft, needed):
        return soft
    try:  # beyond the hard limit only the superuser may
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard if _allows(hard, needed) else needed))
    except (ValueError, OSError):
        raise AgentError(
            "{} client threads need {} open files, this user may open {}: raise its limit "
            "(nofile in /etc/security/limits.conf), or use fewer threads".format(clients, needed, hard)
        ) from None
    return needed


def _allows(limit: int, needed: int) -> bool:
    return limit == resource.RLIM_INFINITY or limit >= needed
