"""What settle steps measured for the steps before them."""

from __future__ import annotations

from typing import Any, TypedDict

from app.history.store.damage import unpack_json
from app.history.store.history import History
from app.protocol.events import StepEnded
from app.protocol.reading import read_field
from app.protocol.step_parts import SettleAfterRun


class SettleEntry(TypedDict):
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


def settle_results(history: History, session: str) -> dict[int, SettleEntry]:
    """What settle steps measured, by the position of the step they belong to."""
    rows = history.query(
        "SELECT result.ended, data_bytes FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number"
        " WHERE id = ? AND kind = 'settle' AND step.state = 'completed'",
        (session,),
    )
    found: dict[int, SettleEntry] = {}
    for packed, data_bytes in rows:
        ended = unpack_json(packed)
        said = read_field(StepEnded, "settled", ended.get("settled", {}))
        if isinstance(said, SettleAfterRun):
            found[said.cause] = _entry(said, ended.get("rows", {}).get("in_tables"), data_bytes)
    return found


def _entry(said: SettleAfterRun, rows: float | None, data_bytes: float | None) -> Any:
    entry = {name: value for name, value in said.to_json().items() if name != "cause"}
    of_rows = rows * said.row_bytes if rows and said.row_bytes else None
    amplification = round(data_bytes / of_rows, 3) if data_bytes and of_rows else None
    return {**entry, "space_amplification": amplification}
