"""The rows of the list of sessions: plans above their sessions, folded at first."""

from __future__ import annotations

from app.history.lists.browsing import FoundSessions
from ui.models.session_rows import SessionRows

FOUND = FoundSessions(
    ("a1", "b1", "a2", "c1", "c2"), {"A": ("a1", "a2"), "B": ("b1",), "C": ("c1", "c2")}, 5, ()
)


def test_plans_of_several_sessions_have_a_row() -> None:
    rows = SessionRows(FOUND, is_by_plan=True)
    assert rows.ids == ["A", "b1", "C"] and len(rows) == 3
    assert [rows.is_plan(id_) for id_ in rows.ids] == [True, False, True]
    assert rows.sessions([0, 1]) == ["a1", "a2", "b1"]
    assert (rows.plan_of("a2"), rows.plan_of("b1")) == ("A", "")


def test_a_plan_is_unfolded_and_folded() -> None:
    rows = SessionRows(FOUND, is_by_plan=True)
    rows.toggle("C")
    assert rows.ids == ["A", "b1", "C", "c1", "c2"] and rows.row("c2") == 4
    assert rows.sessions([2, 3]) == ["c1", "c2"], "each once"
    assert SessionRows(FOUND, True, {"C", "gone"}) == rows
    rows.toggle("C")
    assert rows.ids == ["A", "b1", "C"] and rows.row("c2") is None


def test_the_flat_list_has_the_order_of_the_sessions() -> None:
    rows = SessionRows(FOUND, is_by_plan=False)
    assert rows.ids == list(FOUND.ids) and not rows.has_plans and rows.plan_of("a2") == ""


def test_other_sessions_of_the_same_plans_are_other_rows() -> None:
    less = FoundSessions(("a1", "a2", "b1"), {"A": ("a1", "a2"), "B": ("b1",)}, 5, ())
    more = FoundSessions(("a1", "a2", "a3", "b1"), {"A": ("a1", "a2", "a3"), "B": ("b1",)}, 5, ())
    assert SessionRows(less, True).ids == SessionRows(more, True).ids
    assert SessionRows(less, True) != SessionRows(more, True)
