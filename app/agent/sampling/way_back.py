"""How a rate comes back after an operation: from the events of each second of one role."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence

BEFORE_S = 10  # seconds before it whose mean is what it was
WINDOW_S = 5  # of the mean that has to stay above
SHARES = (50, 90, 95)  # percent of what it was


class RateOfSecond(NamedTuple):
    """One second of the load, by the clock of the step."""

    begin_s: float
    end_s: float
    events: int

    @property
    def rate(self) -> float:
        return self.events / max(self.end_s - self.begin_s, 1e-6)


def mean_rate(seconds: Sequence[RateOfSecond]) -> Optional[float]:
    """Events a second of all of them; None of none."""
    lasted = sum(each.end_s - each.begin_s for each in seconds)
    return sum(each.events for each in seconds) / lasted if lasted > 0 else None


def rate_before(seconds: Sequence[RateOfSecond], at_s: float) -> Optional[float]:
    """The mean of the last seconds before a moment; None if there is no whole second."""
    return mean_rate(
        [each for each in seconds if each.begin_s >= max(0.0, at_s - BEFORE_S - 0.5) and each.end_s <= at_s]
    )


class AnsweredSoFar(NamedTuple):
    """How many statements of a role were answered up to a moment."""

    at_s: float
    statements: int

    def rate_to(self, later: AnsweredSoFar) -> Optional[float]:
        """Statements a second from here to there; None of no time."""
        lasted_s = later.at_s - self.at_s
        return (later.statements - self.statements) / lasted_s if lasted_s > 0 else None


def kept_pct(before: AnsweredSoFar, begin: AnsweredSoFar, end: AnsweredSoFar) -> Optional[float]:
    """Percent of the rate before an operation that was kept while it ran.

    By the moment, not by the second: what clients catch up with right behind it was not answered meanwhile.
    """
    usual, meanwhile = before.rate_to(begin), begin.rate_to(end)
    return None if not usual or meanwhile is None else round(100 * meanwhile / usual, 2)


def seconds_back(
    seconds: Sequence[RateOfSecond], at_s: float, before: Optional[float], answer_s: float = 0.0
) -> Dict[str, Optional[float]]:
    """By percent of `before`: from the moment to the first second from which on the rate is back.

    The server may answer within that second, which begins before its first answer.
    """
    later = [each for each in seconds if each.begin_s >= at_s]
    ends = {str(share): _back(later, at_s, before, share / 100) for share in SHARES}
    return {share: None if back_s is None else max(back_s, answer_s) for share, back_s in ends.items()}


def _back(
    later: Sequence[RateOfSecond], at_s: float, before: Optional[float], share: float
) -> Optional[float]:
    """It is back in a second that has this rate, if each mean from there on has it too."""
    means: List[float] = [
        mean_rate(later[at : at + WINDOW_S]) or 0.0 for at in range(len(later) - WINDOW_S + 1)
    ]
    least = (before or 0.0) * share
    below = [at for at, mean in enumerate(means) if mean < least]
    first = below[-1] + 1 if below else 0
    found = (each for each in later[first : len(means)] if each.rate >= least)
    back = next(found, None) if before else None
    return None if back is None else round(max(0.0, back.begin_s - at_s), 3)
