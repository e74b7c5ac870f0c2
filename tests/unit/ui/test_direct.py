"""Names beside curves: near to their ends, never over one another, or not at all."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ui.widgets.charts.line_chart import spread

HEIGHT = 10.0


def test_names_that_do_not_meet_stay() -> None:
    assert spread([20.0, 60.0, 40.0], HEIGHT, 0.0, 100.0) == [20.0, 60.0, 40.0]


def test_names_give_way_to_one_another_and_to_the_edges() -> None:
    assert spread([50.0, 48.0], HEIGHT, 0.0, 100.0) == [58.0, 48.0]
    assert spread([99.0, 1.0], HEIGHT, 0.0, 100.0) == [95.0, 5.0]


@pytest.mark.parametrize("wanted", [[50.0] * 8, [5.0] * 4])
def test_names_too_far_from_their_curves_are_left_out(wanted: list[float]) -> None:
    assert spread(wanted, HEIGHT, 0.0, 100.0) is None


def test_no_curve_has_no_name() -> None:
    assert spread([], HEIGHT, 0.0, 0.0) == []


@given(st.lists(st.floats(0, 200), max_size=10))
def test_they_never_lie_over_one_another(wanted: list[float]) -> None:
    found = spread(wanted, HEIGHT, 0.0, 200.0)
    if found is not None:
        ordered = sorted(found)
        assert all(b - a >= HEIGHT - 1e-6 for a, b in pairwise(ordered))
        assert all(HEIGHT / 2 - 1e-6 <= each <= 200 - HEIGHT / 2 + 1e-6 for each in found)
