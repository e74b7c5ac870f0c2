"""The way from a request to a started plan, against an agent that answers as it is told to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError, TargetError
from app.planner.kinds import canary
from app.planner.kinds.duel import duelists
from app.planner.request.request import PlanRequest
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import outcome
from app.planner.starting.launch import (
    CHECKED,
    QUEUED,
    REHEARSED,
    STARTED,
    CancelledError,
    CheckInputFirst,
    Launch,
    LaunchStage,
    QueueInstead,
    still_failed_checks,
)
from app.protocol.answers import ADD, FAIL, PASS, Check, QueueChange, RehearsalResult, Survey
from app.remote.secrets import NO_PASSWORDS
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, build, plan, request, survey, surveyed

BOTH = (f"{MARIADB}:innodb", f"{MARIADB}:rocksdb")
REHEARSALS = ["rehearse innodb", "rehearse rocksdb"]


def launched(
    agent: ScriptedAgent, what: PlanRequest | None = None, last: str = STARTED, **how: Any
) -> Launch:
    wanted = what or request(*BOTH)
    return Launch(lambda _: wanted, agent.reached(), last=last, **how)


def last_of(a_launch: Launch) -> LaunchStage:
    return list(a_launch.stages())[-1]


def test_each_thing_is_done_once_before_the_start() -> None:
    agent = ScriptedAgent()
    stages = list(launched(agent).stages())
    assert agent.asked == ["reach", "survey", "upload", "check", *REHEARSALS, "start", "close"]
    assert [(each.name, each.next) for each in stages] == [
        ("", "connecting"),
        ("connected", "looking at the target"),
        ("surveyed", "planning"),
        ("planned", "sending the plan"),
        ("uploaded", "asking the builds"),
        ("checked", "starting each server once"),
        ("checked", f"starting {MARIADB}-innodb once"),
        ("checked", f"starting {MARIADB}-rocksdb once"),
        ("rehearsed", "starting"),
        ("started", ""),
    ]
    assert [each.done for each in stages] == list(range(10)) and stages[-1].total == 9
    assert (stages[-1].directory, stages[-1].sha) == ("/target", "f00")
    assert not stages[-1].failed


def test_a_plan_and_its_estimate_are_there_before_the_builds_are_asked() -> None:
    agent = ScriptedAgent()
    for stage in launched(agent).stages():
        if stage.name == "planned":
            break
    assert stage.plan and stage.estimate and stage.checks
    assert agent.asked == ["reach", "survey", "close"]


@pytest.fixture
def estimated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A word for each estimate that is made."""
    made: list[str] = []
    estimate = canary.estimate

    def counted(plan: Any, *given: Any) -> Any:
        made.append(plan.id)
        return estimate(plan, *given)

    monkeypatch.setattr(canary, "estimate", counted)
    return made


def test_a_plan_is_estimated_once_a_launch(estimated: list[str]) -> None:
    assert last_of(launched(ScriptedAgent())).name == STARTED
    assert len(estimated) == 1


def test_a_draft_is_estimated_once_a_change(estimated: list[str]) -> None:
    draft = Draft(request(*BOTH))
    found = outcome(draft, survey(), Catalog(), ())
    assert found.estimate and found.checks and len(estimated) == 1


@pytest.mark.parametrize(
    ("last", "asked"), [(CHECKED, ["check"]), (REHEARSED, ["check", *REHEARSALS])], ids=str
)
def test_it_goes_no_further_than_it_should(last: str, asked: Sequence[str]) -> None:
    agent = ScriptedAgent()
    stage = last_of(launched(agent, last=last))
    assert agent.asked == ["reach", "survey", "upload", *asked, "close"]
    assert (stage.name, stage.failed) == (last, [])


def test_rehearsals_that_fail_are_all_named_and_nothing_is_started() -> None:
    agent = ScriptedAgent(wrong=REHEARSALS)
    stage = last_of(launched(agent))
    assert agent.asked[-3:] == [*REHEARSALS, "close"]
    assert [(each.contender, each.text) for each in stage.failed] == [
        (f"{MARIADB}-innodb", "it does not start"),
        (f"{MARIADB}-rocksdb", "it does not start"),
    ]


def test_what_the_desktop_sees_is_not_rehearsed() -> None:
    agent = ScriptedAgent(found=survey(open_files=1024))
    stage = last_of(launched(agent, request(threads=[1000])))
    assert agent.asked == ["reach", "survey", "upload", "check", "close"]
    assert (stage.name, stage.failed[0].name) == (CHECKED, "open files")


@pytest.mark.parametrize("during", ["survey", "upload", "check", *REHEARSALS])
def test_given_up_nothing_is_started(during: str) -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(meanwhile=lambda what: answers.append(start.cancel()) if what == during else None)
    start = launched(agent)
    with pytest.raises(CancelledError):
        list(start.stages())
    assert answers == [True]
    assert "start" not in agent.asked and agent.asked[-1] == "close"


def test_once_the_target_was_told_it_is_too_late() -> None:
    answers: list[bool] = []
    agent = ScriptedAgent(meanwhile=lambda what: answers.append(start.cancel()) if what == "start" else None)
    start = launched(agent)
    assert last_of(start).name == STARTED
    assert answers == [False]


def test_what_is_asked_for_may_depend_on_what_is_there() -> None:
    agent = ScriptedAgent()
    bare = PlanRequest(target="nuc", sequence="duel")
    way = Launch(lambda found: bare.with_options(contenders=duelists(found, "nuc")), agent.reached())
    plan = last_of(way).plan
    assert plan and [each.engine for each in plan.contenders] == ["innodb", "rocksdb"]
    assert agent.asked.count("survey") == 1


def test_a_duel_takes_the_first_build_that_can_play_it() -> None:
    broken = build("mariadb-11", "MariaDB", "11.4.1", ["innodb", "rocksdb"], "libaio.so.1 is missing")
    found = duelists(survey(builds=[broken, *surveyed()["builds"]]), "nuc")
    assert [(each.build, each.engine) for each in found] == [
        (MARIADB, "innodb"),
        (MARIADB, "rocksdb"),
    ]
    with pytest.raises(TargetError, match="nuc has no build with InnoDB and RocksDB: install mariadb-server"):
        duelists(survey(builds=[broken]), "nuc")


def test_a_failed_check_stays_until_what_it_is_about_changes() -> None:
    before = plan()
    of_one = Check("rehearsal", FAIL, "no", contender=before.contenders[0].name)
    of_all = Check("busy", FAIL, "another plan")
    stage = LaunchStage(plan=before, checks=(of_one, of_all, Check("disk", PASS, "enough")))
    assert still_failed_checks(stage, before) == still_failed_checks(stage, None) == [of_one, of_all]
    renamed = [replace(each, name=f"{each.name}-2") for each in before.contenders]
    assert still_failed_checks(stage, replace(before, contenders=renamed)) == [of_one, of_all]
    assert still_failed_checks(stage, replace(before, rows=before.rows + 1)) == [of_one]
    other = [replace(each, cnf="[mysqld]\n") for each in before.contenders]
    assert still_failed_checks(stage, replace(before, contenders=other)) == []
    assert still_failed_checks(stage, replace(before, target="far")) == []


AT_WORK = "/target is in use by plan first (process 7)"


TODO = {
    "taken": "wait for it, or stop it (dyno stop)",
    "elsewhere": "wait for it, or start beside it (--allow-busy)",
}
TODO_OF_QUEUED = {
    "taken": "wait for it, stop it (dyno stop), or queue this plan (--queue)",
    "elsewhere": "wait for it, queue this plan (--queue), or start beside it (--allow-busy)",
}


@pytest.mark.parametrize("last", [REHEARSED, STARTED])
@pytest.mark.parametrize("where", TODO)
@pytest.mark.parametrize(("can_queue", "todo"), [(True, TODO_OF_QUEUED), (False, TODO)])
def test_a_taken_target_is_asked_nothing_else(
    where: str, can_queue: bool, todo: dict[str, str], last: str
) -> None:
    agent = ScriptedAgent(**{where: AT_WORK})
    stage = last_of(launched(agent, last=last, can_queue=can_queue))
    assert agent.asked == ["reach", "close"]
    assert [(each.name, each.text) for each in stage.failed] == [("busy", AT_WORK)]
    assert stage.failed[0].todo == todo[where] and stage.plan is None


def test_wrong_input_is_refused_before_a_taken_target() -> None:
    """By its latest survey; a machine at work is surveyed only where that does not do."""
    for known, wanted, asked in (
        (survey(), request(*BOTH), []),
        (None, request(*BOTH), ["survey"]),
        (replace(survey(), builds=[]), request(*BOTH), ["survey"]),
    ):
        agent = ScriptedAgent(taken=AT_WORK)
        stage = last_of(Launch(_always(wanted), agent.reached(), input_first=CheckInputFirst(known)))
        assert agent.asked == ["reach", *asked, "close"]
        assert [each.name for each in stage.failed] == ["busy"]
    agent = ScriptedAgent(taken=AT_WORK)
    with pytest.raises(InputError, match="no build nobody"):
        last_of(
            Launch(_always(request("nobody:innodb")), agent.reached(), input_first=CheckInputFirst(survey()))
        )


def _always(wanted: PlanRequest) -> Callable[[Survey], PlanRequest]:
    return lambda _: wanted


def test_a_plan_elsewhere_may_be_allowed() -> None:
    agent = ScriptedAgent(elsewhere=AT_WORK)
    what = request(*BOTH)
    stages = list(Launch(lambda _: what, agent.reached(), allow_busy=True).stages())
    assert stages[-1].name == STARTED


OTHER = "a rehearsal (process 9)"


class Held(ScriptedAgent):
    """Another plan rehearses there at first."""

    lasts = False  # longer than anybody waits

    def rehearse(
        self, plan: str, contender: int, patience_s: float = 60.0, passwords: Mapping[str, str] = NO_PASSWORDS
    ) -> RehearsalResult:
        if self.lasts or not patience_s:
            self.asked.append(f"rehearse for {patience_s} s")
            busy = Check("busy", FAIL, f"/target is in use by {OTHER}")
            return RehearsalResult([busy], waits_for=OTHER)
        return super().rehearse(plan, contender)


def test_the_rehearsal_of_another_plan_is_waited_for_and_said() -> None:
    agent = Held()
    stages = list(launched(agent).stages())
    first = next(each for each in stages if each.next.startswith("waiting"))
    assert first.next == f"waiting for {OTHER}, 60 s at most" and not first.failed
    assert [(each.name, each.state, each.text) for each in first.checks if OTHER in each.text] == [
        ("busy", "info", first.next)
    ]
    assert stages[-1].name == STARTED and not stages[-1].failed
    assert agent.asked[4:8] == [
        "rehearse for 0 s", "rehearse innodb", "rehearse for 0 s", "rehearse rocksdb",
    ]  # fmt: skip


def test_a_rehearsal_that_lasts_ends_the_launch() -> None:
    agent = Held()
    agent.lasts = True
    stage = last_of(launched(agent))
    assert [each.text for each in stage.failed] == [f"/target is in use by {OTHER}"]
    assert agent.asked[-1] == "close" and "start" not in agent.asked


def queued(agent: ScriptedAgent, later: QueueInstead, what: PlanRequest | None = None) -> LaunchStage:
    wanted = what or request(*BOTH)
    return last_of(Launch(lambda _: wanted, agent.reached(), later=later))


def test_a_plan_for_a_queue_is_not_rehearsed_yet() -> None:
    agent = ScriptedAgent()
    stage = queued(agent, QueueInstead(in_s=60.0))
    assert not {"load", "clock"} & {each.name for each in stage.checks}  # it is of the machine as it is now
    assert agent.asked == ["reach", "survey", "upload", "check", "queue", "close"]
    assert agent.change == QueueChange(ADD, "5ba", in_s=60.0)
    assert stage.name == QUEUED and stage.queue and stage.plan
    assert [each.plan for each in stage.queue.plans] == [stage.plan.id]


def test_a_machine_at_work_is_not_surveyed_for_its_queue() -> None:
    agent = ScriptedAgent(taken=AT_WORK)
    assert queued(agent, QueueInstead(survey())).name == QUEUED
    assert agent.asked == ["reach", "upload", "queue", "close"]


def test_a_plan_that_begins_meanwhile_keeps_none_from_the_queue() -> None:
    class Begun(ScriptedAgent):
        def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]:
            return [*super().check(plan), Check("busy", FAIL, AT_WORK)]

    agent = Begun()
    assert queued(agent, QueueInstead()).name == QUEUED
    assert agent.asked == ["reach", "survey", "upload", "check", "queue", "close"]
    assert last_of(launched(Begun())).failed


def test_what_cannot_be_carried_out_is_not_queued() -> None:
    agent = ScriptedAgent(taken=AT_WORK)
    stage = queued(agent, QueueInstead(survey(open_files=1024)), request(threads=[1000]))
    assert agent.asked == ["reach", "close"]
    assert [each.name for each in stage.failed] == ["open files"] and stage.queue is None
    agent = ScriptedAgent(wrong=["check"])
    assert queued(agent, QueueInstead()).failed and "queue" not in agent.asked
