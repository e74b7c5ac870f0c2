"""One step second by second: of every session, from the start of the step."""

from __future__ import annotations

from collections.abc import Mapping

from app.comparison.entries import Comparison
from app.comparison.text import names_of
from app.history.curves import Curve

from .points import Numbers, numbers


def second_numbers(comparison: Comparison, found: Mapping[str, Curve], label: str, unit: str) -> Numbers:
    """A row a second of a session; those of the warm-up are negative."""
    told = f"{label} ({unit})" if unit else label
    return numbers(
        ("second (s)", "contender", "repeat", "session", told),
        (
            (second, name, repeat, id_, value if value == value else None)
            for name, column in zip(names_of(comparison), comparison["sessions"], strict=True)
            for repeat, id_ in enumerate(column["ids"], 1)
            if id_ in found
            for second, value in zip(found[id_].seconds.tolist(), found[id_].values.tolist(), strict=True)
        ),
    )
