"""One plan on several targets: all are checked before any of them starts, and each starts by itself."""

from __future__ import annotations

import pytest

from app.core.errors import InputError, TargetError
from app.planner.starting.launch import CHECKED, STARTED, Launch, LaunchStage
from app.planner.starting.several import TargetLaunches, differing_target_work
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, build, plan, request, survey

INNODB = f"{MARIADB}:innodb"
PREPARED = ["reach", "survey", "upload", "check", "rehearse innodb"]


def launches(last: str = "started", **agents: ScriptedAgent) -> TargetLaunches:
    asked = request(INNODB)
    return TargetLaunches(
        {name: Launch(lambda _: asked, each.reached(), last=last) for name, each in agents.items()}
    )


def test_nothing_starts_before_all_are_checked() -> None:
    a, b = ScriptedAgent(), ScriptedAgent()
    with launches(a=a, b=b) as both:
        stages = {name: list(both.check(name))[-1] for name in ("a", "b")}
        assert a.asked == b.asked == PREPARED, "connected still, and nothing started"
        assert all(each.plan and not each.failed for each in stages.values())
        first, second = both.start("a"), both.start("b")
    assert first and second and first.plan and second.plan and first.plan.id != second.plan.id
    assert a.asked == b.asked == [*PREPARED, "start", "close"]


def test_where_one_cannot_none_is_started() -> None:
    a, b = ScriptedAgent(), ScriptedAgent(found=survey(builds=[build("other", "MySQL", "5.6", ["innodb"])]))
    with pytest.raises(InputError, match=f"no build {MARIADB}"), launches(a=a, b=b) as both:
        for name in ("a", "b"):
            list(both.check(name))
    assert a.asked == [*PREPARED, "close"] and b.asked == ["reach", "survey", "close"]


def test_one_that_fails_when_it_starts_leaves_the_others() -> None:
    def refuse(what: str) -> None:
        if what == "start":
            raise TargetError("another plan has begun there")

    a, b = ScriptedAgent(meanwhile=refuse), ScriptedAgent()
    with launches(a=a, b=b) as both:
        for name in ("a", "b"):
            list(both.check(name))
        with pytest.raises(TargetError, match="another plan"):
            both.start("a")
        assert both.start("b")
    assert a.asked[-1] == b.asked[-1] == "close" and "start" in b.asked


def test_all_stages_in_one_go_with_the_errors_among_them() -> None:
    def refuse(what: str) -> None:
        if what == "start":
            raise TargetError("another plan has begun there")

    a, b = ScriptedAgent(meanwhile=refuse), ScriptedAgent()
    found = dict(launches(a=a, b=b).stages())
    assert str(found["a"]) == "another plan has begun there"
    assert isinstance(found["b"], LaunchStage) and found["b"].name == STARTED
    a, b = ScriptedAgent(wrong=["check"]), ScriptedAgent()
    found = dict(launches(a=a, b=b).stages())
    assert isinstance(found["a"], LaunchStage) and found["a"].failed and "b" not in found
    assert "start" not in a.asked and b.asked == []


@pytest.mark.parametrize(("at", "is_in_time"), [(CHECKED, True), (STARTED, False)])
def test_all_that_is_not_started_is_given_up(at: str, is_in_time: bool) -> None:
    a, b = ScriptedAgent(), ScriptedAgent()
    both = launches(a=a, b=b)
    reached = (stage for _, stage in both.stages() if isinstance(stage, LaunchStage) and stage.name == at)
    assert {both.cancel() for _ in reached} == {is_in_time}
    assert ("start" in a.asked) is not is_in_time and "start" not in b.asked


def test_checks_alone_start_nothing() -> None:
    a = ScriptedAgent()
    with launches(last=CHECKED, a=a) as alone:
        assert list(alone.check("a"))[-1].name == CHECKED
        assert alone.start("a") is None
    assert "start" not in a.asked


def test_work_that_differs_is_found() -> None:
    plans = {"a": plan(INNODB, rows=1000), "b": plan(INNODB, rows=1000), "c": plan(INNODB, rows=2000)}
    assert differing_target_work(plans) == [
        "c does different work than a: 2 tables x 2,000 rows, not 2 tables x 1,000 rows"
    ]
    plans = {"a": plan(INNODB), "b": plan(INNODB, seconds=7)}
    assert differing_target_work(plans) == ["b does different work than a: its steps differ"]
