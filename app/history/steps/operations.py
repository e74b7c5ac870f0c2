"""What operations did to the server and the roles beside them: as the journal has it, and in words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from app.core.units import bytes_text, count_text, figure_text
from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.plan import OPERATIONS
from app.protocol.reading import read
from app.protocol.step_parts import OperationResult

_ENDED = (
    "SELECT position, result.ended FROM result JOIN step ON result.step = step.number"
    " JOIN session ON step.session = session.number"
    " WHERE id = ? AND ended IS NOT NULL AND kind IN (SELECT value FROM json_each(?))"
)


def operations_of_session(history: History, session: str) -> dict[int, dict[str, Any]]:
    """The `OperationResult` of each operation, by its place in the sequence."""
    rows = history.query(_ENDED, (session, json.dumps(OPERATIONS)))
    ended = {position: unpack_json(packed).get("operation") for position, packed in rows}
    return {position: said for position, said in ended.items() if said}


def operation_figures(said: Mapping[str, Any] | None) -> Iterator[tuple[str, float]]:
    """`operation.first_answer_s`, `operation.back_s.50`: the numbers that are known, as JSON calls them."""
    flat = vars(read(OperationResult, said)) if said else {}
    for name, value in flat.items():
        values = {f".{key}": each for key, each in value.items()} if isinstance(value, dict) else {"": value}
        for key, each in values.items():
            if isinstance(each, (int, float)) and not isinstance(each, bool):
                yield f"operation.{name}{key}", float(each)


def operation_text(said: Mapping[str, Any] | None) -> str:
    """`answers after 4.21 s, 50% of 1,420 events/s after 6 s, 95% not reached; ledger: …`; or ''."""
    if not said:
        return ""
    its = read(OperationResult, said)
    parts = [_way_back_text(its), ledger_text(its), phases_text(its), *_of_tables(its)]
    return "; ".join(filter(None, parts))


def _way_back_text(its: OperationResult) -> str:
    parts = [
        "" if its.first_answer_s is None else f"answers after {figure_text(its.first_answer_s)} s",
        "" if its.seconds is None else f"took {figure_text(its.seconds)} s",
        *_shares_back(its),
        "" if its.kept_pct is None else f"kept {figure_text(its.kept_pct)}% of its rate",
        "" if its.stall_s is None else f"longest without an answer {figure_text(its.stall_s)} s",
    ]
    return ", ".join(filter(None, parts))


def _shares_back(its: OperationResult) -> Iterator[str]:
    """When its role was back at each share of the rate before."""
    of_rate = "" if its.before is None else f" of {figure_text(its.before)} events/s"
    for share, seconds in its.back_s.items():
        yield f"{share}%{of_rate} " + (
            "not reached" if seconds is None else f"after {figure_text(seconds)} s"
        )
        of_rate = ""


def ledger_text(its: OperationResult) -> str:
    """`ledger: 312 of 45,120 answered commits are gone, 2 without an answer`; '' without a ledger."""
    if its.acknowledged is None or its.missing is None:
        return ""
    wrong = ((its.returned, "deleted row", "came back"), (its.unsent, "row", "that nobody sent"))
    parts = [
        f"{its.missing:,} of {count_text(its.acknowledged, 'answered commit')}"
        + (" is gone" if its.missing == 1 else " are gone"),
        *(f"{count_text(number, noun)} {what}" for number, noun, what in wrong if number),
        f"{its.unanswered:,} without an answer" if its.unanswered else "",
    ]
    return "ledger: " + ", ".join(filter(None, parts))


def phases_text(its: OperationResult) -> str:
    """`phases: redo 2.1 s, roll back 0.4 s`."""
    parts = [f"{name} {figure_text(seconds)} s" for name, seconds in its.phases.items() if seconds]
    return "phases: " + ", ".join(parts) if parts else ""


def _of_tables(its: OperationResult) -> Iterator[str]:
    yield f"algorithm {its.algorithm}" if its.algorithm else ""
    yield f"by {its.tool}" if its.tool else ""
    yield f"the last {figure_text(its.alone_s)} s of it after the roles had ended" if its.alone_s else ""
    if its.size_before is not None and its.size_after is not None:
        yield f"tables {bytes_text(int(its.size_before))} before, {bytes_text(int(its.size_after))} after"
    yield _backup_text(its)
    yield "data on a file system in a loop file" if its.on_loop else ""


def _backup_text(its: OperationResult) -> str:
    """`90.0 MiB of tables, 146 MiB of backup; restored: …`; '' without a backup."""
    sizes = (
        f"{bytes_text(int(its.size_before))} of tables, {bytes_text(int(its.backup_bytes))} of backup"
        if its.size_before is not None and its.backup_bytes is not None
        else ""
    )
    return "; ".join(filter(None, (sizes, restored_text(its))))


def restored_text(its: OperationResult) -> str:
    """What was compared of a restored backup; '' where nothing was."""
    if its.restored is None:
        return ""
    if not its.restored:
        return "it restores OTHER ROWS"
    counted = f"the row counts of {count_text(its.tables_counted or 0, 'table')}"
    return f"restored: equal are {counted}, the checksums of {its.tables_summed or 0}"
