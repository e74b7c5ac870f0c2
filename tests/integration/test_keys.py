"""The keys that workloads draw, as they come to the server: which, how often, others with another seed."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.integration.generated import ROWS, TABLES, Server, classic, logged, shipped

EVENTS = 500  # each draws a key at least
CHI_SQUARED = 27.9  # of nine degrees of freedom: one in a thousand, and the seeds are fixed
DRAWN = {
    each.name: each
    for each in classic()
    if each.kind == "drive" and each.options.get("rand_type") == "uniform"
}
FIXED = {"update-one": {1}, "hot-points": {ROWS // 2 + i for i in range(1, 101)}}
LAWFUL = {"update-nonindex-zipfian"}  # its law is looked at in test_small_datum.py
UNIFORM = sorted(DRAWN.keys() - FIXED.keys() - LAWFUL)
_WHERE = re.compile(r"sbtest(\d+) .*WHERE (?:id|k) ?(?:=|IN \(|BETWEEN) ?([\d, ]+)")
_SENT = "(Execute|Query)\t"  # statements that were prepared, and those that are sent as text
_VALUES = re.compile(r"INSERT INTO sbtest(\d+) \(k, c, pad\) VALUES \((\d+)")


def keys_of(server: Server, name: str, seed: int, events: int) -> list[tuple[int, int]]:
    """Table and key in the order in which one client asks for them."""
    found: list[tuple[int, int]] = []
    _, log = logged(server, shipped(name, "innodb", threads=1, events=events, seed=seed))
    for line in log.splitlines():
        asked = _WHERE.search(line) or _VALUES.search(line)
        if re.search(_SENT, line) and asked:
            found += [(int(asked[1]), int(key)) for key in asked[2].split(",")]
    assert len(found) >= events
    return found


@pytest.mark.parametrize("name", UNIFORM)
def test_keys_are_drawn_from_all_rows_alike(tables: Server, name: str) -> None:
    found = keys_of(tables, name, 3, EVENTS)
    assert {key for _, key in found} <= set(range(1, ROWS + 1))
    tenths = Counter((key - 1) * 10 // ROWS for _, key in found)
    expected = len(found) / 10
    assert sum((tenths[tenth] - expected) ** 2 / expected for tenth in range(10)) < CHI_SQUARED


@pytest.mark.parametrize("name", sorted(FIXED))
def test_keys_that_are_always_the_same(tables: Server, name: str) -> None:
    assert {key for _, key in keys_of(tables, name, 3, EVENTS)} == FIXED[name]


@pytest.mark.parametrize("name", sorted(DRAWN))
def test_another_seed_draws_other_keys_and_all_tables_alike(tables: Server, name: str) -> None:
    one, other = (keys_of(tables, name, seed, 60) for seed in (4, 5))
    assert one[:60] != other[:60]
    for found in (one, other):
        per_table = Counter(table for table, _ in found)
        assert sorted(per_table) == list(range(1, TABLES + 1))
        assert min(per_table.values()) > 0.25 * len(found)
