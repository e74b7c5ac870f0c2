"""Lines of kinds of events: what is read of them, where it goes, and what the marks of a kind are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.agent.load.generator import Generator
from app.agent.load.merging import LoadLineMerger
from app.agent.sampling.figures import with_marks_of_role
from app.agent.sampling.kinds import kinds_of_second, read_kinds, total_of_kind

COUNTS = ("events", "reads", "writes", "other", "errors", "reconnects", "control", "rolled_back")
KIND: dict[str, Any] = {
    **dict.fromkeys(COUNTS, 2),
    "rows": {"read": 3},
    "buckets": [[1.5, 1], [2.5, 1]],
}


class Piped(Generator):
    """A generator whose lines are given."""

    def __init__(self) -> None:
        pass

    def kept(self, *lines: dict[str, Any]) -> list[dict[str, Any]]:
        return [line for line in lines if not self._holds(line)]


def test_a_line_of_kinds_becomes_a_part_of_the_line_behind_it() -> None:
    first, other, second = {"type": "kinds", "kinds": {"a": KIND}}, {"type": "figure"}, {"type": "second"}
    assert Piped().kept(first, other, second, {"type": "total"}) == [
        {"type": "figure"},
        {"type": "second", "kinds": {"a": KIND}},
        {"type": "total"},
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        {"events": -1},
        {"events": "2"},
        {"events": True},
        {"events": float("nan")},
        {"events": 1e30},
        {"rows": [1]},
        {"rows": {"read": None}},
        {"buckets": [[1.0]]},
        {"buckets": [[1.0, -1]]},
        {"buckets": [[1.0, 1]] * 1025},
        {"latency_ms": {"min": "x"}},
        {"latency_ms": 5},
        {"rolled_back": None},
    ],
)
def test_what_is_no_line_of_a_kind_is_left_out(wrong: dict[str, Any]) -> None:
    found = read_kinds({"good": KIND, "bad": {**KIND, **wrong}, "none": 5})
    assert found == {"good": KIND}


def test_no_more_kinds_are_read_than_a_workload_has() -> None:
    assert len(read_kinds({str(at): KIND for at in range(1000)})) == 20
    assert read_kinds([KIND]) == read_kinds(None) == read_kinds("a") == {}


def test_kinds_of_roles_have_both_names() -> None:
    line = {"interval_s": 1.0, "kinds": {"a": KIND}}
    assert kinds_of_second(line) == {"a": {**KIND, "interval_s": 1.0}}
    roles = {**line, "roles": {"one": line, "two": {"interval_s": 2.0}}}
    assert kinds_of_second(roles) == {"one/a": {**KIND, "interval_s": 1.0}}


def test_the_total_of_a_kind_has_the_seconds_and_clients_of_its_step() -> None:
    total = {"time_s": 5.0, "clients": 3, "events": 9, "kinds": {"a": KIND}}
    found = total_of_kind(total, "a")
    assert found is not None and (found["time_s"], found["clients"], found["events"]) == (5.0, 3, 2)
    assert total_of_kind(total, "b") is None


def test_kinds_of_several_load_targets_are_added_up() -> None:
    merger = LoadLineMerger(2)
    line = {
        **dict.fromkeys(COUNTS[:-1], 4),
        "type": "second", "time_s": 1.0, "interval_s": 1.0, "measured": True, "threads": 2, "rows": {},
        "kinds": {"a": KIND, "b": 7},
    }  # fmt: skip
    assert merger.take(0, json.loads(json.dumps(line))) == []
    (both,) = merger.take(1, json.loads(json.dumps(line)))
    kind = both["kinds"]["a"]
    assert [*both["kinds"]] == ["a"]
    assert (kind["events"], kind["rolled_back"], kind["rows"]) == (4, 4, {"read": 6})
    assert sum(count for _, count in kind["buckets"]) == 4


def test_a_kind_has_the_marks_of_its_role_and_its_own_errors() -> None:
    role = {"marks": ["after-a-crash", "error-ridden", "disturbed"]}
    quiet, loud = ({"outcome": "completed", "marks": marks} for marks in ([], ["error-ridden"]))
    assert with_marks_of_role(quiet, role)["marks"] == ["after-a-crash", "disturbed"]
    assert with_marks_of_role(loud, role)["marks"] == ["after-a-crash", "disturbed", "error-ridden"]
    assert with_marks_of_role({"outcome": "failed"}, {})["marks"] == []
