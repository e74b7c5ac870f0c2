"""The part of a server that a function belongs to, by its name."""

from __future__ import annotations

import re
from functools import cache

from app.engines import KNOWN
from app.engines.server import FUNCTIONS
from app.protocol.stacks import KERNEL as KERNEL_END

from .stacks import is_unnamed

KERNEL, UNNAMED, SQL = "kernel", "without a name", "SQL layer and libraries"
_OF_ENGINES = [rule for engine in KNOWN.values() for rule in engine.functions]
_RULES = [(part, re.compile(pattern)) for part, pattern in (*_OF_ENGINES, *FUNCTIONS)]
PARTS = (*dict.fromkeys(part for part, _ in _RULES), SQL, KERNEL, UNNAMED)


@cache
def server_code_part(name: str) -> str:
    """One of PARTS."""
    if name.endswith(KERNEL_END):
        return KERNEL
    if is_unnamed(name):
        return UNNAMED
    return next((part for part, rule in _RULES if rule.match(name)), SQL)
