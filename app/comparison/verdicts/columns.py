"""The columns of a comparison: which sessions share one, what it is, and how it relates to the base."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.catalog import Catalog
from app.comparison.cells.cell import Column
from app.comparison.verdicts.across import measured_apart_by
from app.comparison.verdicts.repeats import LoadAndStartCounts
from app.comparison.verdicts.rounds import ColumnsByRound
from app.history.lists.sessions import ContenderEntry, SessionEntry
from app.history.machines.canaries import canary_results
from app.history.steps.figures import facts, latest_fact
from app.history.store.history import History
from app.protocol.cpus import cpu_set_of_text
from app.protocol.plan import Plan

Sessions = list[SessionEntry]  # of a column


def columns_of_sessions(entries: Sequence[SessionEntry], sides: Mapping[str, int]) -> list[Sessions]:
    """Repeats share a column, unless only two of one contender are compared."""
    grouped: dict[tuple[object, ...], Sessions] = {}
    for entry in entries:
        key = (entry["contender_key"], entry["work_key"], entry["machine_key"], sides.get(entry["id"]))
        grouped.setdefault(key, []).append(entry)
    return [[entry] for entry in entries] if len(grouped) == 1 and len(entries) == 2 else [*grouped.values()]


def cpus_of_session(history: History, entry: SessionEntry) -> int | None:
    """The number of CPUs of the contender, else of its machine."""
    if cores := entry["contender"]["cores"]:
        return len(cpu_set_of_text(cores))
    machines = facts(history, entry["id"], "machine")
    cpu = (machines[0]["value"].get("cpu") or {}) if machines else {}
    count = cpu.get("threads") or cpu.get("cores")
    return count if isinstance(count, int) else None


def described_column(
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


def contender_named_today(column: Sessions, plan: Plan) -> ContenderEntry:
    """The contender as the sessions name it that have today's name of its preset, if any have."""
    found = [each["contender"] for each in column]
    if not any(each.server for each in plan.contenders):  # of others, whose presets are not Dyno's
        return found[0]
    today = Catalog().preset_name(found[0]["engine"], found[0]["preset"])
    contender = next((each for each in found if each["preset"] == today), found[0])
    return {**contender, "preset": today}


def relate_columns(history: History, columns: Sequence[Column], rounds: ColumnsByRound) -> None:
    """Set whether columns alternate, and else how their machines vary."""
    base = columns[rounds.base]
    for column, pairs in zip(columns, rounds.pairs, strict=True):
        column.by_round = bool(pairs)
        column.across = "" if column is base or pairs else measured_apart_by(base, column)
    if any(column.across for column in columns):
        for column in columns:
            column.runs_already = latest_fact(history, column.id, "existing_server") is not None
            server = column.contender_key if column.runs_already else ""
            column.canaries = canary_results(history, column.machine_key, server)


def _seconds(started_at: str | None) -> float | None:
    return None if started_at is None else datetime.fromisoformat(started_at).timestamp()
