"""How steady one session was in itself: blocks of seconds, never seconds one by one."""

from __future__ import annotations

import pytest

from app.history.recorded.counting import block_means, max_block_deviation


def test_blocks_of_equal_length_without_what_is_missing() -> None:
    assert block_means([100.0] * 20 + [None] * 5) == [100.0] * 4
    assert len(block_means([1.0] * 3600)) == 10
    assert block_means([1.0, 3.0, None, 1.0, 3.0, *[4.0] * 5]) == [2.0, 4.0]
    assert block_means([]) == block_means([1.0] * 4) == []


def test_seconds_that_jump_about_are_steady_where_their_blocks_are() -> None:
    assert max_block_deviation([90.0, 110.0] * 30) == pytest.approx(0.0)


def test_what_drifts_is_not() -> None:
    assert max_block_deviation([100.0] * 10 + [90.0] * 10 + [100.0] * 30) == pytest.approx(0.1)
    assert max_block_deviation([float(100 + s) for s in range(60)]) == pytest.approx(27 / 129.5)


@pytest.mark.parametrize("seconds", [[], [100.0] * 19, [None] * 60, [0.0] * 60])
def test_of_too_little_nothing_is_said(seconds: list[float | None]) -> None:
    assert max_block_deviation(seconds) is None
