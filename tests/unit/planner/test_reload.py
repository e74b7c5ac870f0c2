"""Plans that load more than once: before the points of a sweep, and in increments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.protocol.plan import Plan
from tests.plans import plan, survey, write

SEQUENCE = """\
name = "mine"
title = "Mine"

[[step]]
name = "load"
workload = "tencent-load"
settle_after = true

[[step]]
name = "write"
workload = "tencent-write"
events = 100
reload = "each"

[[step]]
name = "read"
workload = "tencent-read"
reload = "once"
"""


def resolved(home: Path, text: str, **options: Any) -> Plan:
    write(home / "sequences/mine.toml", text)
    return plan(sequence="mine", **{"rows": 1000, "threads": [10, 20], **options})


def refused(home: Path, text: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        resolved(home, text, **options)
    return str(caught.value)


def test_each_point_of_the_writes_begins_with_a_load(dyno_home: Path) -> None:
    found = resolved(dyno_home, SEQUENCE)
    assert [(step.name, step.coordinates.get("threads")) for step in found.steps] == [
        ("load", None), ("settle.load", None), ("write", 10),
        ("load.write", 20), ("settle.load.write", 20), ("write", 20),
        ("load.read", 10), ("settle.load.read", 10), ("read", 10),
        ("read", 20),
    ]  # fmt: skip
    assert {step.threads for step in found.steps if step.kind == "load"} == {1}
    writes = [step for step in found.steps if step.name == "write"]
    assert {(step.events, step.seconds, step.figure, step.unit) for step in writes} == {
        (100, 0, "latency", "ms")
    }
    assert (found.tables, found.most_clients) == (1, 20)


def test_a_plan_carries_the_sql_and_the_lua_that_is_made_of_it(dyno_home: Path) -> None:
    files = resolved(dyno_home, SEQUENCE).files
    lua = "workloads/tencent-write.made.lua"
    assert {"workloads/tencent.sql", lua, "workloads/dyno-sql.lua"} <= files.keys()
    assert "insert into tmp_sample" in files[lua]


def test_the_tables_of_custom_sql_are_its_own(dyno_home: Path) -> None:
    assert "fills its own 1 tables, not 4" in refused(dyno_home, SEQUENCE, tables=4)
    assert resolved(dyno_home, SEQUENCE, tables=1).tables == 1


def test_a_rate_is_of_every_driven_step(dyno_home: Path) -> None:
    text = SEQUENCE.replace('name = "read"', 'name = "read"\nrate = 50')
    found = resolved(dyno_home, text, rate=(200,))
    assert {(step.name, step.rate) for step in found.steps if step.kind == "drive"} == {
        ("write", 200),
        ("read", 50),
    }


def test_a_load_in_increments_has_a_size_behind_each(dyno_home: Path) -> None:
    text = SEQUENCE[: SEQUENCE.index("settle_after")] + "increments = 4\ncap_s = 9\n"
    found = resolved(dyno_home, text, rows=1001)
    assert [(step.name, step.kind, step.coordinates) for step in found.steps] == [
        (name, kind, {"volume_rows": rows})
        for rows in (250, 500, 750, 1001)
        for name, kind in (("load", "load"), ("size", "settle"))
    ]
    loads = [step for step in found.steps if step.kind == "load"]
    assert [(step.options["rows_before"], step.options["table_size"]) for step in loads] == [
        (0, 250), (250, 500), (500, 750), (750, 1001),
    ]  # fmt: skip
    assert sum(map(found.rows_loaded_by, loads)) == 1001
    sizes = [step for step in found.steps if step.kind == "settle"]
    assert {(step.figure, step.unit, step.cap_s) for step in sizes} == {("size", "bytes", 9)}


def test_the_estimate_knows_the_rows_of_custom_sql(dyno_home: Path) -> None:
    large = resolved(dyno_home, SEQUENCE, rows=1_000_000)
    found = estimate(large, survey())
    assert 800e6 < found.contenders[0].data_bytes < 1000e6
    assert found.guessed_s > 3 * 1_000_000 / 20_000


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('name = "load"', 'name = "load"\nincrements = 4', "reload needs one load step before it"),
        ('reload = "each"', 'reload = "always"', "reload must be one of once, each"),
        (
            'workload = "tencent-load"',
            'workload = "load"\nincrements = 2',
            "increments need a load of custom SQL",
        ),
        ("events = 100", "seconds = 5", "bound it by events"),
    ],
)
def test_a_reload_that_cannot_be_is_refused(dyno_home: Path, old: str, new: str, complaint: str) -> None:
    assert complaint in refused(dyno_home, SEQUENCE.replace(old, new))


def test_a_restarted_start_is_behind_one_load_only(dyno_home: Path) -> None:
    assert "choose the start loaded" in refused(dyno_home, SEQUENCE, start="restarted")


def test_the_bounds_of_the_file_hold_where_the_sequence_says_none(dyno_home: Path) -> None:
    sql = "option\n  loop 77\ndeclare\n  a int 1 2\nbegin\n  select :a;\nend\n"
    write(dyno_home / "workloads/own.sql", sql)
    write(dyno_home / "workloads/own.toml", 'name = "own"\ntitle = "x"\nkind = "drive"\nsql = "own.sql"\n')
    text = SEQUENCE.replace("tencent-read", "own").replace('reload = "once"', "")
    assert [step.events for step in resolved(dyno_home, text).steps if step.name == "read"] == [77, 77]
    sequence = text.replace('name = "read"', 'name = "read"\nseconds = 3')
    assert [step.events for step in resolved(dyno_home, sequence).steps if step.name == "read"] == [0, 0]
    write(dyno_home / "workloads/own.sql", sql.replace("select :a", "drop table t"))
    assert "own.sql: line 6: DROP is not allowed" in refused(dyno_home, text)
