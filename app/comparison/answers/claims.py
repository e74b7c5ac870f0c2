"""Whether claims on contenders hold, each by the interval that Compare has of its ratio.

Holds: the whole interval is on the side that is claimed. Does not hold: it is on the other side.
Anything else cannot be told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypedDict

from app.catalog import Catalog
from app.comparison.cells.cell import OTHER_RESULTS, Column, Comparison, Row
from app.comparison.cells.labels import names_of, row_label
from app.comparison.differences.warnings import OF_COUNTS
from app.comparison.verdicts.across import cross_plan_remarks
from app.comparison.verdicts.compare import compare, comparison_by_measure
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.units import first_texts
from app.engines import engine_of
from app.history.lists.sessions import find_all
from app.history.store.history import History
from app.protocol.plan import COUNT
from app.stats import VerdictLimits

from .claims_file import Claim
from .gate import UNTOLD, GateLine, interval_text, remarks_of_limits, repeats_of
from .sentences import hindrance
from .step_ratios import StepRatio, ratios_of_groups, ratios_of_steps

HOLDS, FAILS = "holds", "does not hold"
CODES = {HOLDS: 0, FAILS: 1, UNTOLD: 3}
_VERBS = {HOLDS: ("holds", "hold"), FAILS: ("does not hold", "do not hold"), UNTOLD: (UNTOLD, UNTOLD)}
_SEVERAL = (
    "at most {} times {:g}% of such files have an interval that misses the truth: intervals hold together for"
    " steps with the same contender on the right, and for groups with the same one"
)


class ClaimLine(GateLine):
    """The answer for a step, or the mean of a group, with the ratio of the left figure to the right one."""

    line: int  # of the file
    claim: str  # with this step
    other: str  # the names of both columns
    base: str
    sign: str
    factor: float


class ClaimsEntry(TypedDict):
    """What `gate --claims --json` gives."""

    verdict: str
    exit_code: int
    sentence: str
    false_share: float
    columns: dict[str, list[str]]  # the ids of their sessions by name
    claims: list[ClaimLine]
    remarks: list[str]


def answer_claims(
    history: History,
    references: Sequence[str],
    claims: Sequence[Claim],
    measure: str = "value",
    limits: VerdictLimits | None = None,
    allowed: GivenDisturbanceLimits = AS_PLANNED,
) -> ClaimsEntry:
    """Compare all repeats of these contenders in their plans, with the right side of each claim as base."""
    ids = repeats_of(history, find_all(history, references))
    first = compare(history, ids, None, limits, allowed=allowed)
    sides = [_sides(first, claim) for claim in claims]
    by_base = {first.base: first}
    for _, base in sides:
        if base not in by_base:
            by_base[base] = compare(history, ids, first.columns[base].id, limits, allowed=allowed)
    by_base = {base: comparison_by_measure(found, measure) for base, found in by_base.items()}
    lines = [
        line
        for claim, (at, base) in zip(claims, sides, strict=True)
        for line in _lines(by_base[base], claim, at)
    ]
    remarks = [*_remarks(by_base, sides, claims), *remarks_of_limits(first, limits), *allowed.texts]
    return _entry(first, lines, remarks)


def _entry(found: Comparison, lines: list[ClaimLine], remarks: list[str]) -> ClaimsEntry:
    verdict, sentence = _answer(lines)
    return {
        "verdict": verdict,
        "exit_code": CODES[verdict],
        "sentence": sentence,
        "false_share": found.limits.false_share,
        "columns": dict(zip(names_of(found), (column.ids for column in found.columns), strict=True)),
        "claims": lines,
        "remarks": remarks,
    }


# the contenders of a claim


def _sides(found: Comparison, claim: Claim) -> tuple[int, int]:
    """The columns of the left and the right contender."""
    at, base = (_column(found, claim, text) for text in (claim.other, claim.base))
    if at == base:
        raise InputError(
            f"{claim.place}: {claim.other!r} and {claim.base!r} are the same column, {names_of(found)[at]}"
        )
    return at, base


def _column(found: Comparison, claim: Claim, text: str) -> int:
    """The only column that is meant: by its name, else by build, engine and preset."""
    names = names_of(found)
    if text in names:
        return names.index(text)
    build, *further = map(str.strip, text.split(":"))
    meant = [at for at, each in enumerate(found.columns) if _is_meant(each, build, further)]
    whole = [at for at in meant if found.columns[at].contender["build"] == build]
    several = whole or meant
    if len(several) != 1:
        fits = f"fits {len(several)} columns" if several else "fits no column"
        there = first_texts(_whole_names(found, several or range(len(names))), 8)
        raise InputError(f"{claim.place}: {text!r} {fits}: write one of {there}")
    return several[0]


def _whole_names(found: Comparison, places: Sequence[int]) -> list[str]:
    """BUILD:ENGINE:PRESET of these columns; the names of those that this does not tell apart."""
    entries = (found.columns[at].contender for at in places)
    parts = [f"{each['build']}:{each['engine']}:{each['preset']}" for each in entries]
    names = names_of(found)
    return [each if parts.count(each) == 1 else names[at] for at, each in zip(places, parts, strict=True)]


def _is_meant(column: Column, build: str, further: Sequence[str]) -> bool:
    """Whether its build begins so, and engine and preset are those that are named."""
    entry = column.contender
    engine, preset, *rest = (*further, "", "")
    is_engine = not engine or engine_of(engine).name == engine_of(entry["engine"]).name
    presets = ("", entry["preset"])
    is_preset = preset in presets or Catalog().preset_name(entry["engine"], preset) in presets
    return entry["build"].startswith(build) and is_engine and is_preset and not any(rest)


# its steps


def _lines(found: Comparison, claim: Claim, at: int) -> Iterator[ClaimLine]:
    """One for each step of this name, or each unit of the group."""
    rows = _rows(found, claim)
    parts = [rows] if claim.group else [[row] for row in rows]
    for part in parts:
        kept = replace(found, rows=part)
        ratios = [*(ratios_of_groups if claim.group else ratios_of_steps)(kept, at)]
        if not ratios:
            raise InputError(f"{claim.place}: group {claim.group!r} has no mean: name its steps")
        why = hindrance(found.columns, found.base, at) or _other_results(kept)
        yield from (_line(found, claim, at, each, why) for each in ratios)


def _rows(found: Comparison, claim: Claim) -> list[Row]:
    """The steps of this name, or of the group; raises InputError where there are none."""
    rows = [row for row in found.rows if not row.is_waiting]
    what, name = ("group", claim.group) if claim.group else ("step", claim.step)
    there = [(row.group,) if claim.group else (row.workload, row_label(row)) for row in rows]
    its = [row for row, names in zip(rows, there, strict=True) if name in names]
    if not its:
        known = list(dict.fromkeys(first for first, *_ in there if first))
        meant = did_you_mean(name, known)
        choice = f"choose one of {', '.join(known) or 'none'}"
        raise InputError(f"{claim.place}: there is no {what} {name!r} to judge{meant}: {choice}")
    return its


def _other_results(found: Comparison) -> str:
    """That columns have other results in one of these steps; '' where they have not."""
    steps = {row_label(row) for row in found.rows}
    texts = (each.text for each in found.warnings if each.kind == OTHER_RESULTS and each.step in steps)
    return next(texts, "")


def _line(found: Comparison, claim: Claim, at: int, ratio: StepRatio, hindered: str) -> ClaimLine:
    names, why, verdict = names_of(found), hindered or ratio.why, UNTOLD
    if ratio.ends and not why:
        if claim.holds_for(*ratio.ends):
            verdict = HOLDS
        elif claim.fails_for(*ratio.ends):
            verdict = FAILS
        else:
            why = f"the interval contains {claim.factor:.15g}"
    low, high = ratio.ends or (None, None)
    return {
        "line": claim.line, "claim": claim.text_of(ratio.step), "step": ratio.step, "unit": ratio.unit,
        "direction": ratio.direction, "other": names[at], "base": names[found.base], "sign": claim.sign,
        "factor": claim.factor, "ratio": ratio.ratio, "low": low, "high": high, "n": ratio.n,
        "verdict": verdict, "why": why,
    }  # fmt: skip


# the answer to all of them


def _answer(lines: Sequence[ClaimLine]) -> tuple[str, str]:
    """The verdict over all claims, and the sentence that says why."""
    by_claim: dict[int, set[str]] = {}
    for line in lines:
        by_claim.setdefault(line["line"], set()).add(line["verdict"])
    words = [next(word for word in (FAILS, UNTOLD, HOLDS) if word in its) for its in by_claim.values()]
    verdict = next(word for word in (FAILS, UNTOLD, HOLDS) if word in words)
    count, untold = words.count(verdict), words.count(UNTOLD) if verdict == FAILS else 0
    which = [f"{each['claim']} ({_reason(each)})" for each in lines if each["verdict"] == verdict]
    texts = [_counted(count, len(words), verdict), *([f"{untold} {UNTOLD}"] if untold else [])]
    return verdict, ", ".join(texts) + ("" if verdict == HOLDS else f": {first_texts(which)}")


def _counted(count: int, of: int, verdict: str) -> str:
    """`2 of 5 claims do not hold`, `all 5 claims hold`, `the claim holds`."""
    who = "the claim" if of == 1 else f"all {of:,} claims" if count == of else f"{count} of {of:,} claims"
    return f"{who} {_VERBS[verdict][count > 1]}"


def _reason(line: ClaimLine) -> str:
    return line["why"] or interval_text(line)


def _remarks(
    by_base: dict[int, Comparison], sides: Sequence[tuple[int, int]], claims: Sequence[Claim]
) -> Iterator[str]:
    """What to know of the intervals."""
    for base, found in by_base.items():
        claimed = {at for at, its_base in sides if its_base == base}
        yield from cross_plan_remarks(found, names_of(found), claimed)
    found = next(iter(by_base.values()))
    families = {(base, bool(claim.group)) for (_, base), claim in zip(sides, claims, strict=True)}
    if any(row.kind == COUNT for row in found.rows):
        yield OF_COUNTS
    elif len(families) > 1:
        yield _SEVERAL.format(len(families), 100 * found.limits.false_share)
