"""What an agent says has the fields that the desktop reads, and nothing that is wrong gets through."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from app.agent.plan_runner import create_journals
from app.agent.plans import list_plans
from app.agent.snapshots.snapshots import Snapshots
from app.agent.survey.machine import survey
from app.agent.system.directory import MARKER, MarkedDirectory
from app.protocol import answers
from app.protocol.answers import (
    DataSnapshot,
    PlanOnTarget,
    Survey,
    to_json,
)
from app.protocol.reading import NEEDED, Name, Number, ShapeError, read
from tests.plans import plan, surveyed

# both ends say the same


def test_a_survey_is_read_as_it_was_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / MARKER).touch()
    found = survey(MarkedDirectory(str(tmp_path)), ())
    assert found.builds and found.disk and found.cpu.threads and found.warnings is not None
    assert read(Survey, json.loads(json.dumps(to_json(found)))) == found


def test_a_snapshot_and_a_plan_are_read_as_they_were_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / MARKER).touch()
    directory, its_plan = MarkedDirectory(str(tmp_path)), replace(plan(), until_decided=True)
    (tmp_path / "snapshots" / "f00").mkdir()
    (snapshot,) = Snapshots(directory).list()
    assert snapshot.problem and read(DataSnapshot, to_json(snapshot)) == snapshot
    for journal in create_journals(directory, its_plan, "f00").values():
        journal.close()
    (summary,) = list_plans(directory)
    assert read(PlanOnTarget, to_json(summary)) == summary and summary.until_decided
    assert summary.sessions[0].session == its_plan.turns[0].session and not summary.sessions[0].ended


# reading


@dataclass(frozen=True)
class Inner:
    number: Number | None = None


@dataclass(frozen=True)
class Outer:
    name: Name
    inner: Inner = field(default_factory=Inner, metadata=NEEDED)
    many: list[Inner] = field(default_factory=list)
    row: tuple[Inner, ...] = ()
    by_name: dict[Name, Inner] = field(default_factory=dict)
    is_so: bool = False
    anything: object = None


def test_what_is_left_out_has_its_default_and_what_is_not_known_is_passed_over() -> None:
    said = {"name": "n", "inner": {"number": 1, "later": []}, "later": {"x": [None]}}
    assert read(Outer, said) == Outer("n", Inner(1))


def test_everything_in_it_is_read() -> None:
    one = {"number": 1.5}
    said = {"name": "n", "inner": {}, "many": [one], "row": [one], "by_name": {"a": one}, "anything": [one]}
    made = Inner(1.5)
    assert read(Outer, said) == Outer("n", Inner(), [made], (made,), {"a": made}, anything=[one])


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"name": None}, "name is no text"),
        ({"name": "x" * 1001}, "name has 1,001 characters: 0 to 1,000 are right"),
        ({"inner": None}, "inner is no object"),
        ({"inner": {"number": "1"}}, "inner.number is no number"),
        ({"inner": {"number": True}}, "inner.number is no number"),
        ({"inner": {"number": 1e300}}, "inner.number is out of bounds"),
        ({"inner": {"number": 10**400}}, "inner.number is out of bounds"),
        ({"inner": {"number": float("nan")}}, "inner.number is out of bounds"),
        ({"many": {}}, "many is no list"),
        ({"many": [{}, 7]}, r"many\[1\] is no object"),
        ({"row": None}, "row is no list"),
        ({"by_name": [1]}, "by_name is no object"),
        ({"by_name": {"x" * 1001: {}}}, "by_name has 1,001 characters"),
        ({"by_name": {"\x1b[2J": 7}}, r"by_name\[...\] is no object"),
        ({"is_so": 1}, "is_so is neither true nor false"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(change: dict[str, Any], text: str) -> None:
    with pytest.raises(ShapeError, match=text) as caught:
        read(Outer, {"name": "n", "inner": {}, **change})
    assert str(caught.value).isprintable() and len(str(caught.value)) < 200


@pytest.mark.parametrize("said", [None, [], "x", 7, True])
def test_only_an_object_is_one(said: object) -> None:
    with pytest.raises(ShapeError, match="it is no object"):
        read(Outer, said)


@pytest.mark.parametrize("missing", ["name", "inner"])
def test_what_is_needed_is_named(missing: str) -> None:
    said = {"name": "n", "inner": {}}
    del said[missing]
    with pytest.raises(ShapeError, match=f"it lacks `{missing}`"):
        read(Outer, said)


def test_every_answer_can_be_read() -> None:
    """Each annotation is one that reading knows: none is found out only when a target says it."""
    from app.protocol.reading import _readers

    found = [each for each in vars(answers).values() if is_dataclass(each)]
    assert len(found) > 15
    for cls in found:
        assert len(_readers(cls)) == len(fields(cls))


def test_what_was_read_is_written_as_it_was(tmp_path: Path) -> None:
    found = read(Survey, surveyed(topology=[[[0, 1], [2, 3]]]))
    again = read(Survey, json.loads(json.dumps(to_json(found))))
    assert again == found and replace(again, kernel="x") != found
