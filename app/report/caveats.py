"""Caveats before a report is believed: repeats, noise, what went wrong or was not the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from app.comparison.cells.cell import Cell, Comparison, Row
from app.comparison.cells.labels import row_label
from app.comparison.differences.differences import fairness_settings
from app.comparison.texts.text import cell_session_remarks, left_out_repeats_text, marks_with_reasons
from app.comparison.verdicts.across import cross_plan_remarks
from app.comparison.verdicts.judgement import marks_of_measures, verdict_legend
from app.comparison.verdicts.repeats import repeats_text
from app.core.units import first_texts
from app.history.steps.figures import latest_fact, notes, plan_of
from app.history.steps.step_text import step_mark_meaning
from app.history.store.history import History

_NAMED = 6  # steps in one line
_MOST_CELLS = 40  # lines about the seconds of a figure


def caveats(history: History, found: Comparison, names: Sequence[str]) -> list[str]:
    """All caveats, the most serious first."""
    return [
        *(each.text for each in found.warnings),
        *cross_plan_remarks(found, names),
        *_without_figure(found, names),
        *_marked(found, names),
        *_left_out(found, names),
        *_seconds(found, names),
        *_not_the_same(history, found, names),
        *_shared("note on {}: {}", _noted(history, found, names)),
        *_shared("{}: {}", _repeats(found, names)),
        *filter(None, [verdict_legend(found)]),
    ]


def _shared(form: str, remarks: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Remarks; one that several columns share is written once, with their names."""
    names: dict[str, list[str]] = {}
    for name, said in remarks:
        names.setdefault(said, []).append(name)
    yield from (form.format(", ".join(of), said) for said, of in names.items())


def _repeats(found: Comparison, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Repeats and spread of each column; of a single session the deviation of its seconds."""
    for at, (name, column) in enumerate(zip(names, found.columns, strict=True)):
        sessions = repeats_text(len(column.ids), column.loads, column.server_starts)
        factors = _widest((_factor(row.cells[at].samples), row) for row in found.rows)
        alone = _widest((row.cells[at].within, row) for row in found.rows)
        yield name, sessions + (_spread(*factors) if factors else _blocks(*alone) if alone else "")


def _factor(sample: Sequence[float | None]) -> float | None:
    """How many times its lowest value the highest is."""
    known = [value for value in sample if value is not None]
    return max(known) / min(known) if len(known) > 1 and min(known) > 0 else None


def _widest(figures: Iterable[tuple[float | None, Row]]) -> tuple[float, float, str] | None:
    """The median of all steps, the largest, and of which step it is; None where nothing is known."""
    known = sorted((figure, row_label(row)) for figure, row in figures if figure is not None)
    return (median(figure for figure, _ in known), *known[-1]) if known else None


def _spread(middle: float, most: float, where: str) -> str:
    return (
        f"; the highest is at most {middle:.2f} times the lowest in half of the steps, "
        f"{most:.2f} times in all of them (the widest: {where})"
    )


def _blocks(middle: float, most: float, where: str) -> str:
    return (
        f"; blocks of its seconds are within {middle:.1%} of their median in half of the steps, "
        f"within {most:.1%} in all of them (the widest: {where})"
    )


def _cells(found: Comparison, names: Sequence[str]) -> Iterator[tuple[str, str, Cell]]:
    """Each cell, with its step and the name of its column."""
    for row in found.rows:
        for name, cell in zip(names, row.cells, strict=True):
            yield row_label(row), name, cell


def _without_figure(found: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Steps without a result, by reason: a step that nobody ran is one line."""
    cells = _cells(found, names)
    return _gathered((f"no result: {cell.reason}", step, name) for step, name, cell in cells if cell.reason)


def _marked(found: Comparison, names: Sequence[str]) -> Iterator[str]:
    return _gathered(
        (step_mark_meaning(mark), step, name)
        for step, name, cell in _cells(found, names)
        for mark in marks_of_measures(cell)  # it has a table of costs
        if mark not in marks_with_reasons(cell)
    )


def _left_out(found: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Repeats that do not count."""
    cells = _cells(found, names)
    return _gathered((out, step, name) for step, name, cell in cells if (out := left_out_repeats_text(cell)))


def _seconds(found: Comparison, names: Sequence[str]) -> list[str]:
    """Why sessions were not steady, and which seconds count after a cut."""
    unsteady = [
        f"{step}, {name}: {'; '.join(texts)}"
        for step, name, cell in _cells(found, names)
        if (texts := cell_session_remarks(cell))
    ]
    more = len(unsteady) - _MOST_CELLS
    return [*unsteady[:_MOST_CELLS], *([f"{more:,} more cells like these"] if more > 0 else [])]


def _gathered(remarks: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    """`what: name in step, step and 3 more; name in ...`, a line for each what."""
    found: dict[str, dict[str, list[str]]] = {}
    for what, label, name in remarks:
        found.setdefault(what, {}).setdefault(name, []).append(label)
    for what, by_name in found.items():
        yield f"{what}: " + "; ".join(
            f"{name} in {first_texts(labels, _NAMED)}" for name, labels in by_name.items()
        )


def _not_the_same(history: History, found: Comparison, names: Sequence[str]) -> Iterator[str]:
    """Settings that make the comparison unfair: durability, caching and the like."""
    by_name = {name: _rules(history, column.id) for name, column in zip(names, found.columns, strict=True)}
    for rule in dict.fromkeys(rule for each in by_name.values() for rule in each):
        who: dict[str, list[str]] = {}
        for name, each in by_name.items():
            if rule in each:
                who.setdefault(each[rule], []).append(name)
        if len(who) > 1:
            yield f"{rule}: " + "; ".join(f"{', '.join(of)}: {answer}" for answer, of in who.items())


def _rules(history: History, session: str) -> dict[str, str]:
    plan = plan_of(history, session)
    turn = next(turn for turn in plan["turns"] if turn["session"] == session)
    variables = latest_fact(history, session, "variables") or {}
    return fairness_settings(plan["contenders"][turn["contender"]], variables)


def _noted(history: History, found: Comparison, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Notes on the sessions."""
    for name, column in zip(names, found.columns, strict=True):
        for session in column.ids:
            which = f", session {session[-6:]}" if len(column.ids) > 1 else ""
            yield from ((f"{name}{which}", note["text"]) for note in notes(history, session))
