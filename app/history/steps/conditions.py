"""What came of the conditions of consistency of a session, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from app.core.units import count_text
from app.protocol.checked.facts import AskedConditions
from app.protocol.reading import read

FACT = "conditions"
_PLACES = {"loaded": "the load", "ended": "the last step"}  # others are labels of steps


def conditions_text(facts: Iterable[Mapping[str, Any]]) -> str:
    """`10 conditions held after the load and after the last step`; '' where none was asked."""
    held: dict[str, list[str]] = {}
    others: list[str] = []
    for fact in facts:
        after = f"after {_PLACES.get(fact['when'], fact['when'])}"
        asked = read(AskedConditions, fact["value"])
        if len(asked.held) == asked.conditions:
            held.setdefault(count_text(asked.conditions, "condition"), []).append(after)
        else:
            others += _not_held(asked, after)
    texts = [f"{many} held {_listed(places)}" for many, places in held.items()]
    return "; ".join(dict.fromkeys([*texts, *others]))


def _not_held(asked: AskedConditions, after: str) -> Iterator[str]:
    if asked.problem:
        yield f"{after} {asked.problem}"
    else:
        left = asked.conditions - len(asked.held)
        yield f"{after} {left} of {count_text(asked.conditions, 'condition')} had no answer: {asked.unknown}"


def _listed(places: Iterable[str]) -> str:
    """`after a, after b and after c`, each once."""
    *first, last = dict.fromkeys(places)
    return f"{', '.join(first)} and {last}" if first else last
