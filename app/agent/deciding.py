"""Plans until decided: which contenders continue after a round."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Dict, FrozenSet, Iterator, List, NamedTuple, Sequence, Tuple

from app.protocol.events import SPOILT
from app.protocol.others import DISTURBED
from app.protocol.plan import QUERYING, SLICES, Plan, Turn
from app.protocol.states import DECIDED, IN_PART, OUT_OF_TIME, UNDECIDABLE
from app.stats.endings import HOPELESS, endings
from app.stats.verdicts import Cell, Limits

from .system.directory import Directory

_ENDED = b'{"kind":"step_ended"'
_UNJUDGED, _OPEN = ("warmup",), "not decided yet"
_SPOILT = frozenset(SPOILT)


class Figure(NamedTuple):
    """The result of a step in a session."""

    value: float
    spoilt: FrozenSet[str]  # its marks for which Compare leaves it out


class Deciding:
    """Decides who goes on. The base stays as long as any contender does; every round has all steps."""

    def __init__(self, directory: Directory, plan: Plan) -> None:
        self._directory, self._plan = directory, plan
        self._limits = replace(Limits.of_pct(plan.false_share_pct, plan.matters_pct), repeatedly=True)
        self._rounds: List[Dict[int, Dict[int, Figure]]] = []  # by contender and step
        self._open = {*range(1, len(plan.contenders))}  # contenders with a cell that is not decided
        self._words: Dict[int, Dict[int, str]] = {}  # of the cells of a contender, by step
        self._began = self._round_began = time.monotonic()
        self._longest = 0.0

    def spared(self, turn: Turn) -> str:
        """Why the next round does not need a session; '' if it does."""
        if not self._plan.until_decided or not self._rounds:
            return ""
        is_open = turn.contender in self._open if turn.contender else bool(self._open)
        if not is_open:
            return self._ending(turn)
        return OUT_OF_TIME if self._is_late() else ""

    def said(self, turn: Turn) -> str:
        """How the cells of its contender were decided; for the base, all cells."""
        parts = []
        for contender in self._told_of(turn):
            words = self._words.get(contender, {}).items()
            cells = ", ".join(
                "{} {}".format(self._plan.steps[step].label, word or _OPEN) for step, word in words
            )
            parts.append("{}: {}".format(self._plan.contenders[contender].name, cells))
        return "after {} rounds: {}".format(len(self._rounds), "; ".join(parts))

    def _ending(self, turn: Turn) -> str:
        words = [word for each in self._told_of(turn) for word in self._words.get(each, {}).values()]
        hopeless = words.count(HOPELESS)
        return DECIDED if not hopeless else UNDECIDABLE if hopeless == len(words) else IN_PART

    def _told_of(self, turn: Turn) -> List[int]:
        return [turn.contender] if turn.contender else sorted(self._words)

    def take_round(self, turns: Sequence[Turn]) -> None:
        """Judge by all rounds so far."""
        if not self._plan.until_decided:
            return
        now = time.monotonic()
        self._longest, self._round_began = max(self._longest, now - self._round_began), now
        found = {turn.contender: dict(self._figures(turn)) for turn in turns}  # the last attempt counts
        self._rounds.append(found)
        self._judge()

    def _judge(self) -> None:
        """Judge all cells together, as Compare does, also those of loads and of contenders that have left."""
        contenders = range(1, len(self._plan.contenders))
        places = [(contender, step) for contender in contenders for step in self._steps()]
        words = endings([self._cell(*place) for place in places], self._limits, len(self._rounds))
        for (contender, step), word in zip(places, words):
            if contender in self._open and self._plan.steps[step].kind in QUERYING:
                self._words.setdefault(contender, {})[step] = word
        self._open -= {each for each in self._open & {*self._words} if all(self._words[each].values())}

    def _steps(self) -> List[int]:
        """The steps that Compare judges."""
        steps = enumerate(self._plan.steps)
        return [index for index, step in steps if step.kind not in _UNJUDGED and not step.warm]

    def _cell(self, contender: int, step: int) -> Cell:
        ours, theirs = self._column(0, step), self._column(contender, step)
        direction, by_round = self._plan.steps[step].direction, self._plan.order == SLICES
        if by_round:
            ours, theirs = ({at: its[at] for at in ours if at in theirs} for its in (ours, theirs))
        figures = tuple(ours.values()), tuple(theirs.values())
        return Cell(*figures, direction, contender, by_round=by_round)

    def _column(self, contender: int, step: int) -> Dict[int, float]:
        """The result of each round, if it counts."""
        found = {at: its.get(contender, {}).get(step) for at, its in enumerate(self._rounds)}
        return {at: each.value for at, each in found.items() if each and self._counts(each, step, at)}

    def _counts(self, figure: Figure, step: int, at: int) -> bool:
        """Whether a result counts: if load disturbed all contenders alike, their ratio still holds."""
        if figure.spoilt != {DISTURBED}:
            return not figure.spoilt
        rounds = self._rounds[at : at + 1] if self._plan.steps[step].sliced else self._rounds
        alike = [its[step] for of_round in rounds for its in of_round.values() if step in its]
        return all(DISTURBED in each.spoilt for each in alike)

    def _figures(self, turn: Turn) -> Iterator[Tuple[int, Figure]]:
        """The results of the completed steps."""
        try:
            with open(self._directory.journal(turn.session), "rb") as file:
                ended = [json.loads(line) for line in file if line.startswith(_ENDED)]
        except OSError:
            return
        for each in ended:
            if each["outcome"] == "completed" and each.get("value") is not None:
                yield each["step"], Figure(each["value"], _SPOILT.intersection(each.get("marks", ())))

    def _is_late(self) -> bool:
        limit = self._plan.time_limit
        return bool(limit) and time.monotonic() - self._began + self._longest > limit
