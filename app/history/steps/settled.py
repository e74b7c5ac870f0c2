"""What settle steps measured for the steps before them."""

from __future__ import annotations

from typing import Any, TypedDict

from app.history.store.damage import unpack_json
from app.history.store.history import History


class SettledEntry(TypedDict):
    """What a settle step measured for the steps before it; unknown bytes and ratios are null."""

    seconds: float
    waited_for: dict[str, int]  # seconds, by what was waited for
    capped: bool
    left: list[str]  # what it was still waiting for when it ended
    written_bytes: int | None  # by the server, while it settled
    device_bytes: int | None  # on the device of the data in that time, by all programs
    steps: list[str]  # those that wrote since the settle step before
    run_written_bytes: int | None  # from their beginning to the end of settling
    run_written_by: str  # server, or device where the server was started anew in between
    rows: int  # that they inserted or rewrote
    row_bytes: int | None  # of a row: the sum of its column widths, if all are fixed
    write_amplification: float | None
    space_amplification: float | None  # bytes of the tables to those of the rows in them, when it ended


def settled_steps(history: History, session: str) -> dict[int, SettledEntry]:
    """What settle steps measured, by the position of the step they belong to."""
    rows = history.query(
        "SELECT result.ended, data_bytes FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number"
        " WHERE id = ? AND kind = 'settle' AND step.state = 'completed'",
        (session,),
    )
    said = [_said(unpack_json(ended), data_bytes) for ended, data_bytes in rows]
    return {each.pop("cause"): each for each in said if "cause" in each}


def _said(ended: dict[str, Any], data_bytes: float | None) -> Any:
    settled, rows = ended.get("settled", {}), ended.get("rows", {}).get("in_tables")
    of_rows = rows * settled["row_bytes"] if rows and settled.get("row_bytes") else None
    amplification = round(data_bytes / of_rows, 3) if data_bytes and of_rows else None
    return {**settled, "space_amplification": amplification}
