"""Operations beside roles: what a step says that does something to the server. Its keys checked."""

from __future__ import annotations

from typing import Any

from app.core.toml_text import FLAG, TEXT, Document, ValueRule
from app.protocol.ddl import ALGORITHMS, read_ddl
from app.protocol.plan import BACKUP_TOOLS, OPERATIONS

from .amounts import SECONDS

OPERATION_RULES = {
    "after": SECONDS,
    "again_after_ms": ValueRule((int,), 1, 600_000),
    "cold": FLAG,
    "statement": TEXT,
    "algorithm": ValueRule((str,), choices=ALGORITHMS),
    "tool": ValueRule((str,), choices=BACKUP_TOOLS),
}
# keys of one kind of operation alone
_OF_KIND = {
    "again_after_ms": "kill", "cold": "restart", "statement": "ddl", "algorithm": "ddl", "tool": "backup",
}  # fmt: skip
LONG = ("ddl", "backup")  # that may take longer than their roles work
# keys that other steps with roles have
_NOT_OF_OPERATIONS = ("profile", "figure", "warm", "increments")
# keys of a role that ends by itself, or goes by what another one does
_NOT_OF_ITS_ROLES = ("seconds", "share", "events", "ends", "follows", "apart")


def is_operation(table: dict[str, Any]) -> bool:
    """Whether a step does something to the server while its roles go on."""
    return table.get("kind") in OPERATIONS and "role" in table


def check_operation(document: Document, where: tuple[str | int, ...], table: dict[str, Any]) -> None:
    """Check what an operation says besides its roles; of other steps, that they say nothing of one."""
    kind = table.get("kind", "")
    for key in OPERATION_RULES:
        if key in table and not is_operation(table):
            raise document.error((*where, key), "is of an operation beside roles: leave it out")
    if kind in OPERATIONS and kind != "restart" and "role" not in table:
        raise document.error((*where, "kind"), f"{kind} needs a role beside it: add [[step.role]]")
    if not is_operation(table):
        return
    for key, owner in _OF_KIND.items():
        if key in table and kind != owner:
            raise document.error((*where, key), f"is of a step of kind {owner}: leave it out")
    _check_ddl(document, where, table)
    for key in (*_NOT_OF_OPERATIONS, *(() if kind in LONG else ("cap_s",))):
        if key in table:
            raise document.error((*where, key), f"is not of a step with a {kind}: leave it out")
    for at, role in enumerate(table["role"]):
        for key in _NOT_OF_ITS_ROLES:
            if key in role:
                why = f"is not of a role beside a {kind}: all end with their step; leave it out"
                raise document.error((*where, "role", at, key), why)


def _check_ddl(document: Document, where: tuple[str | int, ...], table: dict[str, Any]) -> None:
    if table["kind"] != "ddl":
        return
    try:
        read_ddl(table.get("statement", ""), table.get("algorithm", ""))
    except ValueError as error:
        raise document.error((*where, "statement"), str(error)) from None
