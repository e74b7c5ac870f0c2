"""What is a difference in a comparison and what is noise: a verdict a cell, a ratio a group of steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from app.comparison.cells.cell import (
    FAILED,
    OF_SNAPSHOT,
    Cell,
    Column,
    Comparison,
    GroupMeanRatio,
    Row,
    RowGroup,
)
from app.comparison.cells.measures import LATENCIES
from app.core.units import count_text
from app.history.steps.step_text import COUNTED_OTHERWISE, HAS_MARKS
from app.protocol.plan import COUNT, LEVELS, PREPARING
from app.protocol.stacks import PROFILED
from app.stats import StepResultPair, Verdict, VerdictLimits, judge
from app.stats.at_target.looks import OF_FEW
from app.stats.at_target.verdicts import (
    AT_RATE,
    BETTER,
    COLOURED,
    DIFFERS,
    DRIFT,
    FEW,
    LEAST,
    NOISE,
    SAME,
    SINGLE,
    SMALL,
    SPOILT,
    WORSE,
)
from app.stats.groups import GroupRatio, StepGroupPair, step_group_ratios

from .across import SIGN, between_plan_variances
from .earlier_plans import about_earlier_plans
from .rounds import about_ratio, round_figure_pairs, same_round_pairs
from .set_rates import both_keep_rate
from .why_not import WHY_NOT_BY_FIGURES, why_not_by_figures

if TYPE_CHECKING:
    from app.core.settings import Settings
    from app.protocol.plan import Plan

BASE = "base"
MARKED = "marked"  # something went wrong or was left over: never judged
NOT_JUDGED = (MARKED, DRIFT, AT_RATE, *WHY_NOT_BY_FIGURES)  # verdicts of a figure that is there
OF_ALL_SECONDS = "of-all-seconds"  # another measure than the figure of a step that is cut
FAILED_REPEAT = "failed-repeat"  # those with a result are there by luck
UNJUDGED = (*SPOILT, OF_ALL_SECONDS, FAILED_REPEAT, COUNTED_OTHERWISE, *LEVELS)
# where a word would be too long
SIGNS = {
    NOISE: "~",
    SMALL: "\N{ALMOST EQUAL TO}",
    SAME: "=",
    FEW: "?",
    MARKED: "\N{CIRCLED DIVISION SLASH}",
    DRIFT: "drift",
    AT_RATE: "\N{CIRCLED DOT OPERATOR}",
    **dict.fromkeys(WHY_NOT_BY_FIGURES, "\N{CIRCLED DIVISION SLASH}"),
}
SHORT_SIGNS = {
    **SIGNS,
    BETTER: "\N{BLACK UP-POINTING TRIANGLE}",
    WORSE: "\N{BLACK DOWN-POINTING TRIANGLE}",
    DIFFERS: "\N{NOT EQUAL TO}",
    DRIFT: "\N{NORTH EAST ARROW}",
}  # where no word has room
_MEANINGS = {
    BETTER: "better",
    WORSE: "worse",
    DIFFERS: "differs",
    NOISE: "undecided",
    SMALL: "differs, but too little to matter",
    SAME: "no difference that matters",
    FEW: f"fewer than {LEAST} repeats",
    DRIFT: "the machine drifted, not judged",
    MARKED: "not judged: something went wrong, here or in the base",
    AT_RATE: "not judged: this rate was set beforehand, compare latencies",
    **{word: f"not judged: {why}" for word, why in WHY_NOT_BY_FIGURES.items()},
}
_WITH_A_CIRCLE = (MARKED, AT_RATE, *WHY_NOT_BY_FIGURES)
UNKNOWN_NOISE = "the noise between repeats is unknown"
ONE_PROFILED = "only one of them is profiled"
_LOOKS = ", corrected for a test after each repeat"
TOO_NOISY = "the noise is too large"
ODD = "a few repeats differ from the others"
DIFFERING = (BETTER, WORSE, DIFFERS)
WHY_NOT = {  # judged, though it is not marked
    FEW: f"fewer than {LEAST} repeats",
    SINGLE: "measured once: the noise is unknown",
    DRIFT: "the machine drifted",
    AT_RATE: "this rate was set beforehand: compare latencies",
    **WHY_NOT_BY_FIGURES,
}


def verdict_limits(source: Settings | Plan) -> VerdictLimits:
    """The limits of the settings or of a plan."""
    return VerdictLimits.of_pct(source.false_share_pct, source.matters_pct)


def limits_of_plans(plans: Iterable[Plan]) -> VerdictLimits | None:
    """The limits of plans until decided, if all of them have the same."""
    found = {verdict_limits(plan) for plan in plans if plan.until_decided}
    return found.pop() if len(found) == 1 else None


def limits_for_looks(comparison: Comparison, limits: VerdictLimits) -> VerdictLimits:
    """The same limits, adjusted to the number of looks at the data."""
    return replace(limits, repeatedly=comparison.repeatedly, is_last=comparison.is_last_look)


def with_verdicts(comparison: Comparison, limits: VerdictLimits) -> Comparison:
    """The comparison with verdicts that hold for all of its cells together; they are written into these."""
    found = replace(comparison, limits=limits_for_looks(comparison, limits))
    base, places = found.base, [(row, at) for row in found.rows for at in range(len(found.columns))]
    for row, at in places:
        _clear(found, row, at)
    tested = judgeable_cells(found)
    verdicts = judge([each.samples for each in tested], found.limits)
    for (row, at, _), verdict in zip(tested, verdicts, strict=True):
        _write(row.cells[at], row.cells[base], verdict)
        row.cells[at].across = "" if row.cells[at].p is None else found.columns[at].across
    return replace(found, groups=_groups(found))


class JudgeableCell(NamedTuple):
    """A cell that is compared with the base, and what a test gets of both."""

    row: Row
    at: int  # the place of its column
    samples: StepResultPair


def judgeable_cells(comparison: Comparison) -> list[JudgeableCell]:
    """All cells with a result here and in the base that may be compared; settling times may not."""
    return [
        JudgeableCell(row, at, _samples(comparison, row, at))
        for row in comparison.rows
        for at in range(len(comparison.columns))
        if _is_judgeable(comparison, row, at)
    ]


def _clear(comparison: Comparison, row: Row, at: int) -> None:
    """What is known of a cell without a test."""
    base = comparison.base
    cell, other, is_judged = row.cells[at], row.cells[base], at != base and not row.is_waiting
    untested = _untested(comparison, row, at) if is_judged else BASE if at == base else None
    cell.verdict = untested if cell.n else None
    cell.p = cell.low = cell.high = None
    cell.across, cell.pooled = "", False
    cell.whys = [*filter(None, _whys_untested(cell, other))] if is_judged else []


def _whys_untested(cell: Cell, base: Cell) -> list[str]:
    """Why a cell that is not tested has no verdict."""
    n, missing = min(cell.n, base.n), _why_missing(cell, base)
    if not n and missing:
        return [missing]
    if levels := [mark for mark in LEVELS if mark in (*cell.marks, *base.marks)]:
        return levels[:1]
    if cell.verdict != AT_RATE and n == 1:
        return [WHY_NOT[SINGLE]]
    marks = [mark for mark in (*cell.marks, *base.marks) if mark in UNJUDGED]
    said = [missing if mark == FAILED_REPEAT and missing else mark for mark in dict.fromkeys(marks)]
    one = [ONE_PROFILED] if _is_one_profiled(cell, base) else []
    return [*said, *one] or [WHY_NOT.get(cell.verdict or "", missing)]


def _why_missing(cell: Cell, base: Cell) -> str:
    """Why the first session without a result has none, one that failed before others."""
    there = [each for each in (cell, base) if each.reason]
    if any(each.lacking == OF_SNAPSHOT for each in there):
        return "not run: the data came from a snapshot"
    failed = [each for each in there if each.lacking == FAILED]
    first = next(iter([*failed, *there]), cell)
    return f"base: {first.reason}" if first is base and base.reason != cell.reason else first.reason


def _is_judgeable(comparison: Comparison, row: Row, at: int) -> bool:
    base = comparison.base
    cell, other = row.cells[at], row.cells[base]
    is_there = at != base and cell.n and other.n and not row.is_waiting
    is_fair = is_there and not _is_unfair(cell, other)
    return bool(is_fair and not why_not_by_figures(row, comparison.columns, base, at))


def _untested(comparison: Comparison, row: Row, at: int) -> str | None:
    """The verdict of a cell that is not tested; None if it is."""
    base = comparison.base
    if _is_unfair(row.cells[at], row.cells[base]):
        return MARKED
    if both_keep_rate(row, base, at):
        return AT_RATE
    return why_not_by_figures(row, comparison.columns, base, at)


def _is_unfair(cell: Cell, base: Cell) -> bool:
    return _is_marked(base) or _is_marked(cell) or _is_one_profiled(cell, base)


def _is_one_profiled(cell: Cell, base: Cell) -> bool:
    """Whether sampling its stacks has cost only one of two cells something."""
    return (PROFILED in base.marks) != (PROFILED in cell.marks)


def _is_marked(cell: Cell) -> bool:
    return any(mark in UNJUDGED for mark in cell.marks)


def marks_of_measures(cell: Cell, measure: str = "") -> list[str]:
    """The marks of a cell for another measure: only result and latency can leave seconds out."""
    is_latency = measure in LATENCIES
    of_all = any(cut and not (is_latency and cut["has_latency"]) for cut in cell.cuts)
    return [*cell.marks, *([OF_ALL_SECONDS] if of_all else [])]


def _samples(comparison: Comparison, row: Row, at: int) -> StepResultPair:
    """What a test gets of a cell and the base."""
    base, column = comparison.columns[comparison.base], comparison.columns[at]
    both = (row.cells[comparison.base], row.cells[at])
    pair = partial(
        StepResultPair,
        direction=row.direction,
        column=at,
        keeps_rate=both_keep_rate(row, comparison.base, at),
        is_load=row.kind in PREPARING,
        is_counted=row.kind == COUNT,
        known_spread=max(cell.known_spread for cell in both),
        earlier=row.earlier,
    )
    if pairs := same_round_pairs(base, column):
        rounds = round_figure_pairs(both[0].samples, both[1].samples, pairs)
        ours, theirs = (tuple(each[side] for each in rounds) for side in (0, 1))
        return pair(ours, theirs, by_round=True)
    ours, theirs = (tuple(value for value in cell.samples if value is not None) for cell in both)
    return pair(ours, theirs, added=between_plan_variances(base, column), times=_times((base, column), both))


def _times(columns: Sequence[Column], cells: Sequence[Cell]) -> tuple[tuple[float, ...], ...]:
    """The start times of the sessions that count; empty if one is unknown."""
    starts = [
        [start for start, value in zip(column.starts, cell.samples, strict=True) if value is not None]
        for column, cell in zip(columns, cells, strict=True)
    ]
    known = [tuple(start for start in each if start is not None) for each in starts]
    return tuple(known) if [*map(len, known)] == [*map(len, starts)] else ()


def _write(cell: Cell, base: Cell, verdict: Verdict) -> None:
    """Write what a test has found: all that people see of the cell is taken from here."""
    word, interval = verdict.word, verdict.interval
    cell.verdict, cell.p, cell.pooled = word, verdict.p, verdict.is_pooled
    if interval:
        cell.low, cell.high = interval.low, interval.high
    is_told = word in DIFFERING or (interval and word in (NOISE, SMALL, SAME))
    if verdict.is_odd:
        cell.whys = [ODD]
    elif is_told:
        cell.whys = []
    else:
        cell.whys = [WHY_NOT.get(word) or _why_too_noisy(cell, base)]


def _why_too_noisy(cell: Cell, base: Cell) -> str:
    return "a result is 0" if 0 in (*cell.samples, *base.samples) else TOO_NOISY


def _groups(comparison: Comparison) -> list[RowGroup]:
    """The groups in the order of their first steps; a group with two units becomes two."""
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in comparison.rows:
        rows.setdefault((row.group, row.unit), []).append(row)
    measured = [
        [row for row in its if row.kind not in (*PREPARING, COUNT) and not row.is_waiting]
        for its in rows.values()
    ]
    ratios = ratios_of(comparison, measured)
    return [_group(*each, comparison.base) for each in zip(rows.values(), measured, ratios, strict=True)]


def ratios_of(comparison: Comparison, groups: Sequence[Sequence[Row]]) -> list[list[GroupMeanRatio | None]]:
    """A ratio for each of these groups and each column; their intervals hold together."""
    columns, base = comparison.columns, comparison.base
    others = [at for at in range(len(columns)) if at != base]
    most = max((cell.n for rows in groups for row in rows for cell in row.cells), default=0)
    found = step_group_ratios(
        [[_sessions(comparison, rows, at) for rows in groups] for at in others],
        comparison.limits.after(most).false_share * (OF_FEW if comparison.limits.repeatedly else 1.0),
        [between_plan_variances(columns[base], columns[at]) for at in others],
    )
    of_column = dict(zip(others, found, strict=True))
    return [
        [
            _ratio(of_column[at][which], columns[at].across) if at != base else GroupMeanRatio(1.0)
            for at in range(len(columns))
        ]
        for which in range(len(groups))
    ]


def _group(
    rows: Sequence[Row], measured: Sequence[Row], ratios: list[GroupMeanRatio | None], base: int
) -> RowGroup:
    """A mean over less than half of the steps says nothing of the group; loads have none."""
    ratios = [
        each if at == base or (each and 2 * each.steps >= len(measured)) else None
        for at, each in enumerate(ratios)
    ]
    most = max((each.steps for each in ratios if each), default=0)
    return RowGroup(rows[0].group, rows[0].unit, rows[0].direction, most, len(measured), ratios)


def _ratio(found: GroupRatio | None, across: str) -> GroupMeanRatio | None:
    if found is None:
        return None
    return GroupMeanRatio(
        found.ratio, found.low, found.high, found.steps, "" if found.low is None else across
    )


def _sessions(comparison: Comparison, rows: Sequence[Row], at: int) -> StepGroupPair:
    """The results of each session of both columns, for steps that could be judged."""
    base = comparison.base
    fair = [row for row in rows if row.cells[at].verdict not in (None, *NOT_JUDGED)]
    ours, theirs = (list(zip(*(row.cells[each].samples for row in fair), strict=True)) for each in (base, at))
    pairs = same_round_pairs(comparison.columns[base], comparison.columns[at])
    if pairs and fair:
        ours, theirs = [ours[each] for each, _ in pairs], [theirs[each] for _, each in pairs]
    return StepGroupPair(ours, theirs, bool(pairs))


def verdict_short_text(verdict: str | None) -> str:
    """The text next to a ratio: better or worse, else the sign of its verdict."""
    return verdict or "" if verdict in (*COLOURED, DIFFERS) else SIGNS.get(verdict or "", "")


def verdicts_found(comparison: Comparison) -> set[str | None]:
    """The verdicts that there are."""
    return {cell.verdict for row in comparison.rows for cell in row.cells}


def signs_text(comparison: Comparison) -> str:
    """The signs behind the ratios of a table, each with its meaning; '' without any."""
    signs = _meanings_by_sign(verdicts_found(comparison), SIGNS)
    signs.pop(SIGNS[DRIFT], None)  # it is a word
    if any(cell.across for row in comparison.rows for cell in row.cells):
        signs[SIGN] = "across time or machines"
    return "   ".join(f"{sign} {text}" for sign, text in signs.items())


def _meanings_by_sign(there: set[str | None], signs: Mapping[str, str]) -> dict[str, str]:
    """What the signs of these verdicts mean; of one sign for several verdicts each meaning."""
    found: dict[str, str] = {}
    for word in [word for word in _MEANINGS if word in there and word in signs]:
        sign, meaning = signs[word], _MEANINGS[word]
        found[sign] = f"{found[sign]}; or {meaning.partition(': ')[2]}" if sign in found else meaning
    return found


def legend_of_signs(comparison: Comparison) -> str:
    """The signs of the cells, each with its meaning in a few words."""
    there = verdicts_found(comparison)
    signs = _meanings_by_sign(there, SHORT_SIGNS)
    if any(cell.marks for row in comparison.rows for cell in row.cells):
        signs[HAS_MARKS] = "hover to see a remark"
    if any(any(cell.left_out) for row in comparison.rows for cell in row.cells):
        signs["\N{MINUS SIGN}1"] = "a repeat left out"
    if any(cell.across for row in comparison.rows for cell in row.cells):
        signs[SIGN] = "across time or machines"
    alone = f"n = 1: {UNKNOWN_NOISE}, nothing is highlighted" if SINGLE in there else ""
    of_rounds = ", the median of its repeats" if about_ratio(comparison) else ""
    ratio = f"ratio: to the base{of_rounds}" if len(comparison.columns) > 1 else ""
    texts = [*(f"{sign} {text}" for sign, text in signs.items()), alone, ratio]
    return "   ".join(filter(None, texts))


def text_of_tests(comparison: Comparison) -> str:
    """`Student's t over repeats, 9 results, and Welch's test over 4 results`: the tests and their cells."""
    by_round, others = _cells(comparison)
    student = f"Student's t over repeats, {count_text(by_round, 'result')}" if by_round else ""
    welch = f"Welch's test over {count_text(others, 'result')}" if others else ""
    return ", and ".join(filter(None, (student, welch)))


def _cells(comparison: Comparison) -> tuple[int, int]:
    """The numbers of cells tested by round, and of those tested otherwise."""
    tested = [
        column.by_round
        for row in comparison.rows
        for column, cell in zip(comparison.columns, row.cells, strict=True)
        if cell.p is not None
    ]
    return sum(tested), len(tested) - sum(tested)


def verdict_legend(comparison: Comparison) -> str:
    """The meaning of the verdicts in one line; '' without any."""
    words = verdicts_found(comparison) - {None, BASE}
    if not words:
        return ""
    if words == {SINGLE}:
        return f"{UNKNOWN_NOISE}, so nothing is judged"
    unjudged = [f"{SIGNS[word]} is {_MEANINGS[word]}" for word in _WITH_A_CIRCLE if word in words]
    return "; ".join(
        [
            *_of_tested(comparison),
            *([f"? has {_MEANINGS[FEW]} and is not judged"] if FEW in words else []),
            *(
                ["drift: the speed of the machine changed too much meanwhile to judge the difference"]
                if DRIFT in words
                else []
            ),
            *unjudged,
            *([f"where n = 1 {UNKNOWN_NOISE}"] if SINGLE in words else []),
        ]
    )


def _of_tested(comparison: Comparison) -> list[str]:
    """The legend for the tested cells."""
    limits, words = comparison.limits, verdicts_found(comparison)
    if not any(_cells(comparison)):
        return []
    return [
        f"better and worse are beyond the noise ({text_of_tests(comparison)}, at most"
        f" {100 * limits.false_share:g}% of them false{_LOOKS if comparison.repeatedly else ''})"
        f" and {100 * limits.matters:g}% or more",
        *filter(None, [about_earlier_plans(comparison)]),
        *(
            [f"= is the same: a difference of {100 * limits.matters:g}% is ruled out"]
            if SAME in words
            else []
        ),
        "~ is undecided",
        *([f"{SIGNS[SMALL]} is {_MEANINGS[SMALL]}"] if SMALL in words else []),
    ]
