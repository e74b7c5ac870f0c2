"""The ledger: each kind of planted fault is counted as what it is."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest

from app.agent.load.ledger import (
    LedgerClient,
    LedgerCount,
    LedgerError,
    LedgerMemory,
    count_ledger,
    missing_text,
)
from app.protocol.sysbench import LEDGER_BYTES

CLIENT = LedgerClient(sent=10, unanswered=(), deleting=2, deleted=2)
ROWS = list(range(3, 11))
CUT = LedgerClient(sent=10, unanswered=(7,), deleting=3, deleted=2)


@pytest.mark.parametrize(
    ("client", "rows", "found"),
    [
        (CLIENT, ROWS, LedgerCount(acknowledged=10)),
        (CLIENT, ROWS[:-1], LedgerCount(acknowledged=10, missing=1)),  # the last one: no hole
        (CLIENT, [3, 4, 6, 7, 8, 9, 10], LedgerCount(acknowledged=10, missing=1, holes=1)),
        (CLIENT, [], LedgerCount(acknowledged=10, missing=8)),
        (CLIENT, [2, *ROWS], LedgerCount(acknowledged=10, returned=1)),
        (CLIENT, [*ROWS, 11], LedgerCount(acknowledged=10, unsent=1)),
        (CLIENT, [0, -4, *ROWS], LedgerCount(acknowledged=10, unsent=2)),
        (CLIENT, [3, *ROWS], LedgerCount(acknowledged=10, unsent=1)),  # twice
        # without an answer, there or not: both is right
        (CUT, ROWS, LedgerCount(acknowledged=9, unanswered=2)),
        (CUT, [4, 5, 6, 8, 9, 10], LedgerCount(acknowledged=9, unanswered=2)),
        (CUT, [1, 4, 5, 6, 8, 9], LedgerCount(acknowledged=9, missing=1, returned=1, unanswered=2)),
        (LedgerClient(0, (), 0, 0), [], LedgerCount()),
    ],
)
def test_each_fault_is_counted_as_what_it_is(
    client: LedgerClient, rows: list[int], found: LedgerCount
) -> None:
    assert count_ledger([client], {0: rows} if rows else {}) == found


def test_clients_are_added_up_and_rows_of_nobody_are_unsent() -> None:
    whole = count_ledger([CLIENT, CUT], {0: ROWS, 1: ROWS, 2: [1, 2], -1: [5]})
    assert whole == LedgerCount(acknowledged=19, unsent=3, unanswered=2)


def test_what_is_lost_is_said_in_words() -> None:
    assert missing_text(LedgerCount(acknowledged=1204, unanswered=3)) == ""
    found = missing_text(LedgerCount(1204, 3, 0, 1, 2))
    assert found == (
        "3 of 1,204 acknowledged rows are missing, 1 deleted rows came back,"
        " 2 rows are there that no client sent"
    )


def written(clients: int, *words: int) -> LedgerMemory:
    memory = LedgerMemory(clients)
    os.pwrite(memory.fd, struct.pack(f"={len(words)}Q", *words), 0)
    return memory


def test_the_memory_is_read_as_the_clients_write_it() -> None:
    memory = written(2, 9, 8, 4, 3, 2, 5, 6)
    assert memory.read() == [LedgerClient(9, [5, 6, 9], 4, 3), LedgerClient(0, [], 0, 0)]
    memory.close()
    lua = (Path(__file__).parents[3] / "workloads/ledger.lua").read_text()
    assert lua.count("uint64_t") == 4 and "lost[59];" in lua and LEDGER_BYTES == 8 * (5 + 59)


def test_a_client_that_lost_more_than_it_can_note_is_not_counted() -> None:
    memory = written(1, 100, 100, 0, 0, 60)
    with pytest.raises(LedgerError, match="a client lost its connection 60 times"):
        memory.read()
    memory.close()
