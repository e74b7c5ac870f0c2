"""The highest rate of a step under a limit of its latency: which rate to try next, and the answer."""

from __future__ import annotations

from typing import List, Optional

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
