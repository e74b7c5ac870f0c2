"""A kept data set in words: of what, how large and old, and what tells it from others of that size."""

from __future__ import annotations

import time
from typing import Any

from app.protocol.answers import DataSnapshot
from app.targets.snapshots import HEADERS, row_of
from tests.plans import MARIADB

CONTENDER = {"build": MARIADB, "engine": "innodb", "preset": "default", "table_options": ""}


def row(**said: Any) -> dict[str, str]:
    snapshot = {
        "key": "0123456789abcdef", "problem": "", "made_at": time.time() - 7200, "size_bytes": 3 << 30,
        "contender": CONTENDER, "tables": 4, "rows": 1_000_000, "load_method": "ordered",
    }  # fmt: skip
    return dict(zip(HEADERS, row_of(DataSnapshot(**{**snapshot, **said})), strict=True))


def test_of_what_it_is_and_how_large_and_old() -> None:
    found = row()
    assert (found["build"], found["engine"], found["preset"]) == (MARIADB, "innodb", "default")
    assert (found["tables"], found["size"], found["stored"]) == ("4 x 1,000,000 rows", "3.0 GiB", "2 h ago")


def test_two_that_differ_in_their_tables_or_load_alone_are_told_apart() -> None:
    packed = {**CONTENDER, "table_options": "ROW_FORMAT=COMPRESSED"}
    assert row(contender=packed)["tables"] == "4 x 1,000,000 rows, ROW_FORMAT=COMPRESSED"
    assert row(load_method="parallel")["tables"] == "4 x 1,000,000 rows, loaded parallel"


def test_one_that_says_nothing_of_itself_has_its_name_and_problem() -> None:
    nothing = dict.fromkeys(("made_at", "size_bytes", "contender", "tables", "rows", "load_method"))
    found = row(problem="it says nothing of what it is", **nothing)
    shown = {name: text for name, text in found.items() if text}
    assert shown == {"snapshot": "0123456789abcdef", "problem": "it says nothing of what it is"}
