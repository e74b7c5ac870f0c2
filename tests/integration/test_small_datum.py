"""The workloads of the small server studies do what they say: told by the server's own counters and log."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from tests.integration.generated import ENGINES, ROWS, TABLES, Server, Work, drive, fill, logged, shipped

EVENTS = 200
HANDLERS = ("handler_write", "handler_update", "handler_delete", "handler_read_key")
SCANNED = ("handler_read_first", "handler_read_rnd_next", "handler_read_next")
COMMANDS = ("com_begin", "com_commit", "com_stmt_execute")


class Seen:
    """A workload carried out, with what the server counted meanwhile."""

    def __init__(self, server: Server, work: Work) -> None:
        names = (*HANDLERS, *SCANNED, *COMMANDS)
        self.rows_before = server.count_rows()
        alone, before = server.counters(*names), server.counters(*names)
        outcome = drive(server, work)
        after = server.counters(*names)
        assert outcome.code == 0, outcome.said
        self.total = outcome.total
        self.rows: dict[str, int] = self.total["rows"]
        # asking for the counters reads rows too
        self.counted = {name: after[name] - before[name] - (before[name] - alone[name]) for name in names}
        self.rows_after = server.count_rows()


# writes


@pytest.mark.parametrize("points", [10, 100])
def test_update_inlist_changes_so_many_rows(server: Server, filled: str, points: int) -> None:
    work = shipped("update-inlist", filled, threads=1, seed=points, events=EVENTS, options={"points": points})
    seen = Seen(server, work)
    # keys are drawn one by one: the same one twice in a statement is one row
    expected = EVENTS * ROWS * (1 - (1 - 1 / ROWS) ** points)
    assert seen.total["events"] == EVENTS
    assert seen.rows["updated"] == seen.counted["handler_update"]
    assert 0.98 * expected < seen.rows["updated"] <= EVENTS * points
    assert seen.counted["handler_read_key"] == pytest.approx(seen.rows["updated"], rel=0.02)
    assert seen.rows_after == seen.rows_before


def test_update_one_changes_the_first_row_of_each_table(server: Server, filled: str) -> None:
    def texts(where: str) -> list[Any]:
        select = f"SELECT BIT_XOR(CRC32(c)) FROM dyno.sbtest%d WHERE {where}"
        return [server.query(select % i)[0][0] for i in range(1, TABLES + 1)]

    first, others = texts("id = 1"), texts("id > 1")
    seen = Seen(server, shipped("update-one", filled, events=EVENTS, seed=77))
    assert seen.rows["updated"] == seen.counted["handler_update"] == EVENTS
    assert texts("id > 1") == others
    assert all(was != now for was, now in zip(first, texts("id = 1"), strict=True))


@pytest.mark.parametrize(
    ("name", "commits", "statements"), [("delete", EVENTS, 4), ("delete-autocommit", 0, 2)]
)
def test_what_is_deleted_is_inserted_again(
    server: Server, filled: str, name: str, commits: int, statements: int
) -> None:
    seen = Seen(server, shipped(name, filled, threads=1, events=EVENTS))
    assert seen.counted["com_begin"] == seen.counted["com_commit"] == commits
    assert seen.counted["com_stmt_execute"] == EVENTS * statements
    assert seen.counted["handler_delete"] == seen.counted["handler_write"] == EVENTS
    assert seen.rows["deleted"] == seen.rows["inserted"] == EVENTS
    assert seen.rows_after == seen.rows_before == TABLES * ROWS


@pytest.mark.parametrize("name", ["delete", "delete-autocommit"])
def test_rows_stay_where_clients_delete_the_same_ones(server: Server, name: str) -> None:
    for engine in ENGINES:
        fill(server, engine, rows=5, tables=1)
        total = drive(server, shipped(name, engine, threads=8, events=2000, tables=1, rows=5)).total
        assert total["events"] == 2000
        assert server.count_rows(1) == 5, engine
        assert total["rows"]["deleted"] == total["rows"]["inserted"]


def test_delete_only_takes_rows_away(server: Server, filled: str) -> None:
    seen = Seen(server, shipped("delete-only", filled, events=1000))
    expected = TABLES * ROWS * (1 - (1 - 1 / (TABLES * ROWS)) ** 1000)
    assert seen.rows["deleted"] == seen.counted["handler_delete"]
    assert seen.rows_before - seen.rows_after == seen.rows["deleted"]
    assert expected * 0.97 < seen.rows["deleted"] < 1000
    assert seen.counted["com_stmt_execute"] == 1000
    fill(server, filled)


# reads


def test_random_points_reads_rows_all_over_the_table(server: Server, filled: str) -> None:
    seen = Seen(server, shipped("random-points", filled, events=EVENTS))
    expected = EVENTS * ROWS * (1 - (1 - 1 / ROWS) ** 100)
    assert 0.99 * expected < seen.rows["read"] < 1.01 * expected
    assert seen.counted["handler_read_key"] == seen.rows["read"]
    for points in (1, 10, 1000):
        work = shipped("random-points", filled, events=20, options={"points": points})
        assert 20 * points * 0.8 < drive(server, work).total["rows"]["read"] <= 20 * points


def test_hot_points_reads_the_same_rows(server: Server, filled: str) -> None:
    outcome, log = logged(server, shipped("hot-points", filled, events=50))
    assert outcome.total["rows"]["read"] == 50 * 100
    asked = set(re.findall(r"Execute\tSELECT c FROM sbtest\d WHERE id IN \(([\d,]+)\)", log))
    middle = ROWS // 2
    assert asked == {",".join(str(middle + i) for i in range(1, 101))}


COVERED = [
    (f"{kind}-{word}-{key}", column, word == "covered")
    for kind in ("points", "range")
    for word in ("covered", "notcovered")
    for key, column in (("pk", "id"), ("si", "k"))
]


@pytest.mark.parametrize(("name", "column", "is_covered"), COVERED)
def test_covered_reads_touch_no_other_column(
    server: Server, filled: str, name: str, column: str, is_covered: bool
) -> None:
    work = shipped(name, filled, events=100, rows=ROWS - 100, threads=1)
    outcome, log = logged(server, work)
    statements = re.findall(r"Execute\t(SELECT .*)", log)
    assert len(statements) == 100
    assert all(f" WHERE {column} " in statement for statement in statements)
    columns = column if is_covered else f"{column}, c"
    assert {statement.partition(" FROM")[0] for statement in statements} == {f"SELECT {columns}"}
    check_rows(outcome.total["rows"]["read"] / 100, name)
    verdict_legend = server.query("USE dyno", "EXPLAIN " + statements[0])[0]
    if is_covered and filled != "myisam" and column == "k":
        assert "Using index" in verdict_legend[-1], verdict_legend


def check_rows(each: float, name: str) -> None:
    """A primary key is one row; a value of column k is one on average."""
    if name == "points-covered-pk" or name == "points-notcovered-pk":
        assert 95 < each <= 100
    elif name.startswith("range") and name.endswith("pk"):
        assert each == 100
    else:
        assert 85 < each < 115


def test_ranges_have_so_many_keys(server: Server, filled: str) -> None:
    work = shipped("range-notcovered-pk", filled, events=50, rows=ROWS - 300, options={"range_size": 250})
    assert drive(server, work).total["rows"]["read"] == 50 * 250


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("read-only-simple", 1010),
        ("read-only-sum", 11),
        ("read-only-order", 1010),
        ("read-only-distinct", 1010),
    ],
)
def test_read_only_of_one_kind_of_range(server: Server, filled: str, name: str, rows: int) -> None:
    seen = Seen(server, shipped(name, filled, events=30, rows=ROWS - 1000))
    assert seen.total["reads"] == 30 * 11
    assert seen.counted["com_begin"] == seen.counted["com_commit"] == 30
    assert seen.counted["com_stmt_execute"] == 30 * 13
    assert seen.rows["read"] == 30 * rows


def test_read_only_count_counts_a_range(server: Server, filled: str) -> None:
    outcome, log = logged(server, shipped("read-only-count", filled, events=20))
    assert (outcome.total["reads"], outcome.total["other"]) == (20, 0)
    found = re.findall(r"Execute\tSELECT COUNT\(c\) FROM sbtest\d WHERE id BETWEEN (\d+) AND (\d+)", log)
    assert [int(last) - int(first) for first, last in found] == [999] * 20


@pytest.mark.parametrize("name", ["scan", "scan-count"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_a_scan_reads_every_row_once(server: Server, filled: str, name: str, threads: int) -> None:
    seen = Seen(server, shipped(name, filled, threads=threads))
    assert (seen.total["events"], seen.total["reads"]) == (TABLES, TABLES)
    assert seen.rows["read"] == TABLES * ROWS
    read = seen.counted["handler_read_rnd_next"] + seen.counted["handler_read_next"]
    assert TABLES * ROWS <= read <= TABLES * (ROWS + 1)


# keys


def keys_changed(server: Server, name: str, rows: int, **options: Any) -> Counter[int]:
    work = shipped(name, "innodb", events=4000, tables=1, rows=rows, options=options)
    _, log = logged(server, work)
    keys = re.findall(r"UPDATE sbtest1 SET c=.* WHERE id=(\d+)", log)
    assert len(keys) == 4000
    return Counter(map(int, keys))


def test_special_keys_come_from_the_middle(server: Server) -> None:
    """Three quarters from one hundredth of the rows, the others by a bell around the middle."""
    fill(server, "innodb", tables=1)
    keys = keys_changed(server, "update-nonindex-special", ROWS)
    special = sum(count for key, count in keys.items() if abs(key - ROWS / 2) <= ROWS / 200 + 1)
    assert 0.72 < special / 4000 < 0.82
    assert min(keys) >= 1 and max(keys) <= ROWS


@pytest.mark.parametrize("exponent", [0.8, 1.0, 1.5])
def test_zipfian_keys_are_as_often_as_the_law_says(server: Server, exponent: float) -> None:
    fill(server, "innodb", tables=1)
    keys = keys_changed(server, "update-nonindex-zipfian", ROWS, zipf_exponent=exponent)
    weights = [key**-exponent for key in range(1, ROWS + 1)]
    bounds = [0, 1, 2, 5, 20, 100, 500, ROWS]
    deviation = 0.0
    for low, high in pairwise(bounds):
        expected = 4000 * sum(weights[low:high]) / sum(weights)
        deviation += (sum(keys[key] for key in range(low + 1, high + 1)) - expected) ** 2 / expected
    assert deviation < 22.5  # chi-squared of six degrees: one in a thousand, and the seed is fixed
