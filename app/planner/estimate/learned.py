"""What earlier sessions of a machine tell of the next ones: how long steps take, how much results vary.

A step takes as long as guessed, times how far guesses were off.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import log, sqrt
from statistics import median
from typing import NamedTuple

from app.history.machines.measured import PastSession
from app.history.store.damage import unpack_json
from app.protocol.plan import COUNT, LIMIT, QUERYING, SLICES, Contender, Plan, PlannedSession, Step
from app.stats.noise import Noise, pooled_noise
from app.variables import option_values

from .guesses import StatementEstimator, outside_s, steps_s, workloads_of

NEAREST = (
    5  # earlier steps whose guesses are nearest: a load of a million rows says little of one of a thousand
)
FREEDOM = 4  # degrees, of results that tell how much they vary
OUTSIDE = ("outside", "")  # of the steps: the server is made, started and shut down

_Cell = tuple[str, int, int]  # a step of a contender: plan, positions of both
_Work = tuple[str, str]  # kind and workloads of a step, or OUTSIDE


class _Seen(NamedTuple):
    guess: float
    seconds: float


class LearnedDurations:
    """Seconds beyond declared ones; without earlier sessions they are the guesses."""

    def __init__(self, sessions: Iterable[PastSession], most_rate: int, of_existing: bool = False) -> None:
        """`of_existing`: by sessions of servers that run already, of which others tell nothing."""
        self.sessions = 0
        self._of_existing = of_existing
        self._seen: dict[tuple[str, _Work], list[_Seen]] = defaultdict(list)
        self._results = LearnedStepResults()
        for each in sessions:
            self._learn(each, most_rate)

    def steps_s(self, plan: Plan, contender: Contender, work: StatementEstimator) -> list[float]:
        """Of each step of a contender."""
        return [
            guess
            if step.sliced or step.restart_with or step.beside or step.kind == LIMIT  # ends with its answer
            else self._seconds(contender, _work_of(plan, at), guess)
            for at, (step, guess) in enumerate(zip(plan.steps, steps_s(plan, contender, work), strict=True))
        ]

    def outside_s(self, plan: Plan, contender: Contender) -> float:
        """Of a session, before its first step and after its last one."""
        return self._seconds(contender, OUTSIDE, outside_s(plan))

    def knows(self, contender: Contender, kind: str) -> bool:
        """Whether a step of this kind was carried out with the engine."""
        return any(where == contender.engine and work[0] == kind for where, work in self._seen)

    def noise(self, in_slices: bool) -> Noise | None:
        """How much sessions of equals varied, or contenders within the rounds of slices."""
        found = self._results.noise(in_slices)
        return found if found and found.freedom >= FREEDOM else None

    def _seconds(self, contender: Contender, work: _Work, guess: float) -> float:
        """By sessions of the contender itself, else of its server's version, else of its engine."""
        for where in _places(contender):
            seen = self._seen.get((where, work), ())
            nearest = sorted(seen, key=lambda each: abs(log(each.guess / guess)))[:NEAREST]
            if nearest:
                return guess * median(each.seconds / each.guess for each in nearest)
        return guess

    def _learn(self, past: PastSession, most_rate: int) -> None:
        plan, guesses = _read(past.plan, most_rate)
        turn = plan.turn_of(past.id)
        if plan.contender_of(turn).is_existing != self._of_existing:
            return
        self._results.add(plan, turn, past)
        if any(step.restart_with for step in plan.steps):
            return  # what happens between two steps is not of one of them
        self.sessions += 1
        contender, is_sliced = plan.contender_of(turn), plan.order == SLICES
        for span in past.steps:
            step = plan.steps[span.position]
            took = span.own_s if is_sliced else span.seconds  # between its steps others had their turns
            beyond = max(0.0, took - plan.declared_s(span.position))
            if span.is_completed and not step.sliced and not step.beside:
                guess = guesses[turn.contender][span.position]
                self._add(contender, _work_of(plan, span.position), guess, beyond)
        if not (is_sliced or plan.pause or plan.quiet_wait or plan.canary or plan.start == "snapshot"):
            self._add(contender, OUTSIDE, outside_s(plan), past.outside_s)

    def _add(self, contender: Contender, work: _Work, guess: float, seconds: float) -> None:
        for where in _places(contender):
            self._seen[where, work].append(_Seen(guess, seconds))


class LearnedStepResults:
    """The results of steps that are driven as fast as they can be, of equals."""

    def __init__(self) -> None:
        self._repeats: dict[_Cell, list[float]] = defaultdict(list)
        self._rounds: dict[_Cell, dict[int, float]] = defaultdict(dict)  # of slices, by round

    def add(self, plan: Plan, turn: PlannedSession, past: PastSession) -> None:
        for span in past.steps:
            step = plan.steps[span.position]
            if not span.value or span.value <= 0 or not _is_at_full_speed(step):
                continue
            cell = plan.id, span.position, turn.contender
            if plan.order == SLICES:
                self._rounds[cell][turn.repeat] = span.value
            elif not span.is_disturbed:  # as in a verdict
                self._repeats[cell].append(span.value)

    def noise(self, in_slices: bool) -> Noise | None:
        """Of one session: the ratio of two varies by the square root of two times as much."""
        if not in_slices:
            return pooled_noise(self._repeats.values())
        ratios = pooled_noise(self._ratios())
        return ratios and Noise(ratios.deviation / sqrt(2), ratios.freedom)

    def _ratios(self) -> Iterator[list[float]]:
        """Of each contender to the first one of its plan, by round."""
        for (plan, position, contender), values in self._rounds.items():
            base = self._rounds.get((plan, position, 0), {})
            if contender:
                yield [value / base[at] for at, value in values.items() if at in base]


def _is_at_full_speed(step: Step) -> bool:
    """A count is no speed: it varies far less."""
    return step.kind in QUERYING and step.kind != COUNT and not (step.rate or step.warm)


def past_build_defaults(sessions: Iterable[PastSession]) -> dict[str, dict[str, str]]:
    """Variables that the preset of an earlier session left to its build, by the build's fingerprint."""
    found = {}
    for past in sessions:
        if past.variables:
            plan = Plan.from_json(unpack_json(past.plan))
            contender = plan.contender_of(plan.turn_of(past.id))
            if contender.is_existing:
                continue
            by_preset = option_values(contender.cnf)
            in_force = unpack_json(past.variables)
            found[contender.fingerprint] = {
                name: str(value) for name, value in in_force.items() if name not in by_preset
            }
    return found


def _work_of(plan: Plan, index: int) -> _Work:
    """What a step does; of roles all of them."""
    return plan.steps[index].kind, "+".join(role.workload for role in plan.together(index))


def _places(contender: Contender) -> Sequence[str]:
    """What is learned of a contender holds for these, the nearest first."""
    engine = contender.engine
    return contender.key, f"{contender.family} {contender.version} {engine}", engine


@lru_cache(maxsize=64)
def _read(content: bytes, most_rate: int) -> tuple[Plan, list[list[float]]]:
    """A plan as the history has it, and the guesses for each of its contenders."""
    plan = Plan.from_json(unpack_json(content))
    work = StatementEstimator(workloads_of(plan), most_rate)
    return plan, [steps_s(plan, each, work) for each in plan.contenders]
