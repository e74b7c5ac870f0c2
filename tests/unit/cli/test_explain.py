"""`dyno explain` from plan to plan, with a launch that measures without a machine."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.cli import main
from app.history.store.history import History
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import survey
from tests.unit.explaining.pairs import COMMIT, asked, explaining, measure, only

WORDS = ("explain", "A:innodb", "B:innodb", "--step", "update-index", "--sequence", "duel")


class Launcher:
    """Measures each plan at once, or does what a test asks for."""

    def __init__(self, home: Path, code: int = 0, is_measured: bool = True) -> None:
        self.home, self.code, self.is_measured, self.plans = home, code, is_measured, list[Plan]()

    def launch(self, _target: str, request: Any, arguments: argparse.Namespace) -> tuple[int, Plan]:
        plan = resolve(request(survey()), survey(), Catalog())
        self.plans.append(plan)
        print("a line for people")
        if self.is_measured and not arguments.dry_run:
            with History(self.home) as history:
                measure(history, explaining(), plan, only([COMMIT], 1.5))
        return self.code, plan


@pytest.fixture
def launcher(dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> Launcher:
    made = Launcher(dyno_home)
    monkeypatch.setattr("app.cli.explain._settled", lambda _: explaining(asked()))
    monkeypatch.setattr("app.cli.answering.launch_plan", made.launch)
    return made


def test_it_goes_from_plan_to_plan_and_ends_with_a_table(
    launcher: Launcher, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(WORDS) == 0
    said = capsys.readouterr().out
    assert len(launcher.plans) >= 3
    assert f"{COMMIT} did it: from 1 to 2 multiplies the result by 1.5" in said
    assert "unexplained or interaction" in said and "Decided: " in said


def test_json_alone_is_printed(launcher: Launcher, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--json"]) == 0
    got = capsys.readouterr()
    found = json.loads(got.out)
    assert found["state"] == "decided" and found["a"]["engine"] == "innodb"
    assert "a line for people" in got.err


def test_so_far_measures_nothing(launcher: Launcher, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*WORDS, "--so-far"]) == 0
    assert not launcher.plans
    assert "There are too few repeats yet for a ratio of B to A." in capsys.readouterr().out


def test_one_plan_is_shown_or_left_to_the_target(
    launcher: Launcher, capsys: pytest.CaptureFixture[str]
) -> None:
    for option in ("--dry-run", "--detach"):
        launcher.plans.clear()
        assert main([*WORDS, option]) == 0
        assert len(launcher.plans) == 1
        said = capsys.readouterr().out.splitlines()[-1]
        how_long = r"all of it takes [\d \w]+ to [\d \w]+: this plan, and those that follow from its results"
        assert bool(re.fullmatch(how_long, said)) == (option == "--dry-run"), said


def test_a_plan_that_was_stopped_ends_it_with_what_is_known(
    launcher: Launcher, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher.code = 1
    assert main(WORDS) == 1
    assert len(launcher.plans) == 1 and "Not decided yet" in capsys.readouterr().out


def test_a_plan_without_a_round_that_counts_is_not_repeated(
    launcher: Launcher, capsys: pytest.CaptureFixture[str]
) -> None:
    launcher.is_measured = False
    assert main(WORDS) == 1
    assert len(launcher.plans) == 1
    assert "no repeat of the last plan counts" in capsys.readouterr().err
