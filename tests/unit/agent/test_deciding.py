"""A plan that ends when it is decided: which sessions of the next round are needed, by journals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.agent.deciding import Deciding
from app.agent.plan_runner import run_plan
from app.protocol.plan import SLICES, Plan, Turn
from app.protocol.states import DECIDED, OUT_OF_TIME
from tests.journals import Maker
from tests.rounds import sliced_plan
from tests.unit.agent.conftest import directory_in

ROUNDS = 8


def until_decided(count: int = 2, order: str = SLICES, **other: object) -> Plan:
    made = replace(sliced_plan(count, ROUNDS), order=order, until_decided=True)
    return replace(made, **other)  # type: ignore[arg-type]


class Target:
    """A directory with the journals of rounds that were carried out."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.directory, self.plan = directory_in(folder), plan
        self.deciding = Deciding(self.directory, plan)
        self.chance = Random(14)
        self.last: list[str] = []
        self.round = 0

    def carry_out(self, *rates: float, noise: float = 0.002, outcome: str = "completed") -> list[str]:
        """The next round, at these QPS; returns for each contender why it is not needed in the one after."""
        self.round += 1
        turns = [turn for turn in self.turns(self.round) if not self.deciding.spared(turn)]
        for turn in turns:
            path = Path(self.directory.journal(turn.session))
            path.parent.mkdir(parents=True)
            path.write_bytes(self.journal(turn, rates[turn.contender], noise, outcome))
        self.deciding.take_round(turns)
        return [self.deciding.spared(turn) for turn in self.turns(self.round + 1)]

    def journal(self, turn: Turn, rate: float, noise: float, outcome: str) -> bytes:
        maker = Maker(self.plan, turn.session).planned()
        for at in range(len(self.plan.steps)):
            maker.start_step(at)
            maker.end_step(at, outcome, value=rate * (1 + self.chance.gauss(0, noise)))
        return maker.end().raw

    def turns(self, repeat: int) -> list[Turn]:
        found = [turn for turn in self.plan.turns if turn.repeat == repeat]
        return sorted(found, key=lambda turn: turn.contender)


def rounds_of(target: Target, *rates: float, **how: Any) -> int:
    """How many are carried out."""
    while target.round < ROUNDS and not (target.round and all(target.last)):
        target.last = target.carry_out(*rates, **how)
    return target.round


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
def test_a_plain_difference_takes_three_rounds(tmp_path: Path, order: str) -> None:
    target = Target(tmp_path, until_decided(order=order))
    assert target.carry_out(1000, 700) == ["", ""]
    assert target.carry_out(1000, 700) == ["", ""]
    assert target.carry_out(1000, 700) == [DECIDED] * 2


def test_equals_that_are_the_same_end_too(tmp_path: Path) -> None:
    assert rounds_of(Target(tmp_path, until_decided()), 1000, 1000) < ROUNDS


def test_what_wanders_goes_on_or_is_hopeless(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided())
    assert rounds_of(target, 1000, 1030, noise=0.03) > 3


def test_a_contender_leaves_and_the_base_stays(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided(3))
    for _ in range(2):
        assert target.carry_out(1000, 500, 1027, noise=0.01) == [""] * 3
    assert target.carry_out(1000, 500, 1027, noise=0.01) == ["", DECIDED, ""]
    said = target.deciding.said(target.turns(4)[1])
    assert said.startswith("after 3 rounds: ") and "point-query threads=1 worse" in said


def test_a_plan_of_a_fixed_number_is_never_ended(tmp_path: Path) -> None:
    target = Target(tmp_path, replace(until_decided(), until_decided=False))
    assert rounds_of(target, 1000, 500) == ROUNDS


def test_steps_that_always_fail_keep_nobody(tmp_path: Path) -> None:
    assert rounds_of(Target(tmp_path, until_decided()), 1000, 500, outcome="failed") == 3


def test_no_round_begins_that_would_pass_the_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("app.agent.deciding.time.monotonic", lambda: now[0])
    target = Target(tmp_path, until_decided(time_limit=25))
    now[0] = 10.0
    assert target.carry_out(1000, 1030, noise=0.1) == ["", ""]
    now[0] = 20.0
    assert target.carry_out(1000, 1030, noise=0.1) == [OUT_OF_TIME] * 2


def test_a_journal_that_is_not_there_is_a_round_without_figures(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided())
    for _ in range(3):
        target.deciding.take_round(target.turns(1))
    assert target.deciding.spared(target.turns(4)[0]) == DECIDED


@pytest.mark.parametrize(("stopped_after", "rounds"), [(3, ROUNDS), (ROUNDS, 3)])
def test_a_plan_that_a_person_stops_is_not_called_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_after: int, rounds: int
) -> None:
    """Its sessions say why themselves, however much the rounds before had told."""
    plan, directory, carried_out = until_decided(order="interleaved"), directory_in(tmp_path), list[int]()
    Path(directory.plan(plan.id), "control").mkdir(parents=True)

    def run_sessions(work: Any, turns: list[Turn]) -> None:
        carried_out.append(len(turns))
        if len(carried_out) == stopped_after:
            work.control.stop_plan()

    monkeypatch.setattr("app.agent.plan_runner._run_sessions", run_sessions)
    monkeypatch.setattr("app.agent.plan_runner.signal.signal", lambda *_: None)
    run_plan(directory, plan, {}, "a" * 64)
    assert sum(map(bool, carried_out)) == rounds
