"""What the agent decides by is what Compare judges: marks, steadiness, failed repeats, attempts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from app.agent.deciding import DECISIONS, HOPELESS, StoppingDecider
from app.agent.round_results import round_results
from app.comparison.cells.cell import Row
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import MARKED
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Sample
from app.protocol.plan import RATE_MISSED, SLICES, Plan, PlannedSession
from app.protocol.states import UNDECIDABLE
from app.stats.at_target.verdicts import AT_RATE, DRIFT
from tests.journals import Maker, plan
from tests.rounds import sliced_plan, sliced_steps
from tests.unit.agent.conftest import directory_in
from tests.unit.comparison.cells import cells

ROUNDS = 8
RATES = (1000.0, 700.0)
CPU = {"cpus": 2, "cpu_pct": 40.0, "causes": ["cpu"]}
MUCH = {**CPU, "cpu_pct": 90.0}
ODD: tuple[dict[str, Any], ...] = (
    {"stall": True}, {"outcome": "failed"}, {"marks": ["indebted"]}, {"marks": ["disturbed"], "others": CPU},
    {"marks": ["disturbed"], "others": MUCH},
)  # fmt: skip


class Target:
    """A plan until decided whose sessions have journals as they are asked for."""

    def __init__(self, folder: Path, order: str, contenders: int = 2, attempts: int = 1) -> None:
        made = sliced_plan(contenders, ROUNDS)
        if order != SLICES:
            steps = [replace(each, sliced=False) for each in sliced_steps()]
            made = plan(made.contenders, ROUNDS, its_steps=steps, attempts=attempts)
        self.plan: Plan = replace(made, order=order, until_decided=True)
        self.directory = directory_in(folder)
        self.deciding = StoppingDecider(self.directory, self.plan)
        self.carried_out: list[PlannedSession] = []
        self.slower, self.rates = 0.0, RATES

    def at_rate(self, step: int, rate: int) -> None:
        """The plan sets the rate of a step."""
        steps = list(self.plan.steps)
        steps[step] = replace(steps[step], rate=rate)
        self.plan = replace(self.plan, steps=steps)
        self.deciding = StoppingDecider(self.directory, self.plan)

    def carry_out(self, repeat: int, odd: dict[tuple[int, int], dict[str, Any]], seed: int = 1) -> None:
        """A round; `odd`: what is not as usual, by contender and step."""
        turns = [turn for turn in self.plan.turns if turn.repeat == repeat and not self.deciding.spared(turn)]
        for turn in turns:
            if turn.attempt == 1:
                self.write(turn, odd, Random(f"{seed} {turn.session}"))
                self.carried_out.append(turn)
        self.deciding.take_round(turns)

    def rate(self, turn: PlannedSession) -> float:
        """The machine may become slower from session to session."""
        return self.rates[turn.contender] * (1 - self.slower) ** turn.ordinal

    def write(self, turn: PlannedSession, odd: dict[tuple[int, int], dict[str, Any]], chance: Random) -> None:
        maker = Maker(self.plan, turn.session).begin()
        for at in range(len(self.plan.steps)):
            how, rate = dict(odd.get((turn.contender, at), {})), self.rate(turn)
            maker.start_step(at)
            self.seconds(maker, at, rate, how.pop("stall", False))
            maker.end_step(at, value=rate * (1 + chance.gauss(0, 0.003)), **how)
        path = Path(self.directory.journal(turn.session))
        path.parent.mkdir(parents=True)
        path.write_bytes(maker.end().raw)

    def seconds(self, maker: Maker, at: int, rate: float, has_stall: bool) -> None:
        for s in range(self.plan.steps[at].seconds if self.plan.steps[at].kind == "drive" else 0):
            value = 0.0 if has_stall and s in (3, 4, 5) else rate
            maker.add(Sample, step=at, s=s, dt=1.0, values=[value, *[0.0] * (len(maker.series) - 1)])

    def said(self) -> dict[tuple[int, str], str]:
        """The word of each cell."""
        return {
            (contender, self.plan.steps[step].name): word
            for contender, words in self.deciding._words.items()
            for step, word in words.items()
        }

    def compared(self, history: History) -> dict[str, Row]:
        """What Compare says of the steps, by their names."""
        for turn in self.carried_out:
            raw = Path(self.directory.journal(turn.session)).read_bytes()
            JournalStorer(history).append(self.plan.id, turn.session, 0, raw)
        found = compare(history, [turn.session for turn in self.carried_out])
        return {row.workload: row for row in found.rows}


def is_over(target: Target) -> bool:
    return not target.deciding._open


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_called_decided_compare_judges_and_calls_the_same(
    tmp_path: Path, history: History, order: str, seed: int
) -> None:
    """Whatever goes wrong in single sessions, whole rounds, or all of them."""
    chance, target = Random(seed), Target(tmp_path, order)
    always = {(contender, 2): ODD[seed % len(ODD)] for contender in (0, 1)} if seed % 2 else {}
    for repeat in range(1, ROUNDS + 1):
        if not is_over(target):
            places = [(contender, step) for contender in (0, 1) for step in (1, 2)]
            odd = {place: chance.choice(ODD) for place in places if chance.random() < 0.12}
            target.carry_out(repeat, {**odd, **always}, seed)
    rows = target.compared(history)
    for (contender, name), word in target.said().items():
        verdict = rows[name].cells[contender].verdict
        assert word not in DECISIONS or verdict == word, (name, cells(rows[name], "marks"))
        assert verdict not in DECISIONS or word == verdict, (name, cells(rows[name], "marks"))


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
@pytest.mark.parametrize("missed", [(), (0,), (1,), (0, 1)])
def test_a_step_at_its_rate_is_judged_by_neither(
    tmp_path: Path, history: History, order: str, missed: tuple[int, ...]
) -> None:
    """Its QPS is that of the plan, unless one of both could not keep up."""
    target = Target(tmp_path, order)
    target.at_rate(1, 1000)
    for repeat in range(1, ROUNDS + 1):
        if not is_over(target):
            target.carry_out(repeat, {(at, 1): {"marks": [RATE_MISSED]} for at in missed if repeat == 2})
    row = target.compared(history)["point-query"]
    word, verdict = target.said()[1, "point-query"], row.cells[1].verdict
    assert (verdict == AT_RATE) == (not missed)
    assert word == (verdict if verdict in DECISIONS else HOPELESS), verdict


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
def test_what_is_unsteady_in_two_of_three_rounds_is_not_decided(
    tmp_path: Path, history: History, order: str
) -> None:
    target = Target(tmp_path, order)
    for repeat in (1, 2, 3):
        target.carry_out(repeat, {(1, 1): {"stall": True}} if repeat > 1 else {})
    words = target.said()
    assert words[1, "point-query"] == "" and not is_over(target)
    assert target.compared(history)["point-query"].cells[1].verdict == MARKED


@pytest.mark.parametrize(("order", "is_marked"), [(SLICES, False), ("interleaved", True)])
def test_what_stalls_both_of_a_round_says_nothing_against_their_ratio(
    tmp_path: Path, order: str, is_marked: bool
) -> None:
    target = Target(tmp_path, order)
    target.carry_out(1, {(0, 1): {"stall": True}, (1, 1): {"stall": True}})
    turns = [turn for turn in target.plan.turns if turn.repeat == 1]
    found = round_results(target.directory, target.plan, turns)
    assert [("unsteady" in found[at][1].marks) for at in (0, 1)] == [is_marked] * 2


@pytest.mark.parametrize(("load", "words"), [(CPU, {"worse"}), (MUCH, {"cannot be decided", ""})])
def test_load_counts_only_if_it_was_alike_as_compare_takes_it(
    tmp_path: Path, history: History, load: dict[str, Any], words: set[str]
) -> None:
    """In all sessions something is at work; of one contender it may take more."""
    target = Target(tmp_path, "interleaved")
    marks = ["disturbed"]
    odd = {
        (contender, step): {"marks": marks, "others": load if contender else CPU}
        for contender in (0, 1)
        for step in (1, 2)
    }
    for repeat in (1, 2, 3):
        target.carry_out(repeat, odd)
    assert {*target.said().values()} <= words
    verdicts = {row.cells[1].verdict for name, row in target.compared(history).items() if name != "load"}
    assert verdicts == ({"worse"} if load is CPU else {MARKED})


def test_drift_of_the_machine_is_no_verdict_for_either(tmp_path: Path, history: History) -> None:
    """Where the late rounds of the base and the early ones of the other do not count."""
    target = Target(tmp_path, "interleaved")
    target.slower, target.rates = 0.01, (1000.0, 950.0)
    for repeat in range(1, ROUNDS + 1):
        odd = {1: (2, 3, 4), 0: (6, 7, 8)}
        marked = {(at, step): {"marks": ["indebted"]} for at in odd if repeat in odd[at] for step in (1, 2)}
        target.carry_out(repeat, marked)
    verdicts = {row.cells[1].verdict for name, row in target.compared(history).items() if name != "load"}
    assert verdicts == {DRIFT} and not {*target.said().values()} & {*DECISIONS}


def test_a_failed_repeat_ends_what_compare_will_never_judge(tmp_path: Path, history: History) -> None:
    target = Target(tmp_path, "interleaved")
    for repeat in range(1, 6):
        if not is_over(target):
            both = {(1, 1): {"outcome": "failed"}, (1, 2): {"outcome": "failed"}} if repeat == 1 else {}
            target.carry_out(repeat, both)
    assert len(target.carried_out) == 6, "three rounds: more would change nothing"
    assert target.deciding.spared(target.plan.turns[-1]) == UNDECIDABLE
    assert {row.cells[1].verdict for name, row in target.compared(history).items() if name != "load"} == {
        MARKED
    }


def test_a_session_that_was_not_disturbed_counts_though_it_has_no_further_attempts(tmp_path: Path) -> None:
    """Their journals are made when they begin."""
    target = Target(tmp_path, "interleaved", attempts=3)
    for repeat in (1, 2, 3, 4):
        if not is_over(target):
            target.carry_out(repeat, {})
    assert {*target.said().values()} == {"worse"}
