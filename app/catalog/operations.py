"""Operations beside roles: what a step says that does something to the server. Its keys checked."""

from __future__ import annotations

from typing import Any

from app.core.toml_text import FLAG, Document, ValueRule
from app.engines.engine import ENDING
from app.protocol.plan import OPERATIONS, POWER_CUT

from .amounts import SECONDS

CARRIED_OUT = ("kill", POWER_CUT, "restart")  # of OPERATIONS, as far as a sequence can say them
OPERATION_RULES = {"after": SECONDS, "again_after_ms": ValueRule((int,), 1, 600_000), "cold": FLAG}
# keys that other steps with roles have
_NOT_OF_OPERATIONS = ("profile", "cap_s", "figure", "warm", "increments")
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
    if kind in OPERATIONS and kind not in CARRIED_OUT:
        raise document.error(
            (*where, "kind"), f"{kind} cannot be carried out yet: choose kill, power-cut or restart"
        )
    if kind in ENDING and "role" not in table:
        raise document.error((*where, "kind"), f"{kind} needs a role beside it: add [[step.role]]")
    if not is_operation(table):
        return
    if "again_after_ms" in table and kind != "kill":
        raise document.error((*where, "again_after_ms"), "is of a second kill: leave it out")
    if "cold" in table and kind != "restart":
        raise document.error((*where, "cold"), "is of a restart: leave it out")
    for key in _NOT_OF_OPERATIONS:
        if key in table:
            raise document.error((*where, key), f"is not of a step with a {kind}: leave it out")
    for at, role in enumerate(table["role"]):
        for key in _NOT_OF_ITS_ROLES:
            if key in role:
                why = f"is not of a role beside a {kind}: all end with their step; leave it out"
                raise document.error((*where, "role", at, key), why)
