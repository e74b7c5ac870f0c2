"""How long steps take on one machine: each guess, times how far guesses were off in its earlier sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log
from statistics import median
from typing import NamedTuple

from app.history.damage import unpack_json
from app.history.measured import PastSession
from app.protocol.plan import LIMIT, SLICES, Contender, Plan

from .guesses import SERVER_S, Work, steps_s, workloads_of

NEAREST = (
    5  # earlier steps whose guesses are nearest: a load of a million rows says little of one of a thousand
)
OUTSIDE = ("outside", "")  # of the steps: the server is made, started and shut down

_Work = tuple[str, str]  # kind and workload of a step, or OUTSIDE


class _Seen(NamedTuple):
    guess: float
    seconds: float


class Learned:
    """Seconds beyond declared ones; without earlier sessions they are the guesses."""

    def __init__(self, sessions: Iterable[PastSession], most_rate: int) -> None:
        self.sessions = 0
        self._seen: dict[tuple[str, _Work], list[_Seen]] = defaultdict(list)
        for each in sessions:
            self._learn(each, most_rate)

    def steps_s(self, plan: Plan, contender: Contender, work: Work) -> list[float]:
        """Of each step of a contender."""
        return [
            guess
            if step.sliced or step.restart_with or step.kind == LIMIT  # ends when it has its answer
            else self._seconds(contender, (step.kind, step.workload), guess)
            for step, guess in zip(plan.steps, steps_s(plan, contender, work), strict=True)
        ]

    def outside_s(self, contender: Contender) -> float:
        """Of a session, before its first step and after its last one."""
        return self._seconds(contender, OUTSIDE, SERVER_S)

    def knows(self, contender: Contender, kind: str) -> bool:
        """Whether a step of this kind was carried out with the engine."""
        return any(where == contender.engine and work[0] == kind for where, work in self._seen)

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
        if any(step.restart_with for step in plan.steps):
            return  # what happens between two steps is not of one of them
        self.sessions += 1
        contender, is_sliced = plan.contender_of(turn), plan.order == SLICES
        for span in past.steps:
            step = plan.steps[span.position]
            took = span.own_s if is_sliced else span.seconds  # between its steps others had their turns
            beyond = max(0.0, took - step.seconds - step.warmup)
            if span.is_completed and not step.sliced:
                self._add(
                    contender, (step.kind, step.workload), guesses[turn.contender][span.position], beyond
                )
        if not (is_sliced or plan.pause or plan.quiet_wait or plan.canary or plan.start == "snapshot"):
            self._add(contender, OUTSIDE, SERVER_S, past.outside_s)

    def _add(self, contender: Contender, work: _Work, guess: float, seconds: float) -> None:
        for where in _places(contender):
            self._seen[where, work].append(_Seen(guess, seconds))


def _places(contender: Contender) -> Sequence[str]:
    """What is learned of a contender holds for these, the nearest first."""
    engine = contender.engine
    return contender.key, f"{contender.family} {contender.version} {engine}", engine


@lru_cache(maxsize=64)
def _read(content: bytes, most_rate: int) -> tuple[Plan, list[list[float]]]:
    """A plan as the history has it, and the guesses for each of its contenders."""
    plan = Plan.from_json(unpack_json(content))
    work = Work(workloads_of(plan), most_rate)
    return plan, [steps_s(plan, each, work) for each in plan.contenders]
