"""Plans left to their targets: remembered, fetched as far as they are, forgotten at their end."""

from __future__ import annotations

import json
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from app.core.errors import LinkError, TargetError
from app.following import fetching
from app.following.adoption import RemotePlan, should_follow_plan
from app.following.fetching import fetch, fetch_left, find_plans_in_time, is_over
from app.following.left import LeftPlan, LeftPlans
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.answers import SessionJournalSize
from app.remote.target import Target
from tests.unit.following.scripted import PLAN, WHOLES, ScriptedStream, ScriptedTarget, beat, piece, rest

TARGET = Target("far", host="far.invalid", directories=["/d"])
FIRST, SECOND = WHOLES


def found(locked: bool = False, sizes: Mapping[str, int] | None = None) -> RemotePlan:
    sizes = {session: len(made.raw) for session, made in WHOLES.items()} if sizes is None else sizes
    there = [SessionJournalSize(session, size, not locked) for session, size in sizes.items()]
    return RemotePlan(TARGET, "/d", PLAN.id, "night", "sha", locked, there)


def left(home: Path, age_s: float = 0.0) -> LeftPlan:
    LeftPlans(home).add(PLAN.id, "far", "/d")
    return LeftPlan(PLAN.id, "far", "/d", time.time() + 3600 - age_s)


def answer(patch: pytest.MonkeyPatch, *plans: RemotePlan) -> None:
    patch.setattr(fetching, "find_plans", lambda _target, _ask: iter(plans))


def reach(*scripts: Callable[[Mapping[str, int]], ScriptedStream]) -> Callable[[RemotePlan], ScriptedTarget]:
    target = ScriptedTarget(*scripts)
    return lambda _: target.connect()


def offsets(home: Path) -> list[int]:
    with History(home) as history:
        return [JournalStorer(history).offset(session) for session in WHOLES]


def test_each_has_a_private_file(tmp_path: Path) -> None:
    plans = LeftPlans(tmp_path)
    assert plans.all() == [] and not (tmp_path / "left").exists(), "a look creates nothing"
    made = left(tmp_path)
    (path,) = (tmp_path / "left").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert plans.has(PLAN.id) and [each.plan for each in plans.all()] == [made.plan]
    plans.forget(PLAN.id)
    plans.forget(PLAN.id)
    assert plans.all() == [] and not plans.has(PLAN.id)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"plan": 1, "target": "far", "directory": "/d", "begins_by": 1.0}',
        '{"plan": "../../other", "target": "far", "directory": "/d", "begins_by": 1.0}',
        '{"plan": "x", "target": "far", "directory": "/d", "begins_by": "soon"}',
    ],
)
def test_what_cannot_be_read_is_passed_over(tmp_path: Path, content: str) -> None:
    left(tmp_path)
    (tmp_path / "left" / "x.json").write_text(content)
    assert [each.plan for each in LeftPlans(tmp_path).all()] == [PLAN.id]


def test_a_plan_that_is_over_is_fetched_to_its_end_and_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    its = left(tmp_path)
    answer(monkeypatch, found())
    fetch_left(TARGET, [its], lambda _: None, tmp_path, reach(rest))
    assert offsets(tmp_path) == [len(made.raw) for made in WHOLES.values()]
    assert not LeftPlans(tmp_path).all()


def test_of_a_plan_that_runs_as_much_as_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    its, half = left(tmp_path), WHOLES[FIRST].raw.index(b"\n", 2000) + 1

    def running(_: Mapping[str, int]) -> ScriptedStream:
        parts = [beat(1), piece(FIRST, WHOLES[FIRST].raw[:half])]
        return ScriptedStream([*parts, AssertionError("it waits for more")])

    answer(monkeypatch, found(locked=True, sizes={FIRST: half, SECOND: 0}))
    fetch_left(TARGET, [its], lambda _: None, tmp_path, reach(running))
    assert offsets(tmp_path) == [half, 0]
    assert LeftPlans(tmp_path).has(PLAN.id), "more will come"


def test_a_link_that_breaks_is_an_error_and_nothing_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    its = left(tmp_path)
    answer(monkeypatch, found())
    broken = reach(lambda _: ScriptedStream([beat(1), LinkError("the cable was pulled")]))
    with pytest.raises(LinkError, match="the cable was pulled"):
        fetch_left(TARGET, [its], lambda _: None, tmp_path, broken)
    assert LeftPlans(tmp_path).has(PLAN.id)


def test_when_a_plan_is_over(tmp_path: Path) -> None:
    new, old = left(tmp_path), left(tmp_path, age_s=7200)
    assert not is_over(new, None, tmp_path)  # it waits in the queue
    assert is_over(old, None, tmp_path)  # somebody deleted it there
    none = {FIRST: 0, SECOND: 0}
    assert not is_over(new, found(sizes=none), tmp_path)  # it has not begun yet
    assert not is_over(old, found(locked=True, sizes=none), tmp_path)
    assert is_over(old, found(sizes=none), tmp_path)
    assert not is_over(new, found(), tmp_path)
    fetch(found(), tmp_path, reach(rest))
    assert is_over(new, found(), tmp_path)
    fetch(found(), tmp_path, reach())  # it is here: nobody is asked


def test_a_target_that_is_away_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> Iterator[RemotePlan]:
        time.sleep(30)
        yield found()

    monkeypatch.setattr(fetching, "find_plans", slow)
    with pytest.raises(TargetError, match="far has not answered within 0 s"):
        find_plans_in_time(TARGET, lambda _: None, 0.2)


def test_while_a_secret_is_typed_the_time_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    def asking(_: Target, ask: Callable[[str], str | None]) -> Iterator[RemotePlan]:
        assert ask("password") == "secret"
        yield found()

    def typed(_: str) -> str:
        time.sleep(1)
        return "secret"

    monkeypatch.setattr(fetching, "find_plans", asking)
    assert find_plans_in_time(TARGET, typed, 0.3) == [found()]


def test_an_error_of_the_target_is_that_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: object) -> Iterator[RemotePlan]:
        raise LinkError("no route to far")

    monkeypatch.setattr(fetching, "find_plans", refusing)
    with pytest.raises(LinkError, match="no route to far"):
        find_plans_in_time(TARGET, lambda _: None)


def test_the_window_follows_what_was_left_too(tmp_path: Path) -> None:
    assert not should_follow_plan(found(), tmp_path)
    left(tmp_path)
    assert should_follow_plan(found(), tmp_path)


def test_the_file_holds_no_more_than_it_needs(tmp_path: Path) -> None:
    left(tmp_path)
    (path,) = (tmp_path / "left").iterdir()
    assert set(json.loads(path.read_text())) == {"plan", "target", "directory", "begins_by"}
