"""What to know of columns before they are believed: other work or machines, sessions that did not end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.comparison.cells.cell import OTHER_PLAN, Caveat
from app.engines import engine_of
from app.history.lists.sessions import SessionEntry
from app.history.steps.figures import plan_of
from app.history.steps.remarks import was_busy
from app.history.steps.step_text import BUSY
from app.history.store.history import History
from app.protocol.plan import Plan
from app.stats import VerdictLimits

from .differences import work_differences

Column = Sequence[SessionEntry]
REPEATS = "all sessions are repeats of the same contender: they differ by noise, or because the machine did"


def warnings_of_columns(
    history: History, columns: Sequence[Column], base: int, other_work: Sequence[str]
) -> list[Caveat]:
    return [*_unlike(columns, base, other_work), *_busy(history, columns), *_unfinished(columns)]


def other_work_texts(history: History, columns: Sequence[Column], base: int) -> list[str]:
    """How the plan of each column differs from that of the base; '' where it has the same work."""
    first = columns[base][0]
    return [
        ""
        if column[0]["work_key"] == first["work_key"]
        else work_differences(plan_of(history, first["id"]), plan_of(history, column[0]["id"]))
        for column in columns
    ]


def _unlike(columns: Sequence[Column], base: int, other_work: Sequence[str]) -> list[Caveat]:
    """Why these columns cannot be compared as they are."""
    first = columns[base][0]["name"]
    warnings = [
        Caveat(
            f"different work: {column[0]['name']} against {first}: {what}",
            OTHER_PLAN,
            reason=f"different work: {what}",
        )
        for column, what in zip(columns, other_work, strict=True)
        if what
    ]
    machines = {column[0]["machine_key"]: column[0]["target"] for column in columns}
    if len(machines) > 1:
        names = list(dict.fromkeys(machines.values()))
        changed = " (its CPU, memory or disk is another one now)" if len(names) < len(machines) else ""
        warnings.append(Caveat(f"different machines: {', '.join(names)}{changed}"))
    keys = {(each["contender_key"], each["work_key"]) for column in columns for each in column}
    if len(columns) > 1 and len(keys) == 1 and len(machines) == 1:
        warnings.append(Caveat(REPEATS))
    return warnings


def _of_session(entry: SessionEntry, cause: str) -> Caveat:
    return Caveat(f"session {entry['name']}: {cause}", cause=cause)


def _busy(history: History, columns: Sequence[Column]) -> list[Caveat]:
    return [_of_session(each, BUSY) for column in columns for each in column if was_busy(history, each["id"])]


def _unfinished(columns: Sequence[Column]) -> list[Caveat]:
    return [
        _of_session(each, f"{each['state']}{_why(each)}")
        for column in columns
        for each in column
        if each["state"] != "completed"
    ]


def _why(entry: SessionEntry) -> str:
    return f" ({entry['reason']})" if entry["reason"] else ""


def warnings_of_limits(own: VerdictLimits | None, limits: VerdictLimits | None) -> list[Caveat]:
    """A warning if the given limits differ from those of a plan until decided."""
    if own is None or limits in (None, own):
        return []
    text = f"judged by the limits of its plan until decided ({_said(own)}), not by {_said(limits)}"
    return [Caveat(text)]


def _said(limits: VerdictLimits) -> str:
    least, most = 100 * limits.matters, 100 * limits.false_share
    return f"differences of {least:g}% or more, at most {most:g}% of them false"


OF_COUNTS = "instructions are work, not speed: waits, caches, contention and I/O are not in them"


OF_WRITES = "purge waits while writes of {} are counted: no figure has its work"


def warnings_of_counts(plans: Iterable[Plan]) -> Iterator[Caveat]:
    """What counted steps leave out, always."""
    counted = [plan for plan in plans if plan.counts]
    if counted:
        yield Caveat(OF_COUNTS)
    writing = [plan for plan in counted if any(step.counts_writes for step in plan.steps)]
    engines = [engine_of(each.engine) for plan in writing for each in plan.contenders]
    yield from (Caveat(OF_WRITES.format(each.title)) for each in dict.fromkeys(engines) if each.read_views)
