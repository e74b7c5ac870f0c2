"""A file of claims, one a line: `insert: mysql-9.7 < 0.6 x mysql-5.6`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from app.core.errors import InputError
from app.core.toml_text import read_text, short_value_repr

MOST_BYTES, MOST_CLAIMS, MOST_CHARACTERS = 64 << 10, 1000, 400
GROUP = "group "  # before the name of a group, in place of a step
_CLAIM = re.compile(r"(?P<step>[^<>]+?): (?P<other>[^<>]+)(?P<sign>[<>])(?P<right>[^<>=][^<>]*)")
_RIGHT = re.compile(r"(?:(?P<before_x>\S+) x |(?P<number>[\d.]+)x? )?(?P<base>.+)", re.ASCII)
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+", re.ASCII)
_FORM = "write STEP: CONTENDER < FACTOR x CONTENDER, such as insert: mysql-9.7 < 0.6 x mysql-5.6"


@dataclass(frozen=True)
class Claim:
    """That the ratio of a step in two contenders is below a factor, or above it."""

    place: str  # file and line, for messages
    line: int
    step: str  # name, or label with coordinates
    group: str  # in place of a step
    other: str  # as contenders are named: build, engine, preset
    sign: str  # < or >
    factor: float
    base: str

    def text_of(self, step: str) -> str:
        """`insert: mysql-9.7 < 0.6 x mysql-5.6`, of this step, or of its group."""
        what = f"{GROUP}{self.group}" if self.group else step
        times = "" if self.factor == 1 else f"{self.factor:.15g} x "
        return f"{what}: {self.other} {self.sign} {times}{self.base}"

    def holds_for(self, low: float, high: float) -> bool:
        """Whether the whole interval is on the side that is claimed."""
        return high < self.factor if self.sign == "<" else low > self.factor

    def fails_for(self, low: float, high: float) -> bool:
        """Whether the whole interval is on the other side."""
        return low > self.factor if self.sign == "<" else high < self.factor


def read_claims(path: Path) -> list[Claim]:
    """The claims of a file; raises InputError with the first line that is not a claim."""
    found = list(_claims(path))
    if not found:
        raise InputError(f"{path}: has no claims: {_FORM}")
    return found


def _claims(path: Path) -> Iterator[Claim]:
    count = 0
    for number, line in enumerate(read_text(path, MOST_BYTES).split("\n"), 1):
        if text := " ".join(line.partition("#")[0].split()):
            count += 1
            if count > MOST_CLAIMS:
                raise InputError(f"{path}: line {number}: more than {MOST_CLAIMS:,} claims")
            yield _claim(f"{path}: line {number}", number, text)


def _claim(place: str, number: int, text: str) -> Claim:
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"{place}: longer than {MOST_CHARACTERS} characters")
    if not text.isprintable():
        raise InputError(f"{place}: {short_value_repr(text)} has characters that cannot be printed")
    found = _CLAIM.fullmatch(text)
    right = _RIGHT.fullmatch(found["right"].strip()) if found else None
    if not found or not right:
        raise InputError(f"{place}: {short_value_repr(text)} is no claim: {_FORM}")
    step = found["step"].strip()
    is_group = step.startswith(GROUP)
    return Claim(
        place=place,
        line=number,
        step="" if is_group else step,
        group=step.removeprefix(GROUP) if is_group else "",
        other=found["other"].strip(),
        sign=found["sign"],
        factor=_factor(place, right["before_x"] or right["number"] or "1"),
        base=right["base"].strip(),
    )


def _factor(place: str, text: str) -> float:
    value = float(text) if _NUMBER.fullmatch(text) else 0.0
    if not (isfinite(value) and value > 0):
        raise InputError(
            f"{place}: the factor must be a number above 0, such as 0.6, not {short_value_repr(text)}"
        )
    return value
