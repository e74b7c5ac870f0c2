"""The row that violates a condition, in one harmless line."""

from __future__ import annotations

from decimal import Decimal

from app.agent.steps.condition_check import row_text


def test_a_row_is_one_line_of_names_and_values() -> None:
    assert row_text({"d_id": 4, "sum": Decimal("-1.50"), "c": None}) == "d_id=4, sum=-1.50, c=NULL"


def test_a_row_is_bounded_and_harmless() -> None:
    text = row_text({"a": b"\x1b[31m\xff\n", "b": "x" * 10_000, **{f"c{at}": at for at in range(100)}})
    assert text.startswith("a=?[31m\xff?, b=" + "x" * 60 + "…, c0=0")
    assert text.endswith(", c17=17, …") and len(text) < 400
