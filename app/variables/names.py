"""The presets that come with Dyno for every engine, and the name that one of them had before."""

from __future__ import annotations

from app.engines import engine_of

BASELINE, STOCK = "baseline", "stock"
EARLIER = "default"  # what plans and sessions of an earlier Dyno say
_FIRST = (BASELINE, STOCK)


def old_default_preset(engine: str) -> str:
    """The preset with the options of the earlier `default`: it set nothing for an engine without facts."""
    return BASELINE if engine_of(engine).has_facts else STOCK


def preset_list_position(name: str) -> int:
    """The place of a preset in lists: those of every engine come first."""
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)
