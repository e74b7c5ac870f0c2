"""A step that searches the highest rate at which the p99 of a server stays under a limit."""

from __future__ import annotations

import time
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional

from app.protocol.events import REPEATED, MomentEvent
from app.protocol.others import DISTURBED, Others
from app.protocol.plan import RATE_MISSED
from app.protocol.step_parts import P99LimitSearch, TriedRate
from app.protocol.sysbench import seed_of

from .drive_step import DriveStep
from .settle_step import drain

if TYPE_CHECKING:
    from app.protocol.plan import Step

    from .facts import SessionFactsWriter
    from .running import RunningSession

EVENTS = 10_000  # of a try, at least
MORE = 1.05  # times as many are planned: their number is random
LEAST_S = 5  # of a try
DRAIN_S = 30  # the longest wait for what earlier tries have left to write


class LimitStep:
    """Measures without a limit first, then tries rates until one has passed often enough."""

    def __init__(
        self, session: RunningSession, facts: SessionFactsWriter, index: int, step: Step, seed: int
    ) -> None:
        self._session = session
        self._facts = facts
        self._index = index
        self._step = step
        self._seed = seed
        self._tries: List[TriedRate] = []
        self._closed = 0.0  # events per second without a limit
        self._others: Optional[Others] = None  # what disturbed the latest try that was disturbed

    def run(self) -> Dict[str, Any]:
        """Search to the end; returns the fields of step_ended: those of the answer's last try."""
        ends_at = time.monotonic() + self._step.cap_s
        ended = self._drive(replace(self._step, kind="drive"), self._seed)
        if ended["outcome"] != "completed":
            return ended
        self._closed = ended["totals"].events / ended["seconds"]
        search = LimitSearch(self._closed)
        while search.rate is not None:
            step = self._step_at(search.rate)
            if time.monotonic() + step.warmup + step.seconds > ends_at:
                return self._unanswered("its time limit of {} s was reached".format(self._step.cap_s))
            ended = self._try(step)
            if ended["outcome"] != "completed":
                return {**ended, "value": None, "limit": self._limit()}
            search.take(self._take(step, ended))
        if search.answer is None:
            return self._unanswered("p99 was above the limit at a tenth of the rate without a limit, too")
        return self._answered(search.answer, ended)

    def _step_at(self, rate: float) -> Step:
        """A try: long enough for its events."""
        whole = max(1, round(rate))
        seconds = max(LEAST_S, ceil(MORE * EVENTS / whole))
        return replace(self._step, kind="drive", rate=whole, seconds=seconds)

    def _try(self, step: Step) -> Dict[str, Any]:
        """Try a rate on a server that has nothing left to do; the seconds of the step count anew."""
        number = len(self._tries) + 1
        text = "try {}: {:,} events/s".format(number, step.rate)
        self._session.journal.write(MomentEvent, name=REPEATED, step=self._index, value=number, text=text)
        if step.writes:
            drain(self._session, self._index, DRAIN_S)
        return self._drive(step, seed_of(self._session.plan, self._session.turn.repeat, self._step, number))

    def _drive(self, step: Step, seed: int) -> Dict[str, Any]:
        ended = DriveStep(self._session, self._facts, self._index, step, seed).run()
        if DISTURBED in ended.get("marks", ()):
            self._others = ended["others"]
        return ended

    def _take(self, step: Step, ended: Mapping[str, Any]) -> bool:
        """Keep a try, and log it; whether it has passed."""
        p99, events = ended["latency_ms"]["p99"], ended["totals"].events
        is_kept = RATE_MISSED not in ended["marks"]
        passed = is_kept and events >= EVENTS and p99 is not None and p99 <= self._step.limit_ms
        self._tries.append(TriedRate(step.rate, p99, events, passed))
        said = "passed" if passed else "rate not reached" if not is_kept else "failed"
        self._session.journal.log(
            "{}, try {}: {:,} events/s, p99 {} ms: {}".format(
                self._step.label, len(self._tries), step.rate, "?" if p99 is None else round(p99, 3), said
            ),
            "info",
        )
        return passed

    def _answered(self, rate: float, ended: Mapping[str, Any]) -> Dict[str, Any]:
        """The end of the last try, which has passed; its figure are the queries at the rate."""
        whole, totals = max(1, round(rate)), ended["totals"]
        value = round(whole * totals.queries / totals.events, 2)
        return {**ended, **self._disturbed(ended), "value": value, "limit": self._limit(whole)}

    def _disturbed(self, ended: Mapping[str, Any]) -> Dict[str, Any]:
        """The marks of an answer that one disturbed try may have moved."""
        if not self._others or DISTURBED in ended["marks"]:
            return {}
        return {"marks": [*ended["marks"], DISTURBED], "others": self._others}

    def _unanswered(self, reason: str) -> Dict[str, Any]:
        return {"outcome": "failed", "reason": reason, "limit": self._limit()}

    def _limit(self, rate: Optional[int] = None) -> P99LimitSearch:
        return P99LimitSearch(self._step.limit_ms, round(self._closed, 2), rate, self._tries)


# the highest rate of a step under a limit of its latency: which rate to try next, and the answer


LOWEST = 0.1  # of the rate without a limit: no lower one is tried
FINENESS = 1.01  # between neighbouring rates
PASSES = 3  # of the answer
FAILURES = 2  # of a rate that is too high: one may be a hiccup


class LimitSearch:
    """Halves the range of rates, then tries the highest good one until it has passed often enough.

    A rate is too high once it has failed twice. One that passes once counts as good until then.
    """

    def __init__(self, most: float) -> None:
        self.rates = _rates(most)
        self._passed = [0] * len(self.rates)
        self._failed = [0] * len(self.rates)
        self._good = -1  # the highest rate that has passed, by its place; -1: none
        self._bad = len(self.rates)  # the lowest rate that is too high

    @property
    def rate(self) -> Optional[float]:
        """The rate to try next; None: the search is over."""
        at = self._at
        return None if at is None else self.rates[at]

    @property
    def answer(self) -> Optional[float]:
        """The rate that has passed often enough; None: there is none, or the search is not over."""
        is_found = self._good >= 0 and self._at is None
        return self.rates[self._good] if is_found else None

    @property
    def _at(self) -> Optional[int]:
        if self._bad - self._good > 1:
            return (self._good + self._bad) // 2
        return self._good if self._good >= 0 and self._passed[self._good] < PASSES else None

    def take(self, passed: bool) -> None:
        """Take the result of the rate that was tried."""
        at = self._at
        assert at is not None, "the search is over"
        if passed:
            self._passed[at] += 1
        else:
            self._failed[at] += 1
        if self._failed[at] >= FAILURES:
            self._bad, self._good = at, self._good_below(at)
        elif self._is_good(at):
            self._good = max(self._good, at)

    def _good_below(self, at: int) -> int:
        """The place of the highest good rate below this one, or -1."""
        return next(filter(self._is_good, range(min(self._good, at - 1), -1, -1)), -1)

    def _is_good(self, at: int) -> bool:
        return self._passed[at] > self._failed[at]


def _rates(most: float) -> List[float]:
    found = [most]
    while found[-1] / FINENESS >= LOWEST * most:
        found.append(found[-1] / FINENESS)
    return found[::-1]
