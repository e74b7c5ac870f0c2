"""What a run of writes has cost, from its first step to the end of the settle step behind it."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.sampling.reading import Reading
from app.agent.sampling.write_accounting import WriteAccounting, fixed_row_width
from app.protocol.plan import Step
from tests import journals
from tests.servers import Answers

STEPS = [
    Step("load", "load", writes=True),
    Step("index", "index", writes=True),
    Step("a", "drive", writes=True),
    Step("b", "drive", coordinates={"threads": 2}, writes=True),
    Step("read", "drive"),
]


def ledger() -> WriteAccounting:
    return WriteAccounting(journals.plan(its_steps=STEPS))


def reading(server_kb: float, disk_kb: float, pid: int = 1) -> Reading:
    return Reading(0.0, {"server_write_kb": server_kb, "disk_write_kb": disk_kb}, {"server": pid})


def test_a_role_that_writes_makes_its_step_part_of_the_run() -> None:
    roles = [Step("qr", "drive", role="reader"), Step("qr.w", "drive", role="w", beside=True, writes=True)]
    kept = WriteAccounting(journals.plan(its_steps=roles))
    kept.begin_step(0, reading(100, 1000))
    kept.count_rows({"inserted": 1000})
    found = kept.close(reading(300, 9000), reading(300, 9000), 100)
    assert (found["steps"], found["rows"], found["run_written_bytes"]) == (["qr"], 1000, 200 * 1024)


def test_the_load_keeps_what_its_index_cost_too() -> None:
    kept = ledger()
    kept.begin_step(0, reading(100, 1000))
    kept.count_rows({"inserted": 1000, "deleted": 5, "read": 7})
    kept.begin_step(4, reading(300, 3000))  # it reads: what is written meanwhile is still of the load
    kept.begin_step(1, reading(400, 5000))
    found = kept.close(reading(900, 9000), reading(1100, 9100), 100)
    assert found == {
        "written_bytes": 200 * 1024,
        "device_bytes": 100 * 1024,
        "steps": ["load", "index"],
        "cause": 0,
        "run_written_bytes": 1000 * 1024,
        "run_written_by": "server",
        "rows": 1000,
        "row_bytes": 100,
        "write_amplification": 10.24,
    }


def test_a_run_of_writes_is_kept_with_its_last_step_and_begins_anew() -> None:
    kept = ledger()
    kept.begin_step(2, reading(0, 0))
    kept.count_rows({"updated": 10})
    kept.begin_step(3, reading(1, 1))
    assert kept.close(reading(2, 2), reading(3, 3), None)["cause"] == 3
    assert "steps" not in kept.close(reading(4, 4), reading(5, 5), 100)
    kept.begin_step(3, reading(6, 6))
    kept.count_rows({"updated": 3})
    again = kept.close(reading(8, 8), reading(9, 9), 1024)
    assert (again["steps"], again["rows"], again["write_amplification"]) == (["b threads=2"], 3, 1.0)


def test_a_load_that_makes_its_tables_anew_begins_at_nought() -> None:
    kept = ledger()
    kept.begin_load(Step("load", "load", workload="load"))
    kept.count_rows({"inserted": 10, "deleted": 3})
    assert kept.rows_in_tables == 7
    kept.begin_load(Step("more", "load", workload="load", options={"rows_before": 10}))
    kept.begin_load(Step("texts", "load", workload="text-load"))
    kept.begin_load(STEPS[2])
    assert kept.rows_in_tables == 7
    kept.begin_load(Step("again", "load", workload="load"))
    assert kept.rows_in_tables == 0


def test_rows_of_unknown_width_have_no_amplification() -> None:
    kept = ledger()
    kept.begin_step(2, reading(0, 0))
    kept.count_rows({"updated": 10})
    assert kept.close(reading(2, 2), reading(3, 3), None)["write_amplification"] is None


def test_nothing_written_has_no_amplification() -> None:
    kept = ledger()
    kept.begin_step(1, reading(0, 0))
    assert kept.close(reading(2, 2), reading(3, 3), 188)["write_amplification"] is None


def test_a_server_that_was_started_anew_leaves_the_count_to_the_device() -> None:
    kept = ledger()
    kept.begin_step(2, reading(500, 10, pid=1))
    kept.count_rows({"updated": 1})
    found = kept.close(reading(0, 20, pid=2), reading(5, 30, pid=2), 1024)
    assert (found["run_written_by"], found["run_written_bytes"]) == ("device", 20 * 1024)
    assert found["written_bytes"] == 5 * 1024


def column(kind: str, bytes_: Any = None, characters: Any = None, table: str = "sbtest1") -> dict[str, Any]:
    return {"t": table, "type": kind, "bytes": bytes_, "characters": characters}


CLASSIC = [column("int"), column("int"), column("char", 120, 120), column("char", 60, 60)]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (CLASSIC, 188),
        ([*CLASSIC, *({**each, "t": "sbtest2"} for each in CLASSIC)], 188),
        ([*CLASSIC, column("int", table="sbtest2")], None),
        ([column("int"), column("text", 65535, 65535)], None),
        ([column("char", 240, 60)], None),
        ([], None),
    ],
)
def test_a_row_is_as_wide_as_its_columns(columns: list[dict[str, Any]], expected: int | None) -> None:
    assert fixed_row_width(Answers({"COLUMNS": columns})) == expected
