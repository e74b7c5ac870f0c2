"""The numbers behind the charts of a session: a row a second, and below them those of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.comparison.charts.points import Cell, Numbers, numbers
from app.core.units import unit_text
from ui.widgets.charts.pyramid import Track

from .curves import SessionCurves

Drawn = tuple[str, Mapping[str, Track]]  # the name of a session, and its curves by series


def session_numbers(curves: SessionCurves, drawn: Sequence[Drawn], units: Mapping[str, str]) -> Numbers:
    """Numbers of all drawn sessions, with units; each second at the time where it is drawn."""
    series = [name for name, track in curves.tracks.items() if len(track)]
    heads = [f"{name} ({unit_text(units[name])})" if units.get(name) else name for name in series]
    return numbers(
        ("session", "time (s)", "step", *heads),
        (
            (name, *row)
            for name, tracks in drawn
            for row in _rows(curves, [tracks.get(each, Track()) for each in series])
        ),
    )


def _rows(curves: SessionCurves, tracks: Sequence[Track]) -> Iterator[tuple[Cell, ...]]:
    values = [track.samples() for track in tracks]
    for t in sorted({t for each in values for t in each}):
        step = curves.at(t)
        yield round(t, 3), step.label if step else None, *(each.get(t) for each in values)
