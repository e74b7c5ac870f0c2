"""A search over builds as JSON and in words: each comparison, and which build it is."""

from __future__ import annotations

from math import exp
from typing import TypedDict

from app.comparison.differences.warnings import OF_COUNTS
from app.core.table import Table
from app.core.units import count_text, unit_text
from app.stats.at_target.welch import LogMeanDifference

from .bisect_search import BAD, FOUND, GOES_ON, SAME, BisectState, EarlierBuildDifference
from .bisecting import BisectionBuilds
from .evidence import MeasuredRounds

_LATE = "the next comparison would end after the time, with more of it the same search goes on"
_HEADS = ("build", "against", "verdict", "ratio", "interval", "n")


class BisectLookEntry(TypedDict):
    """A comparison of two builds."""

    build: str
    against: str
    verdict: str  # as before | changed | undecided
    ratio: float | None  # null: fewer than three rounds, or than two starts
    low: float | None  # null: as above, or counted, which has no interval
    high: float | None
    n: int  # rounds


class BisectAnswer(TypedDict):
    """What `bisect --json` gives."""

    step: str
    unit: str
    verdict: str  # found | no change | cannot be told | goes on
    build: str  # the first one that is changed; '' where none is found
    before: str  # the last one that is as before
    builds: int
    skipped: list[str]  # between both: they do not start
    passed_over: list[str]  # builds that the search left out, and why
    looks: list[BisectLookEntry]
    sentence: str
    remarks: list[str]


def bisect_entry(search: BisectionBuilds, found: BisectState, evidence: MeasuredRounds) -> BisectAnswer:
    is_found = found.verdict == FOUND
    return {
        "step": search.work.step,
        "unit": evidence.unit,
        "verdict": found.verdict,
        "build": search.builds[found.high] if is_found else "",
        "before": search.builds[found.low] if is_found else "",
        "builds": len(search.builds),
        "skipped": [search.builds[at] for at in found.skipped],
        "passed_over": list(search.passed_over),
        "looks": [_look(search, look) for look in found.looks],
        "sentence": _sentence(search, found, search.is_late(evidence)),
        "remarks": list(found.remarks),
    }


def _look(search: BisectionBuilds, look: EarlierBuildDifference) -> BisectLookEntry:
    tested = look.ratio if isinstance(look.ratio, LogMeanDifference) else None
    low, high = (tested.interval(search.asked.level) if tested else None) or (None, None)
    return {
        "build": search.builds[look.pair[1]],
        "against": search.builds[look.pair[0]],
        "verdict": look.side,
        "ratio": None if look.ratio is None else exp(look.ratio.apart),
        "low": low,
        "high": high,
        "n": look.n,
    }


def _sentence(search: BisectionBuilds, found: BisectState, is_late: bool) -> str:
    builds, step = search.builds, search.work.step
    if search.is_counted:
        return _counted_sentence(search, found, is_late)
    if found.verdict == FOUND:
        ratio = found.looks[-1].ratio or found.looks[0].ratio
        size = f" to {exp(ratio.apart):.3f} of it" if ratio else ""
        where = f"with {builds[found.high]}{_skipped(found)}; {builds[found.low]} is as before"
        return f"{step} changes{size} {where}."
    if found.verdict == SAME:
        by = f"{100 * search.by:g}%"
        return f"{step} differs by less than {by} between {builds[0]} and {builds[-1]}."
    return _open_sentence(search, found, step, "in this noise", is_late)


def _counted_sentence(search: BisectionBuilds, found: BisectState, is_late: bool) -> str:
    """The same of instructions: work, not speed."""
    builds, step = search.builds, search.work.step
    if found.verdict == FOUND and (ratio := found.looks[-1].ratio):
        more = exp(ratio.apart) - 1
        size = f"{abs(more):.{1 if abs(more) < 0.1 else 0}%} {'more' if more > 0 else 'fewer'} instructions"
        where = f"with {builds[found.high]}{_skipped(found)} than with {builds[found.low]}"
        return f"{step} takes {size} {where}. {OF_COUNTS[:1].upper()}{OF_COUNTS[1:]}."
    if found.verdict == SAME:
        by = f"{100 * search.by:g}%"
        return f"{step} takes the same instructions within {by} with {builds[0]} and {builds[-1]}."
    return _open_sentence(search, found, f"the work of {step}", "by starts so far apart", is_late)


def _open_sentence(search: BisectionBuilds, found: BisectState, what: str, why: str, is_late: bool) -> str:
    builds, there_is = search.builds, "" if found.looks[0].side == BAD else ", if there is one"
    place = f"The change of {what} is between {builds[found.low]} and {builds[found.high]}{there_is}"
    if found.verdict == GOES_ON:
        return f"{place}; {_LATE if is_late else 'the same search goes on'}."
    return f"{place}: more cannot be told {why}."


def _skipped(found: BisectState) -> str:
    return f" or one of {len(found.skipped)} that do not start before it" if found.skipped else ""


def bisect_table(entry: BisectAnswer) -> Table:
    """A line for each comparison."""
    lines = tuple(map(_line, entry["looks"]))
    unit = f" ({unit_text(entry['unit'])})" if entry["unit"] else ""
    title = f"{entry['step']}{unit} over {count_text(entry['builds'], 'build')}"
    left = [f"left out: {each}" for each in entry["passed_over"]]
    return Table(title, _HEADS, lines, 3, (*left, *entry["remarks"], entry["sentence"]))


def _line(look: BisectLookEntry) -> tuple[str, ...]:
    interval = "-" if look["low"] is None else f"{_number(look['low'])} to {_number(look['high'])}"
    return look["build"], look["against"], look["verdict"], _number(look["ratio"]), interval, str(look["n"])


def _number(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3f}"
