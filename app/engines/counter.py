"""A counter of a server as a series, or as something that its threads wait for."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import List, Mapping, NamedTuple, Optional, Tuple, Union

TO_KB, TO_MB = 1 / 1024, 1 / (1 << 20)  # of bytes
SHARE = "share"  # the unit of a part of a whole: from 0 to 1
OF_ENGINE = "."  # in the names of values that `Engine.seldom` reads, and SHOW GLOBAL STATUS does not have

_TERM = re.compile(r"([+-]?)([^+|-]+)")


class StatusCounter(NamedTuple):
    """A status variable (or the sum of several) as a series."""

    series: str
    status: str  # names joined by + and -; | before those of other versions, for servers without the first
    unit: str
    kind: str  # rate | gauge
    direction: str
    label: str
    scale: float = 1.0
    per: str = ""  # what a share is a share of, written like status
    digits: int = 2

    @property
    def names(self) -> List[str]:
        """The status variables that it reads."""
        return names_in("|".join(filter(None, (self.status, self.per))))

    def total(self, status: Mapping[str, str]) -> Optional[float]:
        """What the server has counted, or the share; None if it is missing."""
        value = total_of(self.status, status)
        if not self.per:
            return value
        whole = total_of(self.per, status)
        return None if value is None or not whole else value / whole


def names_in(expression: str) -> List[str]:
    """The names in all alternatives."""
    return [name for _, name in _TERM.findall(expression)]


def total_of(expression: str, values: Mapping[str, Union[str, float]]) -> Optional[float]:
    """The first of the alternatives of which every name has a value."""
    for terms in _alternatives(expression):
        try:
            return sum(sign * float(values[name]) for sign, name in terms)
        except (KeyError, ValueError):
            continue
    return None


@lru_cache(maxsize=1024)
def _alternatives(expression: str) -> List[List[Tuple[int, str]]]:
    """The signs and names of each alternative; parsed once, as all are read every second."""
    return [
        [(-1 if sign == "-" else 1, name) for sign, name in _TERM.findall(alternative)]
        for alternative in expression.split("|")
    ]


class StatusWait(NamedTuple):
    """A wait that status variables count, whether the Performance Schema is on or not."""

    name: str
    kind: str  # of KINDS in waits.py
    counter: str  # names joined by +
    time: str = ""  # a name; "": only the count is known
    to_ms: float = 1.0


def rate(
    series: str, status: str, label: str, unit: str = "1/s", scale: float = 1.0, direction: str = ""
) -> StatusCounter:
    """A counter that grows, as a rate per second."""
    return StatusCounter(series, status, unit, "rate", direction, label, scale)


def gauge(
    series: str, status: str, label: str, unit: str = "", scale: float = 1.0, direction: str = ""
) -> StatusCounter:
    """A value that goes up and down."""
    return StatusCounter(series, status, unit, "gauge", direction, label, scale)


def share(series: str, status: str, per: str, label: str, direction: str = "") -> StatusCounter:
    """A value that goes up and down, as a share of another."""
    return StatusCounter(series, status, SHARE, "gauge", direction, label, per=per, digits=4)
