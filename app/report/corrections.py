"""What has changed since an earlier interactive report of the same sessions: the page carries its numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from app.core.units import count_text, figure_text

from .page_numbers import FORMAT

MOST_CORRECTIONS = 20  # the oldest go first
_AGAIN = "Made again"  # nothing changed: the next of them takes its place
_MOST_BYTES = 4_000_000  # of a file that is read as an earlier report
_NUMBERS = re.compile(r'<script type="application/json" id="numbers">(.*?)</script>', re.DOTALL)


class _Session(msgspec.Struct):
    session: str


class _Column(msgspec.Struct):
    name: str
    sessions: list[_Session]


class _Label(msgspec.Struct):
    label: str


class _Step(msgspec.Struct):
    unit: str
    value: list[float | None]
    verdict: list[str | None]


class _Base(msgspec.Struct):
    steps: list[_Step]


class Numbers(msgspec.Struct):
    """The part of a page's numbers that is compared."""

    format: str
    made: str
    base: int
    columns: list[_Column]
    steps: list[_Label]
    bases: list[_Base]
    corrections: list[str] = []


@dataclass(frozen=True)
class _Result:
    step: str
    name: str
    unit: str
    value: float | None
    verdict: str | None


def numbers_of_page(file: Path) -> Numbers | None:
    """The numbers of an interactive report; None if the file is missing, or something else."""
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
    found = _NUMBERS.search(text)
    try:
        numbers = msgspec.json.decode(found[1], type=Numbers) if found else None
    except (msgspec.DecodeError, RecursionError):
        return None
    return numbers if numbers and numbers.format == FORMAT else None


def corrections_since(earlier: Numbers, document: Mapping[str, Any], today: str) -> list[str]:
    """A sentence on what has changed since, after those of the earlier page itself."""
    now = msgspec.convert(dict(document), Numbers)
    old, new = dict(_results(earlier)), dict(_results(now))
    both = [(old[key], new[key]) for key in new if key in old]
    if not both:
        return []
    values = [pair for pair in both if pair[0].value != pair[1].value or pair[0].unit != pair[1].unit]
    verdicts = [pair for pair in both if pair[0].verdict != pair[1].verdict]
    sentence = f"{_changes(values, verdicts, len(both))}{_sessions(earlier, now)}"
    word = "Corrected" if values or verdicts else _AGAIN
    text = f"{word} on {today}, in place of the report of {earlier.made}: {sentence}."
    before_it = [each for each in earlier.corrections if not each.startswith(_AGAIN)]
    return [*before_it, text][-MOST_CORRECTIONS:]


def _results(numbers: Numbers) -> Iterator[tuple[tuple[str, str], _Result]]:
    """The results against its base, by step and the first session of their column."""
    against = numbers.bases[numbers.base].steps if 0 <= numbers.base < len(numbers.bases) else []
    for label, step in zip(numbers.steps, against, strict=False):
        for column, value, verdict in zip(numbers.columns, step.value, step.verdict, strict=False):
            if column.sessions:
                result = _Result(label.label, column.name, step.unit, value, verdict)
                yield (label.label, column.sessions[0].session), result


def _changes(
    values: list[tuple[_Result, _Result]], verdicts: list[tuple[_Result, _Result]], results: int
) -> str:
    if not values and not verdicts:
        return "no result and no verdict changed"
    parts = [f"{len(values):,} of {count_text(results, 'result')} changed"]
    if values:
        old, new = max(values, key=_size)
        parts[0] += (
            f", the most in {new.step}, {new.name}: {figure_text(old.value, old.unit)} is"
            f" {figure_text(new.value, new.unit)} {new.unit} now"
        )
    return "; ".join([*parts, f"{count_text(len(verdicts), 'verdict')} changed"])


def _size(change: tuple[_Result, _Result]) -> float:
    """How many times a result is what it was; one that appears or goes is the largest change."""
    old, new = (each.value for each in change)
    return max(new / old, old / new) if old and new and old * new > 0 else float("inf")


def _sessions(earlier: Numbers, now: Numbers) -> str:
    before, after = _ids(earlier), _ids(now)
    added, gone = len(after - before), len(before - after)
    texts = [
        f"; {count_text(count, 'session')} {what}"
        for count, what in ((added, "added"), (gone, "left out"))
        if count
    ]
    return "".join(texts)


def _ids(numbers: Numbers) -> set[str]:
    return {each.session for column in numbers.columns for each in column.sessions}
