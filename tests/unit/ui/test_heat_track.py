"""The events of a heat map, kept for any stretch."""

from __future__ import annotations

import numpy as np
import pytest

from ui.widgets.charts.heat_track import HeatTrack

ROWS, SECONDS = 64, 333
RANDOM = np.random.default_rng(3)
SIZES = RANDOM.integers(0, 12, SECONDS)
PLACES = RANDOM.integers(10, 50, SIZES.sum())
COUNTS = RANDOM.integers(1, 100, SIZES.sum())
ENDS = np.arange(1.0, SECONDS + 1)


def filled(at_once: int) -> HeatTrack:
    """Seconds as they come; every now and then somebody looks."""
    track, sums = HeatTrack(ROWS), [0, *np.cumsum(SIZES).tolist()]
    for at in range(0, SECONDS, at_once):
        end = min(at + at_once, SECONDS)
        part = slice(sums[at], sums[end])
        track.extend(ENDS[at:end], np.ones(end - at), SIZES[at:end], PLACES[part], COUNTS[part])
        track.window(0, at + 1, 5, 10, (0, ROWS - 1))
    return track


def events(first: float, last: float) -> int:
    """Of seconds that end in this range."""
    there = (first <= ENDS) & (last >= ENDS)
    return int(COUNTS[np.repeat(there, SIZES)].sum())


@pytest.mark.parametrize("at_once", [1, 13, SECONDS])
@pytest.mark.parametrize("columns", [1, 3, 7, 50, 1000])
def test_cells_hold_all_events_of_their_time(at_once: int, columns: int) -> None:
    track = filled(at_once)
    for first, last in ((0.0, 333.0), (10.5, 200.2), (100.0, 101.0)):
        cells = track.window(first, last, columns, 16, (0, ROWS - 1))
        assert cells.events.sum() == events(cells.starts[0] + 0.5, cells.ends[-1])
        assert cells.starts[0] <= first and cells.ends[-1] >= min(last, 333)
        assert (cells.starts[1:] == cells.ends[:-1]).all()
        assert len(cells.events) == len(cells.starts) == len(cells.ends) <= columns
        assert cells.events.shape[1] <= 16


@pytest.mark.parametrize("at_once", [7, SECONDS])
def test_totals_of_any_range(at_once: int) -> None:
    track = filled(at_once)
    track.prepare()
    for first, last in ((0, 333), (1, 333), (10, 200), (57, 61), (64, 128), (5, 5)):
        total = track.total(first, last)
        assert total is not None and total.sum() == events(first, last)
    assert track.total(400, 500) is None


def test_a_second_and_a_gap() -> None:
    track = HeatTrack(ROWS)
    assert track.first is None and track.at(1.0) is None
    ends, rows, counts = np.array([1.0, 5.0]), np.array([3, 3, 9]), np.array([10, 20, 30])
    track.extend(ends, np.ones(2), np.array([1, 2]), rows, counts)
    assert (track.first, track.last, track.low, track.high, track.most) == (0.0, 5.0, 3, 9, 30)
    second = track.at(4.5)
    assert second and second[:2] == (4.0, 5.0) and second[2][[3, 9]].tolist() == [20, 30]
    assert track.at(2.0) is None and track.at(6.0) is None
