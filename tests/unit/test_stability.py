"""What stands beside a figure that was measured once."""

from __future__ import annotations

from pathlib import Path

from app import compare_text
from app.compare import by_measure, compare
from app.history.history import History
from app.stability import read_stability, with_stability
from tests import comparable

STEPS = comparable.steps((1,), seconds=40)


def test_only_what_stands_alone_has_anything_beside_it(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2, its_steps=STEPS))
    more = comparable.keep(tmp_path, comparable.plan(1, repeats=2, number=2, its_steps=STEPS))
    with History(tmp_path) as history:
        alone = with_stability(history, compare(history, ids))
        mixed = with_stability(history, compare(history, [*more, ids[1]]))
    drives = [row for row in alone["rows"] if row["kind"] == "drive"]
    assert len(drives) == 4
    for row in drives:
        assert all(share is not None and 0 < share < 0.3 for share in row["within"])
    assert all(row["within"] == [None, None] for row in alone["rows"] if row["kind"] != "drive")
    assert {share is None for row in mixed["rows"] for share in row["within"][:1]} == {True}
    text = compare_text.to_text(alone)
    assert "\N{PLUS-MINUS SIGN}" in text and "of the next session it says nothing" in text
    by_latency = by_measure(alone, "p95_ms")
    assert all(share is None for row in by_latency["rows"] for share in row["within"])


def test_steps_too_short_for_blocks_say_nothing(tmp_path: Path) -> None:
    ids = comparable.keep(tmp_path, comparable.plan(2))
    with History(tmp_path) as history:
        found = read_stability(history, compare(history, ids))
    assert found and all(row == [None, None] for row in found.values())
