"""A plan that ends when it is decided: which sessions of the next round are needed, by journals."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.agent.deciding import StoppingDecider
from app.agent.plan_runner import run_plan
from app.comparison.verdicts.compare import compare, judged_by_limits
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import SLICES, Plan, PlannedSession
from app.protocol.states import DECIDED, IN_PART, OUT_OF_TIME, UNDECIDABLE
from app.stats import VerdictLimits
from tests.journals import Maker
from tests.rounds import sliced_plan
from tests.unit.agent.conftest import directory_in

ROUNDS = 8
DRIVEN = ("point-query", "update-index")


def until_decided(count: int = 2, order: str = SLICES, **other: object) -> Plan:
    made = replace(sliced_plan(count, ROUNDS), order=order, until_decided=True)
    return replace(made, **other)  # type: ignore[arg-type]


class Target:
    """A directory with the journals of rounds that were carried out."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.directory, self.plan = directory_in(folder), plan
        self.deciding = StoppingDecider(self.directory, plan)
        self.chance = Random(14)
        self.last: list[str] = []
        self.round = 0
        self.noise_of_load = 0.0
        self.noises: dict[int, float] = {}  # of contenders that have one of their own

    def carry_out(self, *rates: float, of: int | None = None, **how: Any) -> list[str]:
        """The next round, at these QPS; returns for each contender why it is not needed in the one after."""
        self.round += 1
        turns = [turn for turn in self.turns(self.round) if not self.deciding.spared(turn)]
        for turn in turns:
            path = Path(self.directory.journal(turn.session))
            path.parent.mkdir(parents=True)
            unlike = {"marks": ()} if of not in (None, turn.contender) else {}
            path.write_bytes(self.journal(turn, rates[turn.contender], **{**how, **unlike}))
        self.deciding.take_round(turns)
        return [self.deciding.spared(turn) for turn in self.turns(self.round + 1)]

    def journal(
        self,
        turn: PlannedSession,
        rate: float,
        noise: float = 0.002,
        outcome: str = "completed",
        marks: Any = (),
    ) -> bytes:
        maker = Maker(self.plan, turn.session).begin()
        for at, step in enumerate(self.plan.steps):
            usual = self.noises.get(turn.contender, noise)
            its = self.noise_of_load or usual if step.kind == "load" else usual
            maker.start_step(at)
            maker.end_step(at, outcome, value=rate * (1 + self.chance.gauss(0, its)), marks=marks)
        return maker.end().raw

    def turns(self, repeat: int) -> list[PlannedSession]:
        found = [turn for turn in self.plan.turns if turn.repeat == repeat]
        return sorted(found, key=lambda turn: turn.contender)


def rounds_of(target: Target, *rates: float, **how: Any) -> int:
    """How many are carried out."""
    while target.round < ROUNDS and not (target.round and all(target.last)):
        target.last = target.carry_out(*rates, **how)
    return target.round


def kept(history: History, target: Target, rounds: int) -> list[str]:
    """The sessions of these rounds."""
    turns = [turn for repeat in range(1, rounds + 1) for turn in target.turns(repeat)]
    for turn in turns:
        raw = Path(target.directory.journal(turn.session)).read_bytes()
        JournalStorer(history).append(target.plan.id, turn.session, 0, raw)
    return [turn.session for turn in turns]


def compared(history: History, target: Target, rounds: int) -> set[str | None]:
    """What Compare calls the driven steps of the second contender."""
    rows = compare(history, kept(history, target, rounds)).rows
    return {row.cells[1].verdict for row in rows if row.workload in DRIVEN}


def test_a_plain_difference_takes_three_rounds(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided(order="interleaved"))
    assert target.carry_out(1000, 700) == ["", ""]
    assert target.carry_out(1000, 700) == ["", ""]
    assert target.carry_out(1000, 700) == [DECIDED] * 2


def test_in_slices_it_takes_a_few(tmp_path: Path) -> None:
    """Of so few cells, whose noises differ by chance, three rounds often tell too little."""
    target = Target(tmp_path, until_decided())
    assert rounds_of(target, 1000, 700) <= 5 and target.last == [DECIDED] * 2


def test_equals_that_are_the_same_end_too(tmp_path: Path) -> None:
    assert rounds_of(Target(tmp_path, until_decided()), 1000, 1000) < ROUNDS


def test_what_wanders_goes_on_or_is_hopeless(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided())
    assert rounds_of(target, 1000, 1030, noise=0.03) > 3


@pytest.mark.parametrize(("matters_pct", "word"), [(2.0, "worse"), (15.0, "same")])
def test_it_judges_by_the_limits_of_the_plan_and_compare_does_too(
    tmp_path: Path, history: History, matters_pct: float, word: str
) -> None:
    plan = until_decided(matters_pct=matters_pct)
    target = Target(tmp_path, plan)
    rounds = rounds_of(target, 1000, 940)
    assert target.deciding.decisions_text(target.turns(8)[1]).count(f"threads=1 {word}") == len(DRIVEN)
    turns = kept(history, target, rounds)
    mine = VerdictLimits(matters=0.5)
    found = compare(history, turns, limits=mine)
    driven = [row for row in found.rows if row.workload in DRIVEN]
    assert {row.cells[1].verdict for row in driven} == {word}
    assert found.limits.matters == matters_pct / 100 and judged_by_limits(found, mine) is found
    assert any(
        f"judged by the limits of its plan until decided (differences of {matters_pct:g}% or more" in each
        for each in (warning.text for warning in found.warnings)
    )


def test_without_false_verdicts_allowed_nothing_is_decided(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided(false_share_pct=0.0))
    assert rounds_of(target, 1000, 500) == 3
    assert "cannot be decided" in target.deciding.decisions_text(target.turns(4)[1])


def test_more_milliseconds_are_worse(tmp_path: Path) -> None:
    plan = until_decided()
    steps = [replace(step, figure="latency") for step in plan.steps]
    target = Target(tmp_path, replace(plan, steps=steps))
    rounds_of(target, 10, 20)
    assert " worse" in target.deciding.decisions_text(target.turns(4)[1])


def test_a_noisy_load_hides_nothing_from_target_or_compare(tmp_path: Path, history: History) -> None:
    """Loads tell of their noise by themselves, and the other steps of theirs."""
    target = Target(tmp_path, until_decided())
    target.noise_of_load = 0.03
    rounds = rounds_of(target, 1000, 950, noise=0.003)
    assert rounds == 3
    assert compared(history, target, rounds) == {"worse"}


def test_disturbed_figures_decide_no_more_than_compare_takes_of_them(
    tmp_path: Path, history: History
) -> None:
    target = Target(tmp_path, until_decided(order="interleaved"))
    target.last = target.carry_out(1000, 700, marks=["disturbed"], of=1)
    assert rounds_of(target, 1000, 700) == 4
    assert compared(history, target, 4) == {"worse"}


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
def test_what_disturbs_all_alike_is_judged(tmp_path: Path, order: str) -> None:
    target = Target(tmp_path, until_decided(order=order))
    assert rounds_of(target, 1000, 700, marks=["disturbed"]) <= 5 and target.last == [DECIDED] * 2


def test_the_reason_says_whether_anything_was_decided(tmp_path: Path) -> None:
    for name in ("noisy", "mixed"):
        (tmp_path / name).mkdir()
    target = Target(tmp_path / "noisy", until_decided())
    assert rounds_of(target, 1000, 1010, noise=0.2) < ROUNDS and target.last == [UNDECIDABLE] * 2
    target = Target(tmp_path / "mixed", until_decided(3))
    target.noises = {2: 0.1}
    rounds_of(target, 1000, 500, 1010)
    assert target.last == [IN_PART, DECIDED, UNDECIDABLE]


def test_a_contender_leaves_and_the_base_stays(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided(3))
    for _ in range(2):
        assert target.carry_out(1000, 500, 1027, noise=0.01) == [""] * 3
    assert target.carry_out(1000, 500, 1027, noise=0.01) == ["", DECIDED, ""]
    said = target.deciding.decisions_text(target.turns(4)[1])
    assert said.startswith("after 3 repeats: ") and "point-query threads=1 worse" in said


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
    assert target.deciding.decisions_text(target.turns(3)[1]).endswith(
        "update-index threads=1 not decided yet"
    )


def test_what_is_decided_when_the_time_is_over_is_called_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("app.agent.deciding.time.monotonic", lambda: now[0])
    target = Target(tmp_path, until_decided(3, "interleaved", time_limit=30))
    for _ in range(3):
        target.carry_out(1000, 500, 1027, noise=0.01)
    now[0] = 40.0
    spared = [target.deciding.spared(turn) for turn in target.turns(4)]
    assert spared == [OUT_OF_TIME, DECIDED, OUT_OF_TIME]


def test_a_journal_that_is_not_there_is_a_round_without_figures(tmp_path: Path) -> None:
    target = Target(tmp_path, until_decided())
    for _ in range(3):
        target.deciding.take_round(target.turns(1))
    assert target.deciding.spared(target.turns(4)[0]) == UNDECIDABLE


@pytest.mark.parametrize(("stopped_after", "rounds"), [(3, ROUNDS), (ROUNDS, 3)])
def test_a_plan_that_a_person_stops_is_not_called_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stopped_after: int, rounds: int
) -> None:
    """Its sessions say why themselves, however much the rounds before had told."""
    plan, directory, carried_out = until_decided(order="interleaved"), directory_in(tmp_path), list[int]()
    Path(directory.plan(plan.id), "control").mkdir(parents=True)

    def run_sessions(work: Any, turns: list[PlannedSession]) -> None:
        carried_out.append(len(turns))
        if len(carried_out) == stopped_after:
            work.control.stop_plan()

    monkeypatch.setattr("app.agent.plan_runner._run_sessions", run_sessions)
    monkeypatch.setattr("app.agent.plan_runner.signal.signal", lambda *_: None)
    run_plan(directory, plan, {}, "a" * 64)
    assert sum(map(bool, carried_out)) == rounds
