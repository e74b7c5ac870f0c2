"""Tables that do not scroll sideways: which columns give way, and by how much."""

from __future__ import annotations

import pytest

from ui.widgets.fitted_table import widths_that_fit


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (1000, [200, 130, 60, 60, 60]),
        (460, [196, 84, 60, 60, 60]),  # the first name gives way last
        (436, [172, 84, 60, 60, 60]),
        (380, [176, 84, 60, 60, 0]),
        (10, [170, 84, 60, 0, 0]),
    ],
)
def test_names_give_way_then_the_last_columns(room: int, expected: list[int]) -> None:
    assert widths_that_fit([200, 130, 60, 60, 60], 2, room) == expected
