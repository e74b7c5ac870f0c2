"""The numbers behind the charts of a session: a row a second, and below them those of the earlier one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from app.comparison.charts.points import Cell, Numbers, numbers
from app.core.units import unit_text
from ui.widgets.pyramid import Track

from .curves import GhostCurves, SessionCurves


def session_numbers(
    curves: SessionCurves, ghost: GhostCurves | None, names: Sequence[str], units: Mapping[str, str]
) -> Numbers:
    """`names` of both sessions, units by series; an earlier second stands at the time where it is drawn."""
    series = [name for name, track in curves.tracks.items() if len(track)]
    both = [curves.tracks, *([ghost.tracks] if ghost else [])]
    heads = [f"{name} ({unit_text(units[name])})" if units.get(name) else name for name in series]
    return numbers(
        ("session", "time (s)", "step", *heads),
        (
            (name, *row)
            for name, tracks in zip(names, both, strict=False)
            for row in _rows(curves, [tracks.get(each, Track()) for each in series])
        ),
    )


def _rows(curves: SessionCurves, tracks: Sequence[Track]) -> Iterator[tuple[Cell, ...]]:
    values = [track.samples() for track in tracks]
    for t in sorted({t for each in values for t in each}):
        step = curves.at(t)
        yield round(t, 3), step.label if step else None, *(each.get(t) for each in values)
