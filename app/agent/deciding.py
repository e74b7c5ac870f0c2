"""Plans that end when it is decided: after each round, which contenders have to go on."""

from __future__ import annotations

import json
import time
from typing import Dict, Iterator, List, Sequence, Tuple

from app.protocol.plan import QUERYING, SLICES, Plan, Turn
from app.protocol.states import DECIDED, OUT_OF_TIME
from app.stats.endings import endings
from app.stats.verdicts import Cell, Limits

from .system.directory import Directory

_ENDED = b'{"kind":"step_ended"'
Figures = Dict[int, float]  # by step


class Deciding:
    """The base stays as long as anybody does; steps are never left out."""

    def __init__(self, directory: Directory, plan: Plan) -> None:
        self._directory, self._plan = directory, plan
        self._rounds: List[Dict[int, Figures]] = []  # by contender
        self._open = {*range(1, len(plan.contenders))}  # contenders with a cell that is not decided
        self._words: Dict[int, List[str]] = {}  # of the cells of a contender
        self._began = self._round_began = time.monotonic()
        self._longest = 0.0

    def spared(self, turn: Turn) -> str:
        """Why a session of the next round is not needed; '' where it is."""
        if not self._plan.until_decided or not self._rounds:
            return ""
        if self._is_late():
            return OUT_OF_TIME
        is_open = turn.contender in self._open if turn.contender else bool(self._open)
        return "" if is_open else DECIDED

    def said(self, turn: Turn) -> str:
        """How the cells of its contender ended, those of all for the base."""
        parts = []
        for contender in [turn.contender] if turn.contender else sorted(self._words):
            words = zip(self._steps(), self._words.get(contender, []))
            cells = ", ".join("{} {}".format(self._plan.steps[step].label, word) for step, word in words)
            parts.append("{}: {}".format(self._plan.contenders[contender].name, cells))
        return "after {} rounds: {}".format(len(self._rounds), "; ".join(parts))

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
        places = [(contender, step) for contender in sorted(self._open) for step in self._steps()]
        words = endings([self._cell(*place) for place in places], Limits(repeatedly=True), len(self._rounds))
        found: Dict[int, List[str]] = {}
        for (contender, _), word in zip(places, words):
            found.setdefault(contender, []).append(word)
        self._words.update(found)
        self._open -= {contender for contender, its in found.items() if all(its)}

    def _steps(self) -> List[int]:
        """Those whose figures are compared: what prepares them is not repeated for its own sake."""
        steps = enumerate(self._plan.steps)
        return [index for index, step in steps if step.kind in QUERYING and not step.warm]

    def _cell(self, contender: int, step: int) -> Cell:
        ours, theirs = self._column(0, step), self._column(contender, step)
        if self._plan.order != SLICES:
            return Cell(tuple(ours.values()), tuple(theirs.values()), column=contender)
        both = [at for at in ours if at in theirs]
        return Cell(
            tuple(ours[at] for at in both), tuple(theirs[at] for at in both), column=contender, by_round=True
        )

    def _column(self, contender: int, step: int) -> Dict[int, float]:
        """A figure of each round that has one."""
        rounds = enumerate(self._rounds)
        return {at: its[contender][step] for at, its in rounds if step in its.get(contender, {})}

    def _figures(self, turn: Turn) -> Iterator[Tuple[int, float]]:
        """Of the steps that were completed."""
        try:
            with open(self._directory.journal(turn.session), "rb") as file:
                ended = [json.loads(line) for line in file if line.startswith(_ENDED)]
        except OSError:
            return
        for each in ended:
            if each["outcome"] == "completed" and each.get("value") is not None:
                yield each["step"], each["value"]

    def _is_late(self) -> bool:
        limit = self._plan.time_limit
        return bool(limit) and time.monotonic() - self._began + self._longest > limit
