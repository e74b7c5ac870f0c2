"""`dyno run` on several targets: checked on all, started on all or none."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main
from app.cli.screen import say
from app.core.errors import TargetError
from app.following.left import LeftPlans
from app.remote.target import Target
from app.targets.store import Targets
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, build, survey
from tests.reaching import reach_instead

RUN = ("run", "--contender", f"{MARIADB}:innodb", "--sequence", "duel")
BOTH = (*RUN, "--target", "local,nuc")
Reach = Callable[..., None]


@pytest.fixture
def reach_all(monkeypatch: pytest.MonkeyPatch, dyno_home: Path) -> Reach:
    """Agents in place of targets, by name."""
    Targets(dyno_home).add(Target("nuc", host="nuc.invalid", directories=["/data/dyno"]))

    def reach_(**agents: ScriptedAgent) -> None:
        reach_instead(monkeypatch, lambda target, *_: agents[target.name].reached())

    return reach_


@pytest.mark.parametrize("words", [["--target", "local,nuc"], ["--target", "local", "--target", "nuc"]])
def test_each_target_gets_its_own_plan(
    reach_all: Reach, dyno_home: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    local, nuc = ScriptedAgent(), ScriptedAgent()
    reach_all(local=local, nuc=nuc)
    assert main([*RUN, *words, "--detach"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("local:\n") and "\nnuc:\n" in said
    assert "with the preset baseline, on local" in said and "with the preset baseline, on nuc" in said
    assert said.count(" is running on ") == 2 and "dyno follow --target nuc" in said
    assert local.asked == nuc.asked and local.asked[-2:] == ["start", "close"]
    assert sorted(each.target for each in LeftPlans(dyno_home).all()) == ["local", "nuc"]


def test_what_one_of_them_lacks_starts_none(reach_all: Reach, capsys: pytest.CaptureFixture[str]) -> None:
    local = ScriptedAgent()
    reach_all(local=local, nuc=ScriptedAgent(found=survey(builds=[build("old", "MySQL", "5.6", ["innodb"])])))
    assert main([*BOTH, "--detach"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"dyno: nothing was started on any target: nuc: there is no build {MARIADB}")
    assert "start" not in local.asked and local.asked[-1] == "close"


def test_a_check_that_fails_on_one_starts_none(reach_all: Reach, capsys: pytest.CaptureFixture[str]) -> None:
    local, nuc = ScriptedAgent(), ScriptedAgent(wrong=["check"])
    reach_all(local=local, nuc=nuc)
    assert main([*BOTH, "--detach"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("dyno: nothing was started on any target: nuc: ") and said.count("\n") == 1
    assert "start" not in local.asked + nuc.asked


def test_a_target_that_fails_to_start_does_not_stop_the_others(
    reach_all: Reach, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(what: str) -> None:
        if what == "start":
            raise TargetError("another plan has begun")

    nuc = ScriptedAgent()
    reach_all(local=ScriptedAgent(meanwhile=refuse), nuc=nuc)
    assert main([*BOTH, "--detach"]) == 1
    said = capsys.readouterr().out
    assert "local did not start, the others go on: another plan has begun" in said
    assert "is running on nuc" in said and "dyno follow --target local" not in said
    assert "start" in nuc.asked


def test_they_go_into_the_queues_of_all_or_none(reach_all: Reach, capsys: pytest.CaptureFixture[str]) -> None:
    local, nuc = ScriptedAgent(taken="another plan is at work"), ScriptedAgent(wrong=["check"])
    reach_all(local=local, nuc=nuc)
    assert main([*BOTH, "--queue"]) == 1 and "queue" not in local.asked
    local, nuc = ScriptedAgent(taken="another plan is at work"), ScriptedAgent()
    reach_all(local=local, nuc=nuc)
    assert main([*BOTH, "--queue"]) == 0
    said = capsys.readouterr().out
    assert "in the queue of local" in said and "in the queue of nuc" in said
    assert "queue" in local.asked and "queue" in nuc.asked


def test_a_target_that_is_taken_refuses_for_all(reach_all: Reach, capsys: pytest.CaptureFixture[str]) -> None:
    local, nuc = ScriptedAgent(), ScriptedAgent(taken="the plan night is at work")
    reach_all(local=local, nuc=nuc)
    assert main([*BOTH, "--detach"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("dyno: nothing was started on any target: nuc: the plan night is at work")
    assert "start" not in local.asked


def test_work_that_differs_is_said(reach_all: Reach, capsys: pytest.CaptureFixture[str]) -> None:
    reach_all(local=ScriptedAgent(), nuc=ScriptedAgent(found=survey(memory_bytes=8 << 30)))
    assert main([*BOTH, "--rows", "0.01x memory", "--dry-run"]) == 0
    assert "nuc does different work than local: 2 tables x " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("local,nuc,nuc", "names nuc twice"),
        ("local,,nuc", "empty item"),
        ("local,moon", "no target 'moon'"),
    ],
)
def test_targets_that_are_none_are_refused_before_any_is_asked(
    reach_all: Reach, capsys: pytest.CaptureFixture[str], target: str, why: str
) -> None:
    reach_all()
    assert main([*RUN, "--target", target]) == 2
    assert why in capsys.readouterr().err


def test_they_are_watched_one_after_the_other_until_a_person_leaves(
    reach_all: Reach, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = {"local": 1, "nuc": 0}
    monkeypatch.setattr("app.cli.several.watch_plan", lambda target, *_: codes[target.name])
    reach_all(local=ScriptedAgent(), nuc=ScriptedAgent())
    assert main(BOTH) == 1
    assert "\nside by side: dyno compare " in capsys.readouterr().out
    monkeypatch.setattr("app.cli.several.watch_plan", lambda *_: None)
    reach_all(local=ScriptedAgent(), nuc=ScriptedAgent())
    assert main(BOTH) == 0
    said = capsys.readouterr().out
    assert "side by side" not in said and said.endswith("dyno stop --target nuc\n")


def test_a_quiet_run_says_only_what_was_started(
    reach_all: Reach, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_all(local=ScriptedAgent(), nuc=ScriptedAgent())
    assert main([*RUN, "-q", "--dry-run"]) == 0 and main([*BOTH, "--quiet", "--dry-run"]) == 0
    assert capsys.readouterr() == ("", "")
    assert main([*RUN, "-q", "--detach"]) == 0
    assert re.fullmatch(r"[0-9A-Z]{26}\n", capsys.readouterr().out)
    monkeypatch.setattr("app.cli.follow.watch_sessions", lambda *_: print_progress())
    assert main([*RUN, "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    reach_all(local=ScriptedAgent(wrong=["check"]))
    assert main([*RUN, "-q"]) == 1
    printed = capsys.readouterr()
    assert not printed.out and printed.err.startswith("dyno: nothing was started: ")


def print_progress() -> int:
    say("step 1 of 3")
    return 0
