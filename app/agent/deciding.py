"""Plans until decided: which contenders continue after a round."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Dict, List, Sequence, Set

from app.protocol.others import DISTURBED, are_equally_disturbed
from app.protocol.plan import LEVELS, PREPARING, QUERYING, SLICES, Plan, PlannedSession, keeps_rate
from app.protocol.states import DECIDED, IN_PART, OUT_OF_TIME, UNDECIDABLE
from app.stats.at_target.verdicts import (
    HOPELESS,
    StepResultPair,
    VerdictLimits,
    cell_stopping_decisions,
    spoilt_by,
)

from .round_results import Results, StepRoundResult, round_results
from .system.directory import MarkedDirectory

_OPEN = "not decided yet"


class StoppingDecider:
    """Decides who goes on. The base stays as long as any contender does; every round has all steps."""

    def __init__(self, directory: MarkedDirectory, plan: Plan) -> None:
        self._directory, self._plan = directory, plan
        self._limits = replace(VerdictLimits.of_pct(plan.false_share_pct, plan.matters_pct), repeatedly=True)
        self._rounds: List[Dict[int, Results]] = []  # by contender
        self._open = {*range(1, len(plan.contenders))}  # contenders with a cell that is not decided
        self._words: Dict[int, Dict[int, str]] = {}  # of the cells of a contender, by step
        self._began = self._round_began = time.monotonic()
        self._longest = 0.0

    def spared(self, turn: PlannedSession) -> str:
        """Why the next round does not need a session; '' if it does."""
        if not self._plan.until_decided or not self._rounds:
            return ""
        is_open = turn.contender in self._open if turn.contender else bool(self._open)
        if not is_open:
            return self._ending(turn)
        return OUT_OF_TIME if self._is_late() else ""

    def decisions_text(self, turn: PlannedSession) -> str:
        """How the cells of its contender were decided; for the base, all cells."""
        parts = []
        for contender in self._told_of(turn):
            words = self._words.get(contender, {}).items()
            cells = ", ".join(
                "{} {}".format(self._plan.steps[step].label, word or _OPEN) for step, word in words
            )
            parts.append("{}: {}".format(self._plan.contenders[contender].name, cells))
        return "after {} repeats: {}".format(len(self._rounds), "; ".join(parts))

    def _ending(self, turn: PlannedSession) -> str:
        words = [word for each in self._told_of(turn) for word in self._words.get(each, {}).values()]
        hopeless = words.count(HOPELESS)
        return DECIDED if not hopeless else UNDECIDABLE if hopeless == len(words) else IN_PART

    def _told_of(self, turn: PlannedSession) -> List[int]:
        return [turn.contender] if turn.contender else sorted(self._words)

    def take_round(self, turns: Sequence[PlannedSession]) -> None:
        """Judge by all rounds so far."""
        if not self._plan.until_decided:
            return
        now = time.monotonic()
        self._longest, self._round_began = max(self._longest, now - self._round_began), now
        self._rounds.append(round_results(self._directory, self._plan, turns))
        self._judge()

    def _judge(self) -> None:
        """Judge all cells together, as Compare does, also those of loads and of contenders that have left."""
        contenders = range(1, len(self._plan.contenders))
        places = [(contender, step) for contender in contenders for step in self._steps()]
        words = cell_stopping_decisions(
            [self._cell(*place) for place in places], self._limits, len(self._rounds)
        )
        for (contender, step), word in zip(places, words):
            if contender in self._open and self._plan.steps[step].kind in QUERYING:
                self._words.setdefault(contender, {})[step] = word
        self._open -= {each for each in self._open & {*self._words} if all(self._words[each].values())}

    def _steps(self) -> List[int]:
        """The steps that Compare judges."""
        steps = enumerate(self._plan.steps)
        return [index for index, step in steps if step.is_judged]

    def _cell(self, contender: int, step: int) -> StepResultPair:
        ours, theirs = self._column(0, step), self._column(contender, step)
        of_plan, by_round = self._plan.steps[step], self._plan.order == SLICES
        marks = [mark for its in (ours, theirs) for each in its.values() for mark in each.marks]
        at_rate = keeps_rate(self._plan.set_rate(step), of_plan.unit, marks)
        if by_round:
            ours, theirs = ({at: its[at] for at in ours if at in theirs} for its in (ours, theirs))
        columns = [list(its.values()) for its in (ours, theirs)]
        base, other = (tuple(each.value or 0.0 for each in column) for column in columns)
        times = () if by_round else tuple(tuple(each.began for each in column) for column in columns)
        return StepResultPair(
            base,
            other,
            of_plan.direction,
            contender,
            times=times,
            by_round=by_round,
            keeps_rate=at_rate,
            is_load=of_plan.kind in PREPARING,
        )

    def _column(self, contender: int, step: int) -> Dict[int, StepRoundResult]:
        """The result of each round, if it counts; none if one failed or missed a level, as in Compare."""
        rounds = [at for at, its in enumerate(self._rounds) if contender in its]
        failed = [self._rounds[at][contender][step].state == "failed" for at in rounds]
        if any(failed) and not all(failed):
            return {}
        alike = self._alike(step)
        its = {at: self._rounds[at][contender][step] for at in rounds}
        counted = {
            at: result
            for at, result in its.items()
            if result.state == "completed" and result.value is not None
            if not spoilt_by(result.marks, at in alike)
        }
        has_missed = any(result.marks & {*LEVELS} for result in counted.values())
        return {} if has_missed else counted

    def _alike(self, step: int) -> Set[int]:
        """Rounds in which load disturbed all contenders alike, so that their ratio still holds."""
        of_rounds = [[its[step] for its in of_round.values()] for of_round in self._rounds]
        if are_equally_disturbed([(each.marks, each.others) for results in of_rounds for each in results]):
            return {*range(len(self._rounds))}
        if not self._plan.steps[step].sliced:
            return set()
        return {
            at
            for at, results in enumerate(of_rounds)
            if all(DISTURBED in each.marks and not each.is_whole for each in results)
        }

    def _is_late(self) -> bool:
        limit = self._plan.time_limit
        return bool(limit) and time.monotonic() - self._began + self._longest > limit
