"""The groups of options in a help, in its order."""

from __future__ import annotations

GROUPS = WHAT, HOW_LONG, HOW_EXACT, WHERE, SERVER, OUTPUT, SELDOM = (
    *("What", "How long", "How exact", "Where", "The server", "Output", "Less often used"),
)
