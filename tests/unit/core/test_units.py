"""Figures as people read them."""

from __future__ import annotations

import pytest

from app.core.units import figure_text


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (0.00003, "<0.0001"), (0.0123, "0.0123"), (1.5, "1.50"), (12345.6, "12,346")],
)
def test_what_is_nothing_and_what_is_next_to_nothing_are_told_apart(value: float | None, text: str) -> None:
    assert figure_text(value) == text
