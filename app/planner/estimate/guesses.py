"""How long steps take on any machine: stated guesses, for what the plan does not declare in seconds."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from app.catalog.custom_sql import parse_custom_sql, sql_workload_fields
from app.engines import engine_of
from app.engines.engine import MIB
from app.planner.request.slicing import SLICE_S, SWITCH_S
from app.planner.resolve.sizes import bytes_per_row, value_for_engine
from app.protocol.plan import COUNT, LIMIT, PREPARING, Contender, Plan, PlannedSession, Step

SCAN_RATE = 1_000_000  # of all engines, from the cache
DISK_RATE = 100 * MIB  # what a settle step writes back in a second
STATEMENT_RATE = 2_000  # of one client thread, for the time of steps bounded by events
WRITE_RATE = 10_000  # of one client thread, for the space of timed steps: rarely reached
CORE_RATE = 5_000  # and of all client threads together, for each hardware thread of the target
SERVER_S = 8  # to make, start and shut down a server
VALGRIND_RATE = 400  # statements a second under it, with as many that are not counted
VALGRIND_S = 1.0  # to begin and end the counting
VALGRIND_SLOWER = 3  # a start of a server under it
STEP_S = 0.5  # between two steps
ANALYSE_S = 0.05  # for each table
CONDITION_RATE = 600_000  # rows of all tables, for which one condition is answered in a second


@dataclass(frozen=True)
class StatementEstimator:
    """The data for counting the statements of a step in advance."""

    workloads: Mapping[str, Mapping[str, Any]]
    most_rate: int  # statements a second that the target can carry out at all

    def per_event(self, step: Step) -> int:
        return int(self.workloads.get(step.workload, {}).get("queries_per_event", 1))

    def row_bytes(self, contender: Contender) -> float:
        return bytes_per_row(contender, [each.get("row_bytes", {}) for each in self.workloads.values()])

    def thread_rate(self, step: Step, name: str) -> float:
        """Rows per second of one thread in a step that prepares the tables."""
        engine = engine_of(name)
        said = self.workloads.get(step.workload, {}).get("rows_per_second", {})
        return float(value_for_engine(said, engine, min) or engine.rate(step.kind))

    def grows(self, step: Step) -> bool:
        """Whether a step adds data; deletes leave the space in use."""
        workload = self.workloads.get(step.workload, {})
        return (
            step.kind == "drive" and bool(workload.get("changes_rows")) and not workload.get("removes_rows")
        )

    def statements(self, step: Step, within_s: int = 0) -> int:
        """The largest number of statements of a step, in all or within these seconds."""
        rate = min(WRITE_RATE * step.threads, self.most_rate)
        rate = min(rate, step.sent_rate * self.per_event(step) or rate)
        seconds = max(step.seconds + step.warmup, step.cap_s) if step.seconds else 0
        timed = rate * min(seconds, within_s or seconds)
        bounded = step.events * self.per_event(step)
        return min(timed, bounded) if timed and bounded else timed or bounded

    def changed_rows(self, step: Step, within_s: int = 0) -> int:
        """The largest number of rows that they change, which options of the workload may say."""
        known = (step.options.get(name) for name in ("rows_per_insert", "rows_per_delete"))
        each = max((rows for rows in known if isinstance(rows, int)), default=1)
        return self.statements(step, within_s) * each


def step_guesses(plan: Plan, contender: Contender) -> list[float]:
    """Seconds of each step beyond declared ones, as far as known without a survey."""
    return steps_s(plan, contender, StatementEstimator(workloads_of(plan), CORE_RATE))


def workloads_of(plan: Plan) -> dict[str, Mapping[str, Any]]:
    """The workload files that the plan carries, by name."""
    texts = [
        text for name, text in plan.files.items() if name.startswith("workloads/") and name[-5:] == ".toml"
    ]
    return {str(data["name"]): _with_sql(plan, data) for data in map(tomllib.loads, texts)}


def _with_sql(plan: Plan, data: dict[str, Any]) -> dict[str, Any]:
    """A workload with the keys that follow from its SQL."""
    text = plan.files.get(f"workloads/{data.get('sql')}")
    return (
        data if text is None else {**data, **sql_workload_fields(parse_custom_sql(text), str(data["kind"]))}
    )


def roles_with_bounds(plan: Plan, index: int, work: StatementEstimator) -> list[Step]:
    """A step with its other roles; those without an end of their own go on as long as it does."""
    roles = plan.together(index)
    if len(roles) < 2:
        return roles
    events = {role.role: role.events for role in roles}
    lasts_s = ceil(plan.declared_s(index) + _beyond_s(roles, work))
    return [
        role
        if role.ends
        else replace(role, seconds=role.seconds or lasts_s, events=role.events or events.get(role.follows, 0))
        for role in roles
    ]


def _beyond_s(roles: Sequence[Step], work: StatementEstimator) -> float:
    """Seconds beyond the declared ones that roles take which the step waits for."""
    ending = [role for role in roles if role.ends]
    declared = max((role.seconds for role in ending), default=0)
    by_events = (_events_s(role, work) for role in ending if role.events and not role.seconds)
    return max(0.0, max(by_events, default=0.0) - declared)


def _events_s(step: Step, work: StatementEstimator) -> float:
    """Seconds that the events of a step take."""
    rate = min(STATEMENT_RATE * step.threads, work.most_rate) / work.per_event(step)
    return step.events / min(rate, step.sent_rate or rate)


def steps_left_out(plan: Plan, turn: PlannedSession) -> int:
    """How many steps a session leaves out: it starts from the snapshot of an earlier one of its contender."""
    before = any(each.contender == turn.contender and each.ordinal < turn.ordinal for each in plan.turns)
    return max(0, plan.snapshot_at) if before else 0


def steps_s(plan: Plan, contender: Contender, work: StatementEstimator) -> list[float]:
    """Seconds beyond declared ones, with restarts before steps and what follows them; roles take none."""
    before = [{}, *(step.restart_with for step in plan.steps)]
    return [
        0.0
        if step.beside
        else STEP_S
        + _step_s(plan, at, contender, work)
        + _analyse_s(plan, step, contender)
        + _check_s(plan, at)
        + SERVER_S * (step.restart_with != options)
        for at, (step, options) in enumerate(zip(plan.steps, before, strict=False))
    ]


def outside_s(plan: Plan) -> float:
    """Seconds of a session before its first step and after its last one."""
    return SERVER_S + _conditions_s(plan, len(plan.steps) - 1)


def _step_s(plan: Plan, index: int, contender: Contender, work: StatementEstimator) -> float:
    """Seconds of a step beyond its declared ones."""
    step, rows = plan.steps[index], plan.tables * plan.rows
    if step.kind in PREPARING:
        loaded = plan.rows_loaded_by(step) if step.kind == "load" else rows
        return loaded / (work.thread_rate(step, contender.engine) * step.threads)
    if step.kind == "scan":
        return rows / (SCAN_RATE * min(step.threads, plan.tables))
    if step.kind == "settle":
        return min(step.cap_s, 3 + rows * work.row_bytes(contender) / 2 / DISK_RATE)
    if step.kind == LIMIT:
        return max(0.0, step.cap_s - step.seconds - step.warmup)
    if step.kind == COUNT:
        return VALGRIND_S + 2 * step.events * work.per_event(step) / VALGRIND_RATE
    if step.kind == "restart":
        copied = rows * bytes_per_row(contender) if plan.start == "snapshot" else 0
        return SERVER_S * (VALGRIND_SLOWER if plan.counts else 1) + copied / DISK_RATE
    if step.kind == "backup":
        return SERVER_S + 2 * rows * work.row_bytes(contender) / DISK_RATE  # it is restored and read
    if step.role:
        return _beyond_s(plan.together(index), work)
    if step.events and not step.seconds:
        return _events_s(step, work)
    return SWITCH_S * (step.seconds + step.warmup) / SLICE_S if step.sliced else 0.0


def _analyse_s(plan: Plan, step: Step, contender: Contender) -> float:
    """Seconds of ANALYZE TABLE after a step."""
    if not step.analyse:
        return 0.0
    rate = engine_of(contender.engine).analyse_rate
    return plan.tables * (ANALYSE_S + (plan.rows / rate if rate else 0.0))


def _check_s(plan: Plan, index: int) -> float:
    """Seconds of the conditions after a step, and of the restart after a load."""
    if plan.is_loaded_after(index):
        return _conditions_s(plan, index) + SERVER_S * (plan.steps[index + 1].kind != "restart")
    is_asked = plan.steps[index].check or plan.is_loaded_anew_after(index)
    return _conditions_s(plan, index) if is_asked else 0.0


def _conditions_s(plan: Plan, index: int) -> float:
    return len(plan.conditions_until(index)) * plan.tables * plan.rows / CONDITION_RATE
