"""`dyno plan` and plans in place of sessions."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from tests import journals
from tests.plans import MARIADB
from tests.unit.cli.words import refused, said

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")], repeats=2)
OTHER = journals.plan(number=2, target="xeon")
ENDING = PLAN.id[-6:]


@pytest.fixture(autouse=True)
def _filled(dyno_home: Path) -> None:
    with History(dyno_home) as history:
        for plan, turn in [*((PLAN, turn) for turn in PLAN.turns[:3]), (OTHER, OTHER.turns[0])]:
            JournalStorer(history).append(plan.id, turn.session, 0, journals.whole(plan, turn.session).raw)


def test_plans_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    head, first, second = said(capsys, "plan", "list").splitlines()
    assert head.split()[:3] == ["id", "name", "state"]
    assert first.split("  ")[0] == ENDING and "3 completed, 1 not here" in first
    assert "innodb, rocksdb x 2" in first and f"{MARIADB}-innodb-default x 1" in second
    (line,) = said(capsys, "plan", "list", "--target", "xeon").splitlines()[1:]
    assert line.split() == second.split()
    (found,) = json.loads(said(capsys, "plan", "list", "--limit", "1", "--json"))
    assert found["id"] == OTHER.id and found["states"] == {"completed": 1}


def test_plans_are_listed_with_their_start_in_utc(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = []
    for zone in ("UTC", "Asia/Tokyo"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        texts.append(said(capsys, "plan", "list"))
    monkeypatch.undo()
    time.tzset()
    assert texts[0] == texts[1]


def test_sessions_of_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "session", "list", "--plan", ENDING).splitlines()[1:]
    assert [line.split()[0] for line in lines] == [turn.session[-6:] for turn in PLAN.turns[:3]]
    assert "dyno plan list" in refused(capsys, "session", "list", "--plan", "nothing")


def test_a_plan_is_compared_and_reported(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = json.loads(said(capsys, "compare", ENDING, "--json"))
    assert [len(column["ids"]) for column in found["sessions"]] == [2, 1]
    said(capsys, "report", PLAN.id, "--out", str(tmp_path / "plan.md"))
    assert f"against {MARIADB}-innodb-default" in (tmp_path / "plan.md").read_text()
    assert len(json.loads(said(capsys, "compare", ENDING, "--setup", "--format", "json"))["sessions"]) == 3


def test_a_plan_of_one_session_stands_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    (session,) = [turn.session for turn in OTHER.turns]
    assert json.loads(said(capsys, "session", "show", OTHER.id, "--json"))["id"] == session
    found = json.loads(said(capsys, "compare", ENDING, "--base", OTHER.id[-6:], "--json"))
    assert found["base"] == session and session in found["sessions"][0]["ids"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("session", "show", ENDING), f"the plan '{ENDING}' has 3 sessions: name one of "),
        (("compare", OTHER.id, "--base", ENDING), "has several contenders: name one of "),
        (("gate", OTHER.id, ENDING, "--difference", "3%"), "has several contenders: name one of "),
        (("run", "--against", ENDING, "--contender", "x:innodb"), "has several contenders: name one of "),
    ],
)
def test_a_plan_that_could_mean_several_names_its_sessions(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], why: str
) -> None:
    (line,) = refused(capsys, *words).splitlines()
    assert why in line and f"({MARIADB}-innodb-default-1, 2023-11-1" in line
    assert all(turn.session[-6:] in line for turn in PLAN.turns[:3])
