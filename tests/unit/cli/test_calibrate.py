"""`dyno target calibrate`: the noise first, then the planted differences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.history.machines.calibration import SEQUENCE as CALIBRATION
from app.history.machines.self_test import SEQUENCE as SELF_TEST
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.protocol.plan import Plan
from tests import sliced
from tests.plans import survey
from tests.unit.comparison.test_self_test import FAITHFUL, plan

PLANS = {
    SELF_TEST: plan(number=2),
    CALIBRATION: replace(sliced.plan(order="interleaved"), sequence=CALIBRATION),
}


class Launches:
    """Plans that are carried out at once; after `until` sessions the person leaves."""

    def __init__(self, home: Path, code: int = 0, until: int = 100) -> None:
        self.home, self.code, self.until = home, code, until
        self.asked: list[PlanRequest] = []

    def launch(self, _name: str, request: object, *_: object) -> tuple[int, Plan]:
        assert callable(request)
        self.asked.append(request(survey()))
        made = PLANS[self.asked[-1].sequence]
        with History(self.home) as history:
            sliced.keep(history, made, FAITHFUL, until=self.until)
        return self.code, made


@pytest.fixture
def launches(dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> Launches:
    made = Launches(dyno_home)
    monkeypatch.setattr("app.cli.launching.launch_plan", made.launch)
    return made


def test_both_are_measured_and_what_was_found_is_printed(
    launches: Launches, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["target", "calibrate", "local", "--allow-busy"]) == 0
    assert [each.sequence for each in launches.asked] == [CALIBRATION, SELF_TEST]
    assert all(each.allow_busy for each in launches.asked)
    said = capsys.readouterr().out
    assert "Smallest difference that is found four times in five" in said
    assert "A planted difference of 10% (0.909 of the rate) was found after 3 of 5 repeats: " in said


@pytest.mark.parametrize(("code", "until"), [(1, 100), (0, 4)])
def test_nothing_follows_a_plan_that_failed_or_that_the_person_left(
    launches: Launches, capsys: pytest.CaptureFixture[str], code: int, until: int
) -> None:
    launches.code, launches.until = code, until
    assert main(["target", "calibrate", "local"]) == code
    assert [each.sequence for each in launches.asked] == [CALIBRATION]
    assert "planted" not in capsys.readouterr().out
