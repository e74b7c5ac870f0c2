"""What is a difference in a comparison and what is noise: a verdict a cell, a ratio a group of steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from app.core.units import count_text
from app.stats import Cell, Limits, Verdict, group_ratio, judge
from app.stats.ranks import fewest
from app.stats.steady import UNSTEADY
from app.stats.verdicts import BETTER, COLOURED, DIFFERS, FEW, NOISE, SINGLE, SMALL, WORSE

if TYPE_CHECKING:
    from app.core.settings import Settings

    from .entries import Comparison, GroupEntry, RowEntry

BASE = "base"
MARKED = "marked"  # something went wrong or was left over: never judged
OF_ALL_SECONDS = "of-all-seconds"  # another measure than the figure of a step that is cut
FAILED_REPEAT = "failed-repeat"  # those that came to a figure are chosen by their luck
UNJUDGED = (
    "after-a-crash", "error-ridden", "indebted", "bad-statistics", "no-index", "fewer-clients", "out-of-rows",
    UNSTEADY, OF_ALL_SECONDS, FAILED_REPEAT,
)  # fmt: skip
SIGNS = {NOISE: "~", SMALL: "~", FEW: "?", MARKED: "!"}  # beside a ratio, where a word would be too long
SHORT_SIGNS = {**SIGNS, BETTER: "\N{BLACK UP-POINTING TRIANGLE}", WORSE: "\N{BLACK DOWN-POINTING TRIANGLE}",
               DIFFERS: "\N{NOT EQUAL TO}"}  # where no word has room  # fmt: skip
_MEANINGS = {
    BETTER: "better",
    WORSE: "worse",
    DIFFERS: "differs",
    NOISE: "within the noise, or too small to matter",
    FEW: "",  # see _few_text
    MARKED: "marked, not judged",
}
UNKNOWN_NOISE = "the noise between sessions is unknown"


def limits_from(settings: Settings) -> Limits:
    """As a person has set them."""
    return Limits(settings.false_share_pct / 100, settings.matters_pct / 100)


def with_verdicts(comparison: Comparison, base: int, limits: Limits) -> Comparison:
    """With verdicts that hold for all of its cells together."""
    places = [(row, at) for row in comparison["rows"] for at in _judgeable(row, base)]
    verdicts = judge([_cell(row, base, at) for row, at in places], limits)
    for row in comparison["rows"]:
        row["verdict"] = [_without_test(row, base, at) for at in range(len(row["n"]))]
        row["p"] = [None] * len(row["n"])
    for (row, at), verdict in zip(places, verdicts, strict=True):
        _write(row, at, verdict)
    return {**comparison, "groups": _groups(comparison, base), "limits": asdict(limits)}


def _judgeable(row: RowEntry, base: int) -> Iterator[int]:
    for at, n in enumerate(row["n"]):
        if at != base and n and row["n"][base] and not _is_marked(row, base) and not _is_marked(row, at):
            yield at


def _is_marked(row: RowEntry, at: int) -> bool:
    return any(mark in UNJUDGED for mark in row["marks"][at])


def marks_of_measures(row: RowEntry, at: int) -> list[str]:
    """The marks of a cell by another measure than the figure of its step: that one knows all seconds only."""
    return [*row["marks"][at], *([OF_ALL_SECONDS] if any(row["cuts"][at]) else [])]


def _cell(row: RowEntry, base: int, at: int) -> Cell:
    ours, theirs = (
        tuple(value for value in row["samples"][each] if value is not None) for each in (base, at)
    )
    return Cell(ours, theirs, row["direction"])


def _without_test(row: RowEntry, base: int, at: int) -> str | None:
    if not row["n"][at]:
        return None
    if at == base:
        return BASE
    return MARKED if _is_marked(row, base) or _is_marked(row, at) else None


def _write(row: RowEntry, at: int, verdict: Verdict) -> None:
    row["verdict"][at], row["p"][at] = verdict.word, verdict.p


def _groups(comparison: Comparison, base: int) -> list[GroupEntry]:
    """In the order of their first steps; a group with figures of two units is two."""
    rows: dict[tuple[str, str], list[RowEntry]] = {}
    for row in comparison["rows"]:
        rows.setdefault((row["group"], row["unit"]), []).append(row)
    return [_group(of_group, base) for of_group in rows.values()]


def _group(rows: list[RowEntry], base: int) -> GroupEntry:
    columns = [_sessions(rows, at) for at in range(len(rows[0]["n"]))]
    found = [group_ratio(columns[base], column) for column in columns]
    return {
        "group": rows[0]["group"],
        "unit": rows[0]["unit"],
        "direction": rows[0]["direction"],
        "steps": max((each.steps for at, each in enumerate(found) if each and at != base), default=0),
        "ratios": [
            {"ratio": each.ratio, "low": each.low, "high": each.high, "steps": each.steps} if each else None
            for each in found
        ],
    }


def _sessions(rows: list[RowEntry], at: int) -> list[tuple[float | None, ...]]:
    """The figures of each session of a column, without those of marked steps."""
    judged = [[None] * len(row["samples"][at]) if _is_marked(row, at) else row["samples"][at] for row in rows]
    return list(zip(*judged, strict=True))


def verdict_label(verdict: str | None) -> str:
    """What stands beside a ratio: the verdict where it says which is better, else its sign."""
    return verdict or "" if verdict in (*COLOURED, DIFFERS) else SIGNS.get(verdict or "", "")


def legend(comparison: Comparison) -> str:
    """The signs that stand in the cells, with what each means, in a few words."""
    there = {word for row in comparison["rows"] for word in row["verdict"]}
    meanings = {**_MEANINGS, FEW: _few_text(comparison)}
    signs = {SHORT_SIGNS[word]: text for word, text in meanings.items() if word in there}
    if SMALL in there:
        signs[SIGNS[SMALL]] = _MEANINGS[NOISE]
    alone = f"n = 1: {UNKNOWN_NOISE}, nothing is coloured" if SINGLE in there else ""
    return "   ".join(filter(None, [*(f"{sign} {text}" for sign, text in signs.items()), alone]))


def verdict_legend(comparison: Comparison) -> str:
    """In one line what the verdicts mean; empty where there is none."""
    words = {word for row in comparison["rows"] for word in row["verdict"] if word not in (None, BASE)}
    if not words:
        return ""
    if words <= {SINGLE, MARKED}:
        return f"{UNKNOWN_NOISE}, so nothing is judged{'; ! is marked' if MARKED in words else ''}"
    return "; ".join(
        [
            *_of_tested(comparison),
            *([f"? {_few_text(comparison)}"] if FEW in words else []),
            *(["! is marked and not judged"] if MARKED in words else []),
            *([f"where n = 1 {UNKNOWN_NOISE}"] if SINGLE in words else []),
        ]
    )


def _few_text(comparison: Comparison) -> str:
    """With how many it takes to tell one of so many cells, whatever becomes of the others."""
    untold = (None, BASE, MARKED, SINGLE)
    cells = sum(word not in untold for row in comparison["rows"] for word in row["verdict"])
    least = fewest(comparison["limits"]["false_share"] / max(cells, 1))
    it_takes = "" if least is None else f": {least} of each could tell one of {count_text(cells, 'cell')}"
    return f"not enough repeats{it_takes}"


def _of_tested(comparison: Comparison) -> list[str]:
    """What is said of the cells that a test could be asked about."""
    limits, cells = comparison["limits"], sum(p is not None for row in comparison["rows"] for p in row["p"])
    if not cells:
        return []
    return [
        f"better and worse are beyond the noise (rank test over {cells} cells, at most"
        f" {100 * limits['false_share']:g}% of them false) and {100 * limits['matters']:g}% or more",
        "~ is within the noise, or less",
    ]
