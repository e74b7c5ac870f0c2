"""The rows of a comparison: each step with a cell for each column, before they are judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from app.comparison.cells.cell import OF_SNAPSHOT, Cell, ColumnFigure, Row
from app.comparison.cells.measures import Measure, Measures, step_measures
from app.comparison.verdicts.disturbing import GivenDisturbanceLimits
from app.comparison.verdicts.judgement import FAILED_REPEAT, marks_of_measures
from app.comparison.verdicts.rounds import ColumnsByRound, Key, relative
from app.comparison.verdicts.same_load import mark_common_disturbance
from app.core.units import direction_of
from app.history.recorded.in_words import is_of_snapshot
from app.history.steps.figures import StepEntry, steps
from app.history.steps.step_text import disturbed_text
from app.history.store.history import History
from app.protocol.plan import QPS_UNIT, step_key
from app.stats.at_target.moderated import UNKNOWN
from app.stats.at_target.verdicts import LEAST, spoilt_by

from .planned_steps import PlannedSteps

_LEFT_OUT = ("warmup",)
Place = Sequence[StepEntry | None]  # a step in each session of a column


def steps_to_compare(history: History, session: str, allowed: GivenDisturbanceLimits) -> dict[Key, StepEntry]:
    """The steps to compare, without warm ones."""
    found: dict[Key, StepEntry] = {}
    for step in steps(history, session):
        if not step["warm"] and step["kind"] not in _LEFT_OUT:
            key = step_key(step["name"], step["coordinates"])
            found.setdefault(key, allowed.marked(step))
    return found


def step_keys_in_order(figures: Sequence[Sequence[dict[Key, StepEntry]]], base: int) -> list[Key]:
    """The steps in the order of the base; then those that it does not have."""
    ordered = [*figures[base], *(each for column in figures for each in column)]
    return list(dict.fromkeys(key for each in ordered for key in each))


def row_of_steps(
    key: Key,
    figures: Sequence[Sequence[dict[Key, StepEntry]]],
    rounds: ColumnsByRound,
    planned: PlannedSteps,
) -> Row:
    base, done = rounds.base, [[each.get(key) for each in column] for column in figures]
    places = rounds.judged(key, mark_common_disturbance(done))
    cells = [[step for step in place if step is not None] for place in places]
    model = next(cell[0] for cell in [cells[base], *cells] if cell)
    left_out = [_left_out(place, model) for place in places]
    counted = [_counted(*each) for each in zip(places, left_out, strict=True)]
    completed = [_completed(place) for place in counted]
    summed = _summed(
        [[step["value"] if step and _fits(step, model) else None for step in place] for place in counted],
        rounds,
    )
    return Row(
        workload=model["name"],
        title=planned.titles.get(model["name"], ""),
        kind=model["kind"],
        group=model["group"],
        threads=model["coordinates"].get("threads"),
        coordinates=model["coordinates"],
        rate=planned.rates.get(key),
        unit=model["unit"],
        direction=direction_of(model["unit"]),
        cells=[
            _cell(figure, summed[base], place, out, model)
            for figure, place, out in zip(summed, places, left_out, strict=True)
        ],
        latency_per=model["latency_per"],
        measures=Measures(step_measures(completed), lambda each: _measured(each, completed, rounds)),
        counts_writes=key in planned.counted_writes,
        beside=key in planned.beside,
        alone=planned.alone.get(key),
    )


def _cell(
    figure: ColumnFigure, base: ColumnFigure, place: Place, left_out: list[list[str]], model: StepEntry
) -> Cell:
    """A step in a column; its verdict follows when all rows are complete."""
    reason, lacking = _reason([step for step in place if step is not None], model)
    return replace(
        related_figure_cell(figure, base),
        within=_deviation(place, model),
        reason=reason,
        lacking=lacking,
        marks=_marks(place, left_out),
        left_out=left_out,
        steadiness=[step and step["steadiness"] for step in place],
        cuts=[step and step["cut"] for step in place],
        soaks=[step and step["soak"] for step in place],
        operations=[step and step["operation"] for step in place],
        disturbed=[disturbed_text(step["others"]) if step else "" for step in place],
        others=[step["others"] if step else {} for step in place],
        searches=[step and step["limit"] for step in place],
        schedules=[step and step["schedule"] for step in place],
    )


def _deviation(place: Sequence[StepEntry | None], model: StepEntry) -> float | None:
    """The deviation of a column with one session, which has no spread."""
    (step, *repeats) = place
    if step is None or repeats or not _fits(step, model) or model["unit"] != QPS_UNIT:
        return None
    return step["max_block_deviation"]


def _left_out(place: Place, model: StepEntry) -> list[list[str]]:
    """The marks for which each session does not count; none if too few sessions would be left."""
    spoilt = [spoilt_by(step["marks"]) if step else [] for step in place]
    fair = sum(
        step is not None and not marks and _fits(step, model)
        for step, marks in zip(place, spoilt, strict=True)
    )
    return spoilt if fair >= LEAST else [[] for _ in place]


def _counted(place: Place, left_out: Sequence[list[str]]) -> Place:
    return [None if marks else step for step, marks in zip(place, left_out, strict=True)]


def _marks(place: Place, left_out: Sequence[list[str]]) -> list[str]:
    """The marks of the sessions that count; a failed repeat marks the cell."""
    has_failed = [step["state"] == "failed" for step in place if step]
    of_repeats = {FAILED_REPEAT} if any(has_failed) and not all(has_failed) else set()
    return sorted(of_repeats | {mark for step in _counted(place, left_out) if step for mark in step["marks"]})


def _completed(place: Place) -> Place:
    return [step if step and step["state"] == "completed" else None for step in place]


def _measured(measure: Measure, completed: Sequence[Place], rounds: ColumnsByRound) -> list[ColumnFigure]:
    """What each column has by one measure."""
    found = _summed(
        [[None if step is None else measure.read(step) for step in place] for place in completed], rounds
    )
    for figure, place in zip(found, completed, strict=True):
        counted = [step for step in place if step is not None]
        figure.marks = sorted({mark for step in counted for mark in measure.marks(step)})
        figure.resolution = max(map(measure.resolution, counted), default=0.0)
    return found


def _summed(samples: list[list[float | None]], rounds: ColumnsByRound) -> list[ColumnFigure]:
    by_round = any(rounds.pairs)
    found = []
    for at, each in enumerate(samples):
        known = [value for value in each if value is not None]
        n = rounds.count(samples, at) if by_round else len(known)
        found.append(ColumnFigure(_median(known), n, each, rounds.ratios(samples, at) if by_round else []))
    return found


def related_figure_cell(figure: ColumnFigure, base: ColumnFigure) -> Cell:
    """The part of a cell that depends on the measure, but for its verdict."""
    return Cell(
        figure.value,
        figure.n,
        figure.samples,
        figure.rounds,
        resolution=figure.resolution,
        relative=relative(figure, base),
        spread=spread_of(figure.value, figure.samples),
    )


def spread_of(value: float | None, sample: Sequence[float | None]) -> float | None:
    known = [each for each in sample if each is not None]
    return max(abs(each / value - 1) for each in known) if value and len(known) > 1 else None


def row_by_measure(row: Row, measure: Measure, base: int) -> Row:
    figures = row.measures[measure.name]
    cells = [
        replace(
            related_figure_cell(figure, figures[base]),
            reason=cell.reason or ("" if figure.n else "not measured"),
            lacking=cell.lacking,
            marks=[*marks_of_measures(cell, measure.name), *figure.marks],
            left_out=cell.left_out,
            steadiness=cell.steadiness,
            cuts=cell.cuts,
            soaks=cell.soaks,
            operations=cell.operations,
            disturbed=cell.disturbed,
            others=cell.others,
            searches=cell.searches,
            schedules=cell.schedules,
        )
        for cell, figure in zip(row.cells, figures, strict=True)
    ]
    return replace(
        row,
        unit=measure.unit_of(row),
        direction=measure.direction,
        cells=cells,
        earlier=UNKNOWN,  # which is of the figure of the step
        earlier_plans=0,
    )


def _fits(step: StepEntry, model: StepEntry) -> bool:
    return step["state"] == "completed" and step["unit"] == model["unit"]


def _reason(cell: Sequence[StepEntry], model: StepEntry) -> tuple[str, str]:
    """The reason why the first step without a result has none, in words and by name."""
    if not cell:
        return "not in its sequence", ""
    for step in cell:
        if step["state"] != "completed":
            words = f"{step['state']}: {step['reason']}" if step["reason"] else step["state"]
            return words, _lacking(step)
        if step["unit"] != model["unit"]:
            return f"its unit is {step['unit']}", ""
    return "", ""


def _lacking(step: StepEntry) -> str:
    if step["state"] == "skipped" and is_of_snapshot(step["reason"]):
        return OF_SNAPSHOT
    return step["state"]


def _median(values: Sequence[float]) -> float | None:
    """The median; fast for the usual case of one session."""
    if len(values) == 1:
        return values[0]
    return median(values) if values else None
