"""Columns of sessions, step by step: medians, relative to a base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from statistics import median
from types import MappingProxyType

from app.catalog import Catalog
from app.comparison.cells.cell import (
    OF_SNAPSHOT,
    Caveat,
    Cell,
    Column,
    ColumnFigure,
    Comparison,
    Row,
)
from app.comparison.cells.labels import step_titles
from app.comparison.cells.measures import FIGURE, Measure, Measures, measure_named, step_measures
from app.comparison.differences.same_work import (
    differing_execution_plans,
    other_work_warnings,
    rows_per_event_of,
    step_execution_plans,
)
from app.comparison.differences.warnings import other_work_texts, warnings_of_columns, warnings_of_limits
from app.comparison.verdicts.across import measured_apart_by
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.comparison.verdicts.judgement import (
    FAILED_REPEAT,
    limits_for_looks,
    limits_of_plans,
    marks_of_measures,
    with_verdicts,
)
from app.comparison.verdicts.repeats import (
    LoadAndStartCounts,
    attempts_texts,
    load_and_start_counts,
    without_attempts,
)
from app.comparison.verdicts.rounds import ColumnsByRound, Key, relative, round_of, rounds_of
from app.comparison.verdicts.same_load import mark_common_disturbance
from app.comparison.verdicts.set_rates import set_rates_of
from app.core.errors import InputError
from app.core.units import direction_of
from app.history.lists.sessions import (
    ContenderEntry,
    SessionEntry,
    find_all,
    sessions,
    sessions_of_reference,
    source_text,
)
from app.history.machines.canaries import canary_results
from app.history.recorded.in_words import is_of_snapshot
from app.history.steps.figures import StepEntry, facts, plans_by_session, steps
from app.history.steps.step_text import disturbed_text
from app.history.store.history import History
from app.protocol.cpus import cpu_set_of_text
from app.protocol.plan import QPS_UNIT, Plan, step_key
from app.protocol.states import NOT_NEEDED
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import LEAST, spoilt_by

_LEFT_OUT = ("warmup",)


Sessions = list[SessionEntry]  # of a column
Place = Sequence[StepEntry | None]  # a step in each session of a column


def compare(
    history: History,
    references: Sequence[str],
    base: str | None = None,
    limits: VerdictLimits | None = None,
    sides: Mapping[str, int] = MappingProxyType({}),
    allowed: GivenDisturbanceLimits = AS_PLANNED,
) -> Comparison:
    """Compare the steps of these sessions with those of the base (default: the first session).

    Sessions of different `sides` share no column, even where they are repeats of each other. `allowed`: load
    of other programs by which steps are disturbed, in place of what their plans allow.
    """
    if not references:
        raise InputError("give two or more sessions to compare")
    ids = find_all(history, references)
    bases = ids[:1] if base is None else sessions_of_reference(history, base)
    base_id, ids = bases[0], [*(id_ for id_ in bases if id_ not in ids), *ids]
    with history.reading():
        entries = {entry["id"]: entry for entry in sessions(history, ids=ids)}
        plan_by_id = plans_by_session(history, ids)
        own = limits_of_plans(plan_by_id.values())
        there = [entries[id_] for id_ in ids if entries[id_]["reason"] not in NOT_NEEDED]
        counted, left_out = without_attempts(plan_by_id, there)
        if base_id not in (entry["id"] for entry in there):
            why = entries[base_id]["reason"]
            raise InputError(
                f"session {entries[base_id]['name']} was not measured ({why}): choose another base"
            )
        base_id = {entry["id"]: other["id"] for entry, other in left_out}.get(base_id, base_id)
        columns = _columns(counted, sides)
        counts = [load_and_start_counts(history, [each["id"] for each in column]) for column in columns]
        at = next(at for at, column in enumerate(columns) if base_id in (each["id"] for each in column))
        figures = [[_steps(history, each["id"], allowed) for each in column] for column in columns]
        cpus = [_cpus(history, column[0]) for column in columns]
        sources = [source_text(history, column[0]["id"]) for column in columns]
        work = [rows_per_event_of(history, [each["id"] for each in column]) for column in columns]
        other_work = other_work_texts(history, columns, at)
        warnings = [
            *other_work_warnings(work, [column[0]["name"] for column in columns]),
            *warnings_of_columns(history, columns, at, other_work),
            *warnings_of_limits(own, limits),
            *map(Caveat, attempts_texts(left_out)),
        ]
        plans = list(
            differing_execution_plans([step_execution_plans(history, column[0]["id"]) for column in columns])
        )
        contenders = [_named_today(column, plan_by_id[column[0]["id"]]) for column in columns]
        described = [_column(*each) for each in zip(columns, contenders, counts, cpus, sources, strict=True)]
        for column, what in zip(described, other_work, strict=True):
            column.other_work = what
            column.attempts = [entry["id"] for entry, other in left_out if other["id"] in column.ids]
            column.rounds = [round_of(plan_by_id[id_], id_) for id_ in column.ids]
        rounds = rounds_of(history, plan_by_id, described, at)
        _relate(history, described, rounds)
    plans_in_order = [plan_by_id[column[0]["id"]] for column in (columns[at], *columns)]
    titles, rates = step_titles(plans_in_order), set_rates_of(plans_in_order)
    found = Comparison(
        base=at,
        columns=described,
        rows=[_row(key, figures, rounds, titles, rates) for key in _keys(figures, at)],
        plans=plans,
        groups=[],
        limits=VerdictLimits(),
        repeatedly=any(plan.until_decided for plan in plan_by_id.values()),
        has_own_limits=own is not None,
        warnings=warnings,
    )
    return with_verdicts(found, own or limits or VerdictLimits())


def _columns(entries: Sequence[SessionEntry], sides: Mapping[str, int]) -> list[Sessions]:
    """Repeats share a column, unless only two of one contender are compared."""
    grouped: dict[tuple[object, ...], Sessions] = {}
    for entry in entries:
        key = (entry["contender_key"], entry["work_key"], entry["machine_key"], sides.get(entry["id"]))
        grouped.setdefault(key, []).append(entry)
    return [[entry] for entry in entries] if len(grouped) == 1 and len(entries) == 2 else [*grouped.values()]


def _cpus(history: History, entry: SessionEntry) -> int | None:
    """The number of CPUs of the contender, else of its machine."""
    if cores := entry["contender"]["cores"]:
        return len(cpu_set_of_text(cores))
    machines = facts(history, entry["id"], "machine")
    cpu = (machines[0]["value"].get("cpu") or {}) if machines else {}
    count = cpu.get("threads") or cpu.get("cores")
    return count if isinstance(count, int) else None


def _column(
    column: Sessions, contender: ContenderEntry, counts: LoadAndStartCounts, cpus: int | None, source: str
) -> Column:
    first = column[0]
    return Column(
        id=first["id"],
        ids=[each["id"] for each in column],
        attempts=[],
        name=contender["name"] if len(column) > 1 else first["name"],
        target=first["target"],
        contender=contender,
        sequence=first["sequence"],
        source=source,
        states=[*dict.fromkeys(each["state"] for each in column)],
        failed_steps=sum(each["failed_steps"] for each in column),
        loads=counts.loads,
        server_starts=counts.server_starts,
        contender_key=first["contender_key"],
        work_key=first["work_key"],
        machine_key=first["machine_key"],
        colour=first["colour"],
        cpus=cpus,
        starts=[_seconds(each["started_at"]) for each in column],
        plans=[each["plan"] for each in column],
        rounds=[],
    )


def _named_today(column: Sessions, plan: Plan) -> ContenderEntry:
    """The contender as the sessions name it that have today's name of its preset, if any have."""
    found = [each["contender"] for each in column]
    if not any(each.server for each in plan.contenders):  # of others, whose presets are not Dyno's
        return found[0]
    today = Catalog().preset_name(found[0]["engine"], found[0]["preset"])
    contender = next((each for each in found if each["preset"] == today), found[0])
    return {**contender, "preset": today}


def _relate(history: History, columns: Sequence[Column], rounds: ColumnsByRound) -> None:
    """Set whether columns alternate, and else how their machines vary."""
    base = columns[rounds.base]
    for column, pairs in zip(columns, rounds.pairs, strict=True):
        column.by_round = bool(pairs)
        column.across = "" if column is base or pairs else measured_apart_by(base, column)
    if any(column.across for column in columns):
        machines = {column.machine_key for column in columns}
        figures = {machine: canary_results(history, machine) for machine in machines}
        for column in columns:
            column.canaries = figures[column.machine_key]


def _seconds(started_at: str | None) -> float | None:
    return None if started_at is None else datetime.fromisoformat(started_at).timestamp()


def _steps(history: History, session: str, allowed: GivenDisturbanceLimits) -> dict[Key, StepEntry]:
    """The steps to compare, without warm ones."""
    found: dict[Key, StepEntry] = {}
    for step in steps(history, session):
        if not step["warm"] and step["kind"] not in _LEFT_OUT:
            key = step_key(step["name"], step["coordinates"])
            found.setdefault(key, allowed.marked(step))
    return found


def _keys(figures: Sequence[Sequence[dict[Key, StepEntry]]], base: int) -> list[Key]:
    """The steps in the order of the base; then those that it does not have."""
    ordered = [*figures[base], *(each for column in figures for each in column)]
    return list(dict.fromkeys(key for each in ordered for key in each))


def _row(
    key: Key,
    figures: Sequence[Sequence[dict[Key, StepEntry]]],
    rounds: ColumnsByRound,
    titles: Mapping[str, str],
    rates: Mapping[Key, float],
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
        title=titles.get(model["name"], ""),
        kind=model["kind"],
        group=model["group"],
        threads=model["coordinates"].get("threads"),
        coordinates=model["coordinates"],
        rate=rates.get(key),
        unit=model["unit"],
        direction=direction_of(model["unit"]),
        cells=[
            _cell(figure, summed[base], place, out, model)
            for figure, place, out in zip(summed, places, left_out, strict=True)
        ],
        latency_per=model["latency_per"],
        measures=Measures(step_measures(completed), lambda each: _measured(each, completed, rounds)),
    )


def _cell(
    figure: ColumnFigure, base: ColumnFigure, place: Place, left_out: list[list[str]], model: StepEntry
) -> Cell:
    """A step in a column; its verdict follows when all rows are complete."""
    reason, lacking = _reason([step for step in place if step is not None], model)
    return replace(
        _related(figure, base),
        within=_deviation(place, model),
        reason=reason,
        lacking=lacking,
        marks=_marks(place, left_out),
        left_out=left_out,
        steadiness=[step and step["steadiness"] for step in place],
        cuts=[step and step["cut"] for step in place],
        disturbed=[disturbed_text(step["others"]) if step else "" for step in place],
        others=[step["others"] if step else {} for step in place],
        searches=[step and step["limit"] for step in place],
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
    return _summed(
        [[None if step is None else measure.read(step) for step in place] for place in completed], rounds
    )


def _summed(samples: list[list[float | None]], rounds: ColumnsByRound) -> list[ColumnFigure]:
    by_round = any(rounds.pairs)
    found = []
    for at, each in enumerate(samples):
        known = [value for value in each if value is not None]
        n = rounds.count(samples, at) if by_round else len(known)
        found.append(ColumnFigure(_median(known), n, each, rounds.ratios(samples, at) if by_round else []))
    return found


def _related(figure: ColumnFigure, base: ColumnFigure) -> Cell:
    """The part of a cell that depends on the measure, but for its verdict."""
    return Cell(
        figure.value,
        figure.n,
        figure.samples,
        figure.rounds,
        relative=relative(figure, base),
        spread=spread_of(figure.value, figure.samples),
    )


def spread_of(value: float | None, sample: Sequence[float | None]) -> float | None:
    known = [each for each in sample if each is not None]
    return max(abs(each / value - 1) for each in known) if value and len(known) > 1 else None


def sessions_of(comparison: Comparison) -> list[str]:
    """The ids of all sessions of all columns."""
    return [id_ for column in comparison.columns for id_ in column.ids]


def by_group(comparison: Comparison) -> Comparison:
    """The rows by group and step, each in the order in which they first appear."""
    groups = list(dict.fromkeys(row.group for row in comparison.rows))
    names = list(dict.fromkeys(row.workload for row in comparison.rows))
    rows = sorted(comparison.rows, key=lambda row: (groups.index(row.group), names.index(row.workload)))
    return replace(comparison, rows=rows)


def only_common_steps(comparison: Comparison) -> Comparison:
    """The comparison with only the steps that all columns have; verdicts remain those of all steps."""
    rows = [row for row in comparison.rows if all(cell.value is not None for cell in row.cells)]
    groups = {row.group for row in rows}
    return replace(comparison, rows=rows, groups=[each for each in comparison.groups if each.group in groups])


def judged_by_limits(comparison: Comparison, limits: VerdictLimits) -> Comparison:
    """The comparison judged by these limits; unchanged if they are the same."""
    if comparison.has_own_limits or comparison.limits == limits_for_looks(comparison, limits):
        return comparison
    rows = [replace(row, cells=[replace(cell) for cell in row.cells]) for row in comparison.rows]
    return with_verdicts(replace(comparison, rows=rows), limits)


def comparison_by_measure(comparison: Comparison, name: str) -> Comparison:
    """The comparison by another measure, without steps that lack it."""
    measure = measure_named(name)
    if measure is FIGURE:
        return comparison
    having = [row for row in comparison.rows if row.has(name)]
    rows = [_row_by(row, measure, comparison.base) for row in having]
    return with_verdicts(replace(comparison, rows=rows), comparison.limits)


def _row_by(row: Row, measure: Measure, base: int) -> Row:
    figures = row.measures[measure.name]
    cells = [
        replace(
            _related(figure, figures[base]),
            reason=cell.reason or ("" if figure.n else "not measured"),
            lacking=cell.lacking,
            marks=marks_of_measures(cell, measure.name),
            left_out=cell.left_out,
            steadiness=cell.steadiness,
            cuts=cell.cuts,
            disturbed=cell.disturbed,
            others=cell.others,
            searches=cell.searches,
        )
        for cell, figure in zip(row.cells, figures, strict=True)
    ]
    return replace(row, unit=measure.unit_of(row), direction=measure.direction, cells=cells)


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
