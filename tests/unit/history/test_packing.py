"""Packing loses nothing, whatever the values are, and packs well what a bench measures."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.history.store.packing import FLOAT, pack, unpack

anything = st.floats(width=64) | st.integers(-(10**6), 10**6).map(float) | st.just(math.nan)
decimal = st.integers(-(10**9), 10**9).map(lambda number: number / 100)


def bits(values: np.ndarray) -> list[bytes]:
    """Exact, -0.0 too; one NaN is as missing as another."""
    return [b"nan" if value != value else struct.pack("<d", value) for value in values.tolist()]


@pytest.mark.full
@settings(max_examples=300)
@given(
    rows=st.integers(1, 40).flatmap(
        lambda count: st.lists(
            st.lists(anything | decimal, min_size=count, max_size=count), min_size=1, max_size=4
        )
    ),
    digits=st.integers(-3, 12),
)
def test_what_is_packed_comes_back(rows: list[list[float]], digits: int) -> None:
    values = np.array(rows)
    for row, block in zip(values, pack(values, [digits] * len(values)), strict=True):
        assert bits(unpack(block)) == bits(row)


@settings(max_examples=100)
@given(st.lists(decimal | st.just(math.nan), min_size=1, max_size=300))
def test_decimals_are_packed_as_fixed_point_without_a_guess(row: list[float]) -> None:
    (block,) = pack(np.array([row]), [0])
    assert block[0] != FLOAT
    assert bits(unpack(block)) == bits(np.array(row))


@pytest.mark.parametrize(
    ("row", "form"),
    [([1 / 3, 2 / 3], FLOAT), ([1e300, 1.0], FLOAT), ([-0.0, 1.0], FLOAT), ([2.0**60, 1.0], FLOAT)],
)
def test_what_fixed_point_would_change_stays_float64(row: list[float], form: int) -> None:
    (block,) = pack(np.array([row]), [2])
    assert block[0] == form
    assert bits(unpack(block)) == bits(np.array(row))


def test_rows_do_not_touch_one_another() -> None:
    rows = np.array([[1.5, math.nan, 2.5], [math.nan] * 3, [0.0, 0.0, 0.0], [1e-12, 5e9, -7.0]])
    for row, block in zip(rows, pack(rows, [1, 0, 0, 3]), strict=True):
        assert bits(unpack(block)) == bits(row)


def test_nothing_packs_to_nothing() -> None:
    assert pack(np.empty((0, 5)), []) == []


def test_a_constant_costs_a_handful_of_bytes() -> None:
    (block,) = pack(np.full((1, 3600), 42.25), [2])
    assert len(block) < 16


def test_noisy_seconds_cost_under_three_bytes_a_value() -> None:
    """QPS that wander, with noise of 7 % and two decimals: about the worst there is."""
    random = np.random.default_rng(1)
    walk = 50_000 + np.cumsum(random.normal(0, 100, 600)) + random.normal(0, 3500, 600)
    (block,) = pack(np.round(walk, 2)[None, :], [2])
    assert len(block) / 600 < 3.0


def test_a_block_of_a_later_form_is_no_guesswork() -> None:
    (block,) = pack(np.array([[1.0]]), [0])
    with pytest.raises(ValueError, match="unknown form"):
        unpack(bytes([9]) + block[1:])
