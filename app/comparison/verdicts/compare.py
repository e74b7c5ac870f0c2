"""Columns of sessions, step by step: medians, relative to a base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from app.comparison.cells.cell import (
    Caveat,
    Comparison,
)
from app.comparison.cells.measures import FIGURE, measure_named
from app.comparison.differences.same_work import (
    differing_execution_plans,
    other_work_warnings,
    rows_per_event_of,
    step_execution_plans,
)
from app.comparison.differences.warnings import (
    other_work_texts,
    warnings_of_columns,
    warnings_of_counts,
    warnings_of_limits,
)
from app.comparison.verdicts.counted_on import (
    caveats_of_counters,
    counters_of,
    mark_counted_otherwise,
)
from app.comparison.verdicts.counted_starts import add_known_spreads
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.comparison.verdicts.earlier_plans import add_earlier_noise, beginning_of_one_plan
from app.comparison.verdicts.judgement import (
    limits_for_looks,
    limits_of_plans,
    with_verdicts,
)
from app.comparison.verdicts.repeats import (
    attempts_texts,
    load_and_start_counts,
    without_attempts,
)
from app.comparison.verdicts.rounds import round_of, rounds_of
from app.core.errors import InputError
from app.history.lists.sessions import (
    find_all,
    sessions,
    sessions_of_reference,
    source_text,
)
from app.history.steps.counted_starts import known_spreads
from app.history.steps.earlier_plans import earlier_ratios
from app.history.steps.figures import plans_by_session
from app.history.store.history import History
from app.protocol.states import NOT_NEEDED, OUT_OF_TIME
from app.stats import VerdictLimits

from .columns import (
    columns_of_sessions,
    contender_named_today,
    cpus_of_session,
    described_column,
    relate_columns,
)
from .planned_steps import PlannedSteps
from .step_cells import row_by_measure, row_of_steps, step_keys_in_order, steps_to_compare


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
        columns = columns_of_sessions(counted, sides)
        counts = [load_and_start_counts(history, [each["id"] for each in column]) for column in columns]
        at = next(at for at, column in enumerate(columns) if base_id in (each["id"] for each in column))
        figures = [[steps_to_compare(history, each["id"], allowed) for each in column] for column in columns]
        cpus = [cpus_of_session(history, column[0]) for column in columns]
        sources = [source_text(history, column[0]["id"]) for column in columns]
        work = [rows_per_event_of(history, [each["id"] for each in column]) for column in columns]
        other_work = other_work_texts(history, columns, at)
        names = [column[0]["name"] for column in columns]
        warnings = [
            *other_work_warnings(work, names),
            *warnings_of_columns(history, columns, at, other_work),
            *warnings_of_limits(own, limits),
            *warnings_of_counts(plan_by_id.values()),
            *map(Caveat, attempts_texts(left_out)),
        ]
        has_counts = any(plan.counts for plan in plan_by_id.values())
        counters = [
            counters_of(history, [each["id"] for each in column]) if has_counts else [] for column in columns
        ]
        warnings += caveats_of_counters(counters, names, at)
        spreads = [known_spreads(history, column[0]) if has_counts else {} for column in columns]
        plans = list(
            differing_execution_plans([step_execution_plans(history, column[0]["id"]) for column in columns])
        )
        contenders = [contender_named_today(column, plan_by_id[column[0]["id"]]) for column in columns]
        described = [
            described_column(*each) for each in zip(columns, contenders, counts, cpus, sources, strict=True)
        ]
        for column, what in zip(described, other_work, strict=True):
            column.other_work = what
            column.attempts = [entry["id"] for entry, other in left_out if other["id"] in column.ids]
            column.rounds = [round_of(plan_by_id[id_], id_) for id_ in column.ids]
        rounds = rounds_of(history, plan_by_id, described, at)
        relate_columns(history, described, rounds)
        looked = {plan.id for plan in plan_by_id.values() if plan.until_decided}
        began = None if looked else beginning_of_one_plan(described)
        earlier = {} if began is None else earlier_ratios(history, columns[at][0], began)
    plans_in_order = [plan_by_id[column[0]["id"]] for column in (columns[at], *columns)]
    out_of_time = {plan_by_id[id_].id for id_, entry in entries.items() if entry["reason"] == OUT_OF_TIME}
    planned = PlannedSteps.of(plans_in_order)
    rows = [row_of_steps(key, figures, rounds, planned) for key in step_keys_in_order(figures, at)]
    mark_counted_otherwise(rows, counters, at)
    add_known_spreads(rows, spreads)
    add_earlier_noise(rows, earlier)
    found = Comparison(
        base=at,
        columns=described,
        rows=rows,
        plans=plans,
        groups=[],
        limits=VerdictLimits(),
        repeatedly=bool(looked),
        is_last_look=bool(looked) and looked <= out_of_time,
        has_own_limits=own is not None,
        warnings=warnings,
    )
    return with_verdicts(found, own or limits or VerdictLimits())


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
    rows = [row_by_measure(row, measure, comparison.base) for row in having]
    return with_verdicts(replace(comparison, rows=rows), comparison.limits)
