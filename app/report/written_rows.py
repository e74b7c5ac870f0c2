"""Steps and roles that write rows, second by second: the rows, the longest response, and stalls by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.comparison.cells.cell import Column, Comparison
from app.comparison.cells.labels import row_label
from app.core.units import figure_text
from app.history.steps.written_rows import STALL_RULE, NamedStall, WrittenRows, written_rows
from app.history.store.history import History
from app.protocol.plan import step_key

from .svg import ReportColumnStyle, drawing, line, round_ticks, svg_tooltip, text, without_zeros

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEAST = 3  # seconds with a figure: fewer are no curve
WIDTH, HEIGHT = 470, 250  # pixels
LEFT, RIGHT = 58, 12  # beside the curves
_ROWS, _LONGEST = (40, 150), (176, 226)  # the top and bottom of each part
_MOST = 200  # points of a curve: of more, each is the least and the largest of some seconds
_MOST_NOTES = 12
_FIRST_DRAWN = "Drawn is the first session of each column."
_LETTER = 6.2  # pixels

Sessions = Mapping[str, Mapping[tuple[str, str], WrittenRows]]  # by session and step


@dataclass(frozen=True)
class WrittenStep:
    """A step or a role in each column."""

    label: str
    drawn: tuple[WrittenRows | None, ...]  # of the first session of each column that has these seconds
    notes: tuple[str, ...]  # the stalls of all sessions
    has_repeats: bool


def written_steps(history: History, found: Comparison, names: Sequence[str]) -> Iterator[WrittenStep]:
    """The steps that write rows; none where only the tables are loaded, which is not what is compared."""
    sessions = {id_: _by_step(history, id_) for column in found.columns for id_ in column.ids}
    if not any(rows.step.kind == "drive" for its in sessions.values() for rows in its.values()):
        return
    for row in found.rows:
        key = step_key(row.workload, row.coordinates)
        of_columns = [_of_column(column, sessions, key) for column in found.columns]
        drawn = tuple(next(iter(its.values()), None) for its in of_columns)
        if any(each is not None and _is_curve(each) for each in drawn):
            label = row_label(row)
            notes = tuple(_notes(label, found.columns, names, of_columns))
            yield WrittenStep(label, drawn, notes, any(len(its) > 1 for its in of_columns))


def _by_step(history: History, session: str) -> dict[tuple[str, str], WrittenRows]:
    found = written_rows(history, session)
    return {step_key(each.step.name, each.step.coordinates): each for each in found if not each.step.warm}


def _of_column(column: Column, sessions: Sessions, key: tuple[str, str]) -> dict[str, WrittenRows]:
    return {id_: sessions[id_][key] for id_ in column.ids if key in sessions[id_]}


def _is_curve(rows: WrittenRows) -> bool:
    return int((rows.rows[rows.s >= 0] >= 0).sum()) >= LEAST


def _notes(
    label: str,
    columns: Sequence[Column],
    names: Sequence[str],
    of_columns: Sequence[Mapping[str, WrittenRows]],
) -> Iterator[str]:
    for column, name, its in zip(columns, names, of_columns, strict=True):
        for repeat, id_ in enumerate(column.ids, 1):
            who = f"{name}, repeat {repeat}" if len(column.ids) > 1 else name
            yield from (f"{label}, {who}: {stall.text}." for stall in (its[id_].stalls if id_ in its else ()))


def written_notes(steps: Sequence[WrittenStep], are_drawn: bool = True) -> list[str]:
    """What is below the charts, if they are drawn: what a stall is, and all of them."""
    stalls = [note for step in steps for note in step.notes]
    left_out = len(stalls) - _MOST_NOTES
    return [
        *([_FIRST_DRAWN] if are_drawn and any(each.has_repeats for each in steps) else []),
        STALL_RULE if stalls else f"No stalls. {STALL_RULE}",
        *stalls[:_MOST_NOTES],
        *([f"{left_out} further stalls are left out."] if left_out > 0 else []),
    ]


# the picture


def written_chart(step: WrittenStep, names: Sequence[str], its: Sequence[ReportColumnStyle]) -> str:
    """The rows of each second, and below them the longest response."""
    there = [(at, rows) for at, rows in enumerate(step.drawn) if rows is not None]
    last = max(float(rows.s.max(initial=0)) for _, rows in there) + 1
    parts = [text(0, 12, step.label, "start", "title"), *_seconds(last)]
    for span, caption, curves in (
        (_ROWS, "rows/s", [(at, rows.s, rows.rows) for at, rows in there]),
        (_LONGEST, "longest response, ms", [(at, rows.s, rows.longest_ms) for at, rows in there]),
    ):
        parts += _part(span, caption, [(its[at], s, values) for at, s, values in curves], last)
    parts += _stalls([(its[at], names[at], rows) for at, rows in there], last)
    return drawing(WIDTH, HEIGHT, parts, f"{step.label}: rows a second, and the longest response")


def _x(s: float, last: float) -> float:
    return LEFT + s / last * (WIDTH - LEFT - RIGHT)


def _seconds(last: float) -> list[str]:
    ticks = [tick for tick in round_ticks(last) if tick % 1 == 0]
    return [text(_x(tick, last), HEIGHT - 10, f"{tick:,.0f}", "middle", "muted") for tick in ticks]


def _part(
    span: tuple[int, int],
    caption: str,
    curves: Sequence[tuple[ReportColumnStyle, Floats, Floats]],
    last: float,
) -> list[str]:
    top, bottom = span
    most = max((float(v[(s >= 0) & (v == v)].max(initial=0)) for _, s, v in curves), default=0) or 1.0
    parts = [text(LEFT, top - 6, caption, "start", "muted")]
    for tick in round_ticks(most)[:: 1 if bottom - top > 60 else 2]:
        y = bottom - tick / most * (bottom - top)
        said = without_zeros(figure_text(tick))
        parts += [line(LEFT, y, WIDTH - RIGHT, y, "grid"), text(LEFT - 6, y + 4, said, "end", "muted")]
    for style, s, values in curves:
        for run in _runs(s, values):
            run = [(run[0][0] - 0.5, run[0][1]), (run[0][0] + 0.5, run[0][1])] if len(run) == 1 else run
            points = " ".join(f"{_x(x, last):.1f},{bottom - y / most * (bottom - top):.1f}" for x, y in run)
            parts.append(f'<polyline class="{style.classes}" points="{points}"/>')
    return parts


def _runs(s: Floats, values: Floats) -> Iterator[list[tuple[float, float]]]:
    """The parts of a curve between missing seconds, each value in the middle of its second."""
    size, run = -(-len(s) // _MOST), list[tuple[float, float]]()
    measured = [(at, value) for at, value in zip(s.tolist(), values.tolist(), strict=True) if at >= 0]
    for first in range(0, len(measured), size):
        known = [(at + 0.5, value) for at, value in measured[first : first + size] if value == value]
        ends = (
            sorted({min(known, key=lambda each: each[1]), max(known, key=lambda each: each[1])})
            if known
            else []
        )
        if not ends and run:
            yield run
            run = []
        run += ends
    if run:
        yield run


def _stalls(columns: Sequence[tuple[ReportColumnStyle, str, WrittenRows]], last: float) -> list[str]:
    """A band each, with its name where there is room for it."""
    found = [(stall, style, name) for style, name, rows in columns for stall in rows.stalls]
    found.sort(key=lambda each: each[0].first_s)
    bands = [_band(stall, style, name, last) for stall, style, name in found]
    return [*bands, *_names([stall for stall, _, _ in found], last)]


def _names(stalls: Sequence[NamedStall], last: float) -> Iterator[str]:
    """The name of each, or its length alone, where that fits before the next."""
    begin = 0.0
    for at, stall in enumerate(stalls):
        left = _x(stall.first_s, last) + 2
        later = (_x(each.first_s, last) for each in stalls[at + 1 :] if each.first_s > stall.last_s)
        room = min(next(later, WIDTH), WIDTH) - left
        fitting = [said for said in (stall.label, f"{stall.seconds} s") if _LETTER * len(said) <= room]
        if fitting and left >= begin:
            yield text(left, _ROWS[0] + 10, fitting[0], "start", "figure")
            begin = left + _LETTER * len(fitting[0])


def _band(stall: NamedStall, style: ReportColumnStyle, name: str, last: float) -> str:
    left, right = _x(stall.first_s, last), _x(stall.last_s + 1, last)
    return (
        f'<rect x="{left:.1f}" y="{_ROWS[0]}" width="{max(right - left, 2):.1f}"'
        f' height="{_LONGEST[1] - _ROWS[0]}" class="stall {style.classes}">'
        f"{svg_tooltip(f'{name}: {stall.text}')}</rect>"
    )
