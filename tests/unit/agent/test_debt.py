"""What a server still has to write, as it tells itself, and when it is too much for reads."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.server.debt import debt_of, debt_text, is_indebted, read_debt
from tests.servers import Answers

ENGINE_TEXT = """\
Log sequence number 5000
Last checkpoint at  2000
History list length 77
"""


def test_an_old_innodb_tells_pages_and_its_page_size() -> None:
    server = Answers(
        {
            "GLOBAL STATUS": {
                "innodb_buffer_pool_pages_dirty": "10",
                "innodb_page_size": "16384",
                "innodb_data_pending_writes": "1",
                "innodb_os_log_pending_writes": "2",
            },
            "ENGINE INNODB": [{"status": ENGINE_TEXT}],
        }
    )
    assert debt_of(server, "innodb") == {
        "dirty_pages": 10,
        "dirty_bytes": 163840,
        "history_list": 77,
        "pending_writes": 3,
        "checkpoint_age_bytes": 3000,
    }


def test_mariadb_tells_its_history_list_as_a_status() -> None:
    status = {"innodb_buffer_pool_pages_dirty": "0", "innodb_history_list_length": "5"}
    found = debt_of(Answers({"GLOBAL STATUS": status, "ENGINE INNODB": [{"status": ""}]}), "innodb")
    assert found == {"dirty_pages": 0, "history_list": 5, "pending_writes": 0}


CFSTATS = [
    {"stat_type": "COMPACTION_PENDING", "value": 1},
    {"stat_type": "COMPACTION_PENDING", "value": 1},
    {"stat_type": "CUR_SIZE_ALL_MEM_TABLES", "value": 4096},
]


@pytest.mark.parametrize(
    ("answers", "more"),
    [
        ({}, {}),
        ({"_manual_": {"rocksdb_manual_compactions_running": "2"}}, {"manual_compactions": 2}),
        ({"SHOW TABLES": [{"t": "x"}], "ACTIVE_COMPACTION": [{"n": 3}]}, {"active_compactions": 3}),
    ],
)
def test_a_rocksdb_is_asked_for_what_it_has(answers: dict[str, Any], more: dict[str, int]) -> None:
    server = Answers({"SHOW TABLES": [], "CFSTATS": CFSTATS, "_manual_": {}, **answers})
    assert debt_of(server, "rocksdb") == {
        "compaction_pending": 2,
        "mem_table_flush_pending": 0,
        "num_immutable_mem_table": 0,
        "memtable_bytes": 4096,
        **more,
    }


def test_who_does_not_answer_has_no_debt_that_is_known() -> None:
    assert read_debt(Answers({}), "innodb") == {}
    assert debt_of(Answers({}), "archive") == {}


@pytest.mark.parametrize(
    ("debt", "expected"),
    [
        ({}, False),
        ({"dirty_bytes": 32 << 20, "history_list": 10_000, "memtable_bytes": 1 << 30}, False),
        ({"dirty_bytes": (32 << 20) + 1}, True),
        ({"history_list": 10_001}, True),
        ({"compaction_pending": 1}, True),
        ({"active_compactions": 1}, True),
        ({"unflushed_key_blocks": 32769}, True),
    ],
)
def test_reads_are_disturbed_above_a_limit(debt: dict[str, int], expected: bool) -> None:
    assert is_indebted(debt) is expected


def test_debt_is_said_without_what_is_nought() -> None:
    assert debt_text({"dirty_pages": 1234, "history_list": 56, "pending_writes": 0, "dirty_bytes": 9}) == (
        "1,234 dirty pages, 56 transactions to purge"
    )
    assert debt_text({}) == ""
