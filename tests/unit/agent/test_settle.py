"""A settle step: what it forces and puts back, what it waits for, and when it no longer does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.agent.sampling.reading import Reading
from app.agent.steps.settle_step import DEVICE_S, Settling
from tests.servers import Answers

CALM = {"innodb_buffer_pool_pages_dirty": "3", "innodb_history_list_length": "4"}
VARIABLES = {
    "innodb_max_dirty_pages_pct": "75",
    "innodb_max_dirty_pages_pct_lwm": "10",
    "innodb_io_capacity": "200",
    "innodb_io_capacity_max": "2000",
}


def server(**status: str) -> Answers:
    return Answers(
        {
            "GLOBAL VARIABLES": dict(VARIABLES),
            "GLOBAL STATUS": {**CALM, **status},
            "ENGINE INNODB": [{"status": ""}],
        }
    )


def looks(settling: Settling, count: int, server_kb: float = 0, device_kb: float = 0) -> list[bool]:
    """A second after the other, each with so much written."""
    found = []
    for second in range(count):
        counters = {"server_write_kb": server_kb * second, "disk_write_kb": device_kb * second}
        found.append(settling.is_over(Reading(float(second), counters, {"server": 1})))
        if settling._sync is not None:
            settling._sync.wait()
    return found


def test_a_server_that_has_written_all_is_settled_at_once(tmp_path: Path) -> None:
    settling = Settling(server(), "innodb", str(tmp_path))
    settling.begin()
    assert looks(settling, 3)[-1]
    assert set(settling.waited_for) <= {"files"}


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ({"innodb_buffer_pool_pages_dirty": "129"}, "dirty pages"),
        ({"innodb_history_list_length": "5001"}, "purge"),
        ({"innodb_data_pending_writes": "1"}, "writes under way"),
    ],
)
def test_what_is_left_is_waited_for(tmp_path: Path, status: dict[str, str], name: str) -> None:
    settling = Settling(server(**status), "innodb", str(tmp_path))
    assert looks(settling, 4) == [False] * 4
    assert settling.waited_for == {name: 4}
    assert settling.unpaid == [name]


def test_a_history_list_that_rests_is_purged_as_far_as_it_will_be(tmp_path: Path) -> None:
    settling = Settling(server(innodb_history_list_length="3107"), "innodb", str(tmp_path))
    assert looks(settling, 4)[-1]
    assert settling.waited_for["purge"] == 2


def test_others_on_the_device_are_waited_for_a_while_and_no_longer(tmp_path: Path) -> None:
    settling = Settling(server(), "innodb", str(tmp_path))
    found = looks(settling, DEVICE_S + 4, device_kb=50_000)
    assert found[-1]
    assert settling.waited_for["device"] == DEVICE_S


def test_a_server_that_writes_by_itself_is_waited_for_to_the_end(tmp_path: Path) -> None:
    settling = Settling(server(), "innodb", str(tmp_path))
    assert not any(looks(settling, 30, server_kb=50_000)[1:])
    assert settling.unpaid == ["writes of the server"]


def test_no_answer_is_no_sign_that_all_is_written(tmp_path: Path) -> None:
    settling = Settling(Answers({}), "innodb", str(tmp_path))
    assert looks(settling, 2) == [False, False]
    assert settling.text == "an answer of the server"


def test_what_was_forced_is_put_back_in_the_reverse_order(tmp_path: Path) -> None:
    asked = server()
    settling = Settling(asked, "innodb", str(tmp_path))
    settling.begin()
    forced = list(asked.told)
    assert forced == [
        "SET GLOBAL innodb_max_dirty_pages_pct_lwm=0",
        "SET GLOBAL innodb_max_dirty_pages_pct=0",
        "SET GLOBAL innodb_io_capacity=2000",
    ]
    assert settling.end() == []
    assert asked.told[len(forced) :] == [
        "SET GLOBAL innodb_io_capacity=200",
        "SET GLOBAL innodb_max_dirty_pages_pct=75",
        "SET GLOBAL innodb_max_dirty_pages_pct_lwm=10",
    ]
    assert settling.end() == []


def test_a_value_that_was_not_taken_back_is_told(tmp_path: Path) -> None:
    asked = server()
    settling = Settling(asked, "innodb", str(tmp_path))
    settling.begin()
    asked.answers["GLOBAL VARIABLES"] = {**VARIABLES, "innodb_io_capacity": "2000"}
    assert settling.end() == ["innodb_io_capacity"]


def test_an_innodb_before_56_has_one_thing_to_force(tmp_path: Path) -> None:
    asked = server()
    asked.answers["GLOBAL VARIABLES"] = {"innodb_max_dirty_pages_pct": "90"}
    settling = Settling(asked, "innodb", str(tmp_path))
    settling.begin()
    settling.end()
    assert asked.told == [
        "SET GLOBAL innodb_max_dirty_pages_pct=0",
        "SET GLOBAL innodb_max_dirty_pages_pct=90",
    ]


def rocksdb(moved: str = "7", **more: Any) -> Answers:
    rows = [{"stat_type": "COMPACTION_PENDING", "value": 0}]
    more.setdefault("SHOW TABLES", [])
    status = {"_manual_": {}, "%_bytes": {"rocksdb_flush_write_bytes": moved}}
    return Answers({"GLOBAL VARIABLES": {}, **more, "CFSTATS": rows, **status})


def test_a_rocksdb_flushes_and_then_rests(tmp_path: Path) -> None:
    asked = rocksdb()
    settling = Settling(asked, "rocksdb", str(tmp_path))
    settling.begin()
    assert asked.told == [
        "SET GLOBAL rocksdb_force_flush_memtable_now=1",
        "SET GLOBAL rocksdb_compact_lzero_now=1",
    ]
    assert not looks(settling, 1)[0]
    asked.answers["%_bytes"] = {"rocksdb_flush_write_bytes": "9"}
    assert looks(settling, 2) == [False, False]
    assert looks(settling, 4)[-1]


def test_compactions_under_way_are_waited_for(tmp_path: Path) -> None:
    settling = Settling(
        rocksdb(**{"SHOW TABLES": [{}], "ACTIVE_COMPACTION": [{"n": 1}]}), "rocksdb", str(tmp_path)
    )
    assert not any(looks(settling, 5))
    assert settling.unpaid == ["compaction"]


def test_myisam_gives_its_key_blocks_only_where_it_has_some(tmp_path: Path) -> None:
    for count, told in (("0", []), ("8", ["FLUSH TABLES"])):
        asked = Answers({"GLOBAL VARIABLES": {}, "Key_blocks": {"key_blocks_not_flushed": count}})
        settling = Settling(asked, "myisam", str(tmp_path))
        settling.begin()
        assert asked.told == told
        assert looks(settling, 3)[-1] == (count == "0")
