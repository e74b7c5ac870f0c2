"""What a track keeps, and what is drawn of it: nothing high or low is lost, gaps stay gaps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ui.widgets.charts.pyramid import GrowingTimeSeries, cut_into_dashes


def track_of(values: list[float | None], step: float = 1.0) -> GrowingTimeSeries:
    track = GrowingTimeSeries()
    track.extend([at * step for at in range(len(values))], values)
    return track


def test_an_empty_track_has_nothing() -> None:
    track = GrowingTimeSeries()
    track.extend([], [])
    assert (len(track), track.first, track.last, track.newest, track.at(0.0)) == (0, None, None, None, None)
    t, values = track.window(0.0, 10.0, 100)
    assert (len(t), len(values)) == (0, 0)


def test_the_nearest_sample_is_read_out() -> None:
    track = track_of([1.0, 2.0, None, 4.0])
    assert [track.at(t) for t in (-0.4, 0.4, 0.6, 2.1, 3.0, 3.9, 4.1)] == [
        1.0,
        1.0,
        2.0,
        None,
        4.0,
        4.0,
        None,
    ]
    assert track.newest == 4.0


def test_a_time_without_samples_is_a_gap() -> None:
    track = GrowingTimeSeries(gap_s=3.0)
    track.extend([0.0, 1.0, 10.0, 11.0], [1.0, 1.0, 5.0, 5.0])
    _, values = track.window(0.0, 11.0, 100)
    assert np.isnan(values).sum() == 1
    assert track.at(5.5) is None
    track.extend([30.0], [7.0])  # also from one extension to the next
    assert np.isnan(track.window(0.0, 30.0, 100)[1]).sum() == 2


def test_a_gap_is_seen_from_far() -> None:
    values: list[float | None] = [5.0] * 40_000
    values[10_000:12_000] = [None] * 2_000
    t, drawn = track_of(values).window(0.0, 40_000.0, 1000)
    inside = (t > 10_050) & (t < 11_950)
    assert np.isnan(drawn[inside]).all()
    assert not np.isnan(drawn[t < 9_950]).any()


def test_a_spike_is_seen_from_far() -> None:
    values: list[float | None] = [5.0] * 100_000
    values[77_777], values[22_222] = 900.0, -3.0
    t, drawn = track_of(values).window(0.0, 100_000.0, 500)
    assert (np.nanmax(drawn), np.nanmin(drawn)) == (900.0, -3.0)
    assert abs(t[np.nanargmax(drawn)] - 77_777) <= 100_000 / 500 * 1.5


def test_infinity_is_a_gap() -> None:
    assert track_of([1.0, float("inf")]).at(1.0) is None


def test_a_track_that_was_cleared_begins_anew() -> None:
    track = track_of([1.0] * 1000)
    track.window(0.0, 1000.0, 10)
    track.clear()
    track.extend([5.0], [2.0])
    assert (len(track), track.first, track.newest) == (1, 5.0, 2.0)


@pytest.mark.parametrize("pixels", [1, 7, 100, 1600])
def test_a_window_has_few_points(pixels: int) -> None:
    t, values = track_of([float(at % 13) for at in range(50_000)]).window(0.0, 50_000.0, pixels)
    assert len(t) == len(values) <= 2 * pixels + 4
    assert len(t) >= min(pixels, 50_000)  # and no fewer than are seen
    assert (np.diff(t) >= 0).all()


def test_a_curve_does_not_shimmer_while_it_moves() -> None:
    """The same samples make the same points, wherever the window begins."""
    random = np.random.default_rng(7)
    track = track_of(list(random.normal(100, 10, 20_000)))
    one = dict(zip(*(part[1::2] for part in track.window(1000.0, 11_000.0, 500)), strict=True))
    two = dict(zip(*(part[1::2] for part in track.window(1500.0, 11_500.0, 500)), strict=True))
    common = sorted(set(one) & set(two))[:-1]
    assert len(common) > 350
    assert all(one[t] == two[t] for t in common)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 700), min_size=1, max_size=8), st.integers(1, 60))
def test_however_it_grew_the_window_holds_what_lies_in_it(parts: list[int], pixels: int) -> None:
    track = GrowingTimeSeries()
    known: list[float | None] = []
    for part in parts:
        begin = len(known)
        known += [float((begin + at) * 37 % 101) if (begin + at) % 11 else None for at in range(part)]
        track.extend(list(map(float, range(begin, begin + part))), known[begin:])
        _, drawn = track.window(0.0, float(len(known)), pixels)
        there = [value for value in known if value is not None]
        if there:
            assert (np.nanmin(drawn), np.nanmax(drawn)) == (min(there), max(there))


def test_dashes_lie_between_samples_too() -> None:
    t, values = cut_into_dashes(np.array([0.0, 100.0]), np.array([0.0, 1000.0]), 10.0)
    drawn = [(at, value) for at, value in zip(t, values, strict=True) if not np.isnan(value)]
    assert drawn[:4] == [(0.0, 0.0), (6.0, 60.0), (10.0, 100.0), (16.0, 160.0)]
    assert np.isnan(values[2]) and t[2] == 6.0  # the dash ends
    assert np.count_nonzero(np.isnan(values)) == 10


def test_a_gap_of_a_dashed_curve_stays_one() -> None:
    t = np.array([0.0, 20.0, 40.0, 60.0])
    at, values = cut_into_dashes(t, np.array([1.0, np.nan, 2.0, 2.0]), 10.0)
    assert np.isnan(values[(at > 0) & (at < 40)]).all()
    assert (values[at > 40][~np.isnan(values[at > 40])] == 2.0).all()


def test_dashes_of_dense_values_keep_their_samples() -> None:
    t = np.arange(100.0)
    at, values = cut_into_dashes(t, t, 10.0)
    assert set(t[t % 10 < 6]) <= set(at[~np.isnan(values)])
    assert len(cut_into_dashes(t[:1], t[:1], 10.0)[0]) == 1
