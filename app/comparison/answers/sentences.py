"""What a comparison comes to, in sentences: the ratio that was seen, then what is certain.

One for each group of steps, and one for each step that differs clearly from its group, the largest effect
first. Their words are those of the cells, so that both agree; their intervals hold together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from app.comparison.cells.cell import OF_SNAPSHOT, Column, Comparison, Row, RowGroup
from app.comparison.cells.labels import heads_of, names_of, row_label
from app.comparison.cells.measures import FIGURE, measure_named
from app.comparison.verdicts.across import cross_plan_remarks
from app.comparison.verdicts.judgement import DIFFERING, TOO_NOISY, WHY_NOT
from app.core.units import count_text, first_texts, unit_text
from app.history.steps.step_text import MARKS
from app.protocol.others import DISTURBED
from app.protocol.plan import COUNT, INSTRUCTIONS, LEVEL_MISSED, PREPARING
from app.protocol.states import GOING_ON
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import (
    AT_RATE,
    BETTER,
    DIFFERS,
    FEW,
    LEAST,
    NOISE,
    SAME,
    SINGLE,
    SMALL,
    WORSE,
    is_within,
)  # fmt: skip

from .counted_sentences import counted_clause, ratio_of_others
from .levels import level_sentences
from .losses import loss_sentences

MOST = 8  # sentences on what was found
MOST_UNJUDGED = 3  # and on what was not
MOST_CLAUSES = 4  # columns in one
MOST_NAMED = 3  # steps in one
SHORT = 90  # letters of a reason
STILL = "a session is still being measured: compare again at the end"
NONE = "Not judged"
_SIZES = ("bytes", "KiB", "MiB", "GiB")


@dataclass(frozen=True)
class _Finding:
    """A ratio to the base with its interval, of a step or of the mean of a group."""

    word: str  # the verdict
    ratio: float
    low: float | None  # the interval; None where it would be too wide
    high: float | None

    @property
    def effect(self) -> float:
        return abs(math.log(self.ratio)) if self.ratio > 0 else math.inf

    def is_apart(self, mean: _Finding) -> bool:
        """Whether a step is decided, and otherwise than the mean of its group or beyond its interval."""
        if self.word not in DIFFERING:
            return False
        ends = (self.low, self.high, mean.low, mean.high)
        if self.word != mean.word or None in ends:
            return True
        assert self.low and self.high and mean.low and mean.high
        return self.low > mean.high or self.high < mean.low


@dataclass(frozen=True)
class _Cell:
    """A step of a column."""

    row: Row
    at: int
    finding: _Finding | None
    why: str  # it has no finding

    @property
    def ratio(self) -> float | None:
        """What was measured; None where some of its sessions failed or lack it, or what the plan sets."""
        cell = self.row.cells[self.at]
        is_there = cell.n and cell.lacking in ("", OF_SNAPSHOT) and cell.verdict != AT_RATE
        return cell.relative if is_there else None


def verdict_lines(comparison: Comparison, figure: str = "") -> list[str]:
    """The sentences, and what to know of columns that were not measured in turn."""
    return [*verdict_sentences(comparison, figure), *cross_plan_remarks(comparison, names_of(comparison))]


def first_lines(comparison: Comparison, figure: str = "") -> list[str]:
    """What people read first: the sentences; where there is no verdict at all also what would give one."""
    lines = verdict_sentences(comparison, figure)
    if len(comparison.columns) == 1:
        return ["One column: nothing to compare it with."]
    if not lines:
        return ["Nothing to compare: the columns share no step that measures something."]
    whys = {cell.why for cell in _cells_of(comparison)}
    todo = "" if "" in whys else _todo(whys)
    unjudged = next((at for at, line in enumerate(lines) if line.startswith(NONE)), 0)
    lines[unjudged] = f"{lines[unjudged]} {todo}".rstrip()
    return lines


def head_lines(comparison: Comparison) -> list[str]:
    """The same for a place that shows only the first: it names the largest effect of both directions."""
    lines = first_lines(comparison)
    return [_both_ways(comparison) or lines[0], *lines[1:]]


def _both_ways(comparison: Comparison) -> str:
    """`B faster in scan (2.82 of A's rate), slower in insert (0.40).`; '' where all go one way."""
    largest = [found for word in (BETTER, WORSE) if (found := _largest(comparison, word))]
    if len(largest) < 2:
        return ""
    names, texts, told = heads_of(comparison).texts, list[str](), (-1, "")
    for finding, at, subject in sorted(largest, key=lambda each: -each[0].effect):
        noun = noun_of(subject.unit)
        who = "" if told[0] == at else f"{names[at]} "
        how = with_doubt(verdict_words(subject.unit)[finding.word], finding.low, finding.high)
        (ratio,) = ratio_texts(finding.ratio)
        of_base = "" if told[1] == noun else f" of {names[comparison.base]}'s {noun}"
        texts.append(f"{who}{how} in {subject.name} ({ratio}{of_base})")
        told = (at, noun)
    return f"{', '.join(texts)}."


def _largest(comparison: Comparison, word: str) -> tuple[_Finding, int, _Subject] | None:
    """The largest effect with this verdict, with its column."""
    found = [
        (each, at, subject)
        for subject in _subjects(comparison, _cells_of(comparison))
        for at, each in subject.findings.items()
        if each.word == word
    ]
    return max(found, key=lambda each: each[0].effect, default=None)


def _todo(whys: set[str]) -> str:
    """What gives a verdict, where one reason is that of all cells; else ''."""
    if whys and whys <= {WHY_NOT[SINGLE], WHY_NOT[FEW]}:
        return f"For a verdict measure all contenders {LEAST} times or more."
    if whys == {DISTURBED}:
        return "For a verdict measure again while nothing else runs on the machine."
    return "More repeats may decide." if whys == {TOO_NOISY} else ""


def verdict_sentences(comparison: Comparison, figure: str = "") -> list[str]:
    """Sentences on groups and steps, then on what has no verdict; `figure`: a measure to name."""
    base, others = comparison.base, _others(comparison)
    names = heads_of(comparison).texts
    hindered: dict[str, list[str]] = {}
    for at in others:
        if why := hindrance(comparison.columns, base, at):
            hindered.setdefault(why, []).append(names[at])
    cells = _cells_of(comparison)
    voice = _Voice(names, base, figure, comparison.limits)
    told = [f"{NONE} ({why}): {', '.join(of)}." for why, of in hindered.items()]
    levels = [*loss_sentences(comparison, names), *level_sentences(comparison, names)]
    return [*levels, *_of_found(comparison, cells, voice), *voice.of_unjudged(cells), *told]


def largest_decided_step(comparison: Comparison) -> str:
    """The step with the largest decided effect, to ask why; '' if there is none."""
    found = [
        (cell.finding.effect, cell.row.workload)
        for cell in _cells_of(comparison)
        if cell.finding and cell.finding.word in DIFFERING and cell.row.kind not in PREPARING
    ]
    return max(found, default=(0.0, ""))[1]


def step_sentences(comparison: Comparison, step: str) -> list[str]:
    """The sentences on one step alone: each point of its sweep."""
    rows = [row for row in comparison.rows if step in (row.workload, row_label(row))]
    return [each for row in rows for each in verdict_sentences(replace(comparison, rows=[row]))]


def _others(comparison: Comparison) -> list[int]:
    return [at for at in range(len(comparison.columns)) if at != comparison.base]


def _of_found(comparison: Comparison, cells: Sequence[_Cell], voice: _Voice) -> list[str]:
    """The sentences on ratios, the largest effect first; of those beyond the most their number."""
    found = sorted(_subjects(comparison, cells), key=lambda each: each.order)
    more = len(found) - MOST
    texts = [voice.of(each) for each in found[: MOST if more > 0 else None]]
    return [*texts, *([f"{count_text(more, 'more result')} not shown here."] if more > 0 else [])]


def measure_in_sentence(measure: str) -> str:
    """The name of a measure in a sentence; '' for the figure of each step."""
    chosen = measure_named(measure)
    title = chosen.title
    return "" if chosen is FIGURE else title if title[:2].isupper() else title[:1].lower() + title[1:]


def hindrance(columns: Sequence[Column], base: int, at: int) -> str:
    """Why a column cannot be compared with the base at all; '' if it can."""
    if columns[at].work_key != columns[base].work_key:
        return f"different work: {columns[at].other_work}"
    return STILL if has_running_sessions(columns[base]) or has_running_sessions(columns[at]) else ""


def has_running_sessions(column: Column) -> bool:
    """Whether some of its sessions have not ended."""
    return any(state in GOING_ON for state in column.states)


# what was found


def _cells_of(comparison: Comparison) -> list[_Cell]:
    """Of all columns that can be compared with the base."""
    columns, base = comparison.columns, comparison.base
    others = [at for at in _others(comparison) if not hindrance(columns, base, at)]
    rows = [row for row in comparison.rows if not row.is_waiting]
    return [_Cell(row, at, _finding(row, at), row.cells[at].why) for row in rows for at in others]


def _finding(row: Row, at: int) -> _Finding | None:
    cell = row.cells[at]
    if cell.why or cell.relative is None or not cell.verdict:
        return None
    return _Finding(cell.verdict, cell.relative, cell.low, cell.high)


def _of_group(group: RowGroup, at: int, limits: VerdictLimits) -> _Finding | None:
    """The ratio of a group; decided if its interval leaves out 1 and it is large enough to matter."""
    found = group.ratios[at]
    if found is None or found.low is None or found.high is None:
        return None
    ratio, low, high = found.ratio, found.low, found.high
    if is_within(low, high, limits.matters):
        return _Finding(SAME, ratio, low, high)
    if low <= 1 <= high:
        return _Finding(NOISE, ratio, low, high)
    if max(ratio, 1 / ratio) - 1 < limits.matters:
        return _Finding(SMALL, ratio, low, high)
    better = (ratio > 1) == (group.direction == "higher")
    return _Finding((BETTER if better else WORSE) if group.direction else DIFFERS, ratio, low, high)


def group_verdict(group: RowGroup, at: int, limits: VerdictLimits) -> str:
    """The verdict on the mean of a group in a column; '' without one."""
    found = _of_group(group, at, limits)
    return found.word if found else ""


@dataclass(frozen=True)
class _Subject:
    """What a sentence is on: a step, or the mean of a group, with a finding for each column that has one."""

    name: str
    unit: str
    direction: str
    findings: Mapping[int, _Finding]  # by column
    is_mean: bool = False
    counted: Row | None = None  # whose instructions were counted

    @property
    def order(self) -> tuple[bool, float]:
        """What is decided first, of that the largest effect."""
        decided = [each for each in self.findings.values() if each.word in DIFFERING]
        return not decided, -max(each.effect for each in decided or self.findings.values())


def _subjects(comparison: Comparison, cells: Sequence[_Cell]) -> Iterator[_Subject]:
    """Each group, then its steps that differ clearly from it; all steps where it has no mean."""
    for group in comparison.groups:
        key = (group.group, group.unit)
        its = [cell for cell in cells if cell.finding and (cell.row.group, cell.row.unit) == key]
        rows = {id(cell.row) for cell in its}
        means: dict[int, _Finding] = {}
        if len(rows) > 1:
            for at in dict.fromkeys(cell.at for cell in its):
                if mean := _of_group(group, at, comparison.limits):
                    means[at] = mean
        if means:
            name = f"{group.group or 'all steps'} (mean of {count_text(group.steps, 'step')})"
            yield _Subject(name, group.unit, group.direction, means, is_mean=True)
        yield from _steps(its, means)


def _steps(cells: Sequence[_Cell], means: Mapping[int, _Finding]) -> Iterator[_Subject]:
    """The steps whose columns have no mean, or differ clearly from it."""
    for _, its in groupby(cells, key=lambda cell: id(cell.row)):
        told = [cell for cell in its if cell.finding]
        findings = {
            cell.at: cell.finding
            for cell in told
            if cell.finding and (cell.at not in means or cell.finding.is_apart(means[cell.at]))
        }
        if findings:
            row = told[0].row
            counted = row if row.kind == COUNT else None
            yield _Subject(row_label(row), row.unit, row.direction, findings, counted=counted)


# how it is put


@dataclass(frozen=True)
class _Voice:
    """Words for the columns, and the measure they are compared by."""

    names: Sequence[str]
    base: int
    figure: str
    limits: VerdictLimits

    def of(self, subject: _Subject) -> str:
        """`scan: MyRocks at 0.78 of InnoDB's rate (95% sure: 0.71 to 0.86): slower.`, the largest first."""
        found = sorted(
            subject.findings.items(), key=lambda each: (each[1].word not in DIFFERING, -each[1].effect)
        )
        found = found[:MOST_CLAUSES] if (more := len(found) - MOST_CLAUSES) > 0 else found
        if subject.counted:
            counted = partial(counted_clause, subject.counted, self.names, self.base, figure=self.figure)
            clauses = [counted(at) for at, _ in found]
            return f"{subject.name}: {'; '.join(clauses)}{f'; and {more} more' if more > 0 else ''}."
        surest = next((at for at, each in found if each.low is not None), None)
        clauses = [
            self._clause(at, each, subject, is_first=not place, is_sure=at == surest)
            for place, (at, each) in enumerate(found)
        ]
        return f"{subject.name}: {'; '.join(clauses)}{f'; and {more} more' if more > 0 else ''}."

    def of_unjudged(self, cells: Sequence[_Cell]) -> Iterator[str]:
        """`B measured at 1.02 (load), 1.24 (index) of A's rate: none of these is judged (unsteady).`"""
        found = sorted(self._unjudged(cells), key=lambda each: -each[1])
        yield from (text for text, _ in found[:MOST_UNJUDGED])
        if more := sum(count for _, count in found[MOST_UNJUDGED:]):
            yield f"{count_text(more, 'more result')} without a verdict, for other reasons."

    def _unjudged(self, cells: Sequence[_Cell]) -> Iterator[tuple[str, int]]:
        """Each sentence, and how many cells it is on; columns with the same steps and reason together."""
        steps: dict[tuple[int, str], list[_Cell]] = {}
        for cell in cells:
            if cell.why and cell.why != LEVEL_MISSED:  # which has a sentence of its own
                steps.setdefault((cell.at, cell.why), []).append(cell)
        columns: dict[tuple[str, tuple[str, ...]], list[list[_Cell]]] = {}
        for (_, why), its in steps.items():
            columns.setdefault((why, tuple(row_label(cell.row) for cell in its)), []).append(its)
        asked = {cell.at for cell in cells}
        for (why, labels), same in columns.items():
            count = sum(map(len, same))
            where = "" if len(labels) * len(asked) == len(cells) else first_texts(labels)
            who = "" if len(same) == len(asked) else first_texts([self.names[its[0].at] for its in same])
            reason = f"({reason_in_sentence(why)})"
            if seen := self._seen(same):
                before = "" if 1 < len(labels) <= MOST_NAMED else where if len(labels) > 1 else labels[0]
                is_open = all(cell.row.cells[cell.at].verdict == NOISE for its in same for cell in its)
                what = "undecided" if is_open else "not judged" if count == 1 else "none of these is judged"
                yield f"{before}{': ' if before else ''}{seen}: {what} {reason}.", count
            else:
                what = " in ".join(filter(None, (who, where)))
                yield f"{NONE} {reason}{': ' if what else ''}{what}.", count

    def _seen(self, columns: Sequence[Sequence[_Cell]]) -> str:
        """`B measured at 0.82 to 1.24 of A's rate over 5 steps; C at 0.95`; '' without ratios of one kind."""
        ratios = [[each for cell in its if (each := cell.ratio)] for its in columns]
        nouns = {noun_of(cell.row.unit, self.figure) for its in columns for cell in its}
        if len(nouns) > 1 or any(len(each) < len(its) for each, its in zip(ratios, columns, strict=True)):
            return ""
        first, *others = columns[:MOST_CLAUSES]
        labels, base = [row_label(cell.row) for cell in first], self.names[self.base]
        over = f" over {len(labels)} steps" if len(labels) > MOST_NAMED else ""
        of_base = f" of {base}'s {nouns.pop()}{over}"
        texts = [f"{self.names[first[0].at]} measured at {_ratios_text(ratios[0], labels)}{of_base}"]
        texts += [
            f"{self.names[its[0].at]} at {_ratios_text(each)}"
            for its, each in zip(others, ratios[1:], strict=False)
        ]
        more = [f"and {len(columns) - MOST_CLAUSES} more"] if len(columns) > MOST_CLAUSES else []
        return "; ".join([*texts, *self._of_other_threads(first), *more])

    def _of_other_threads(self, cells: Sequence[_Cell]) -> list[str]:
        """`its other threads at 0.02 to 0.1`, where the cells are counted writes of one column."""
        writes = [cell for cell in cells if cell.row.counts_writes and not self.figure]
        found = [ratio_of_others(cell.row, self.base, cell.at) for cell in writes]
        known = [each for each in found if each is not None]
        return [f"its other threads at {_ratios_text(known)}"] if known else []

    def _clause(self, at: int, found: _Finding, of: _Subject, is_first: bool, is_sure: bool) -> str:
        """A column's ratio, interval and verdict; base and certainty come once in a sentence."""
        noun, words = noun_of(of.unit, self.figure), verdict_words(of.unit, self.figure)
        ratio, *ends = ratio_texts(found.ratio, found.low, found.high)
        of_base = f" of {self.names[self.base]}'s {noun}" if is_first else ""
        sure = f"{100 * (1 - self.limits.false_share):g}% sure: " if is_sure else ""
        surely = f" ({sure}{' to '.join(ends)})" if ends else ""
        seen = f"{self.names[at]} at {ratio}{of_base}"
        if found.word == NOISE:
            return f"{seen}{surely}: {_undecided(found, words if of.direction else {})}"
        if found.word not in DIFFERING:
            mean = "the mean is " if of.is_mean and found.word == SAME else ""
            return f"{seen}{surely}: {mean}{self._level(found.word)}"
        return f"{seen}{surely}: {with_doubt(words[found.word], found.low, found.high)}"

    def _level(self, word: str) -> str:
        """A difference that does not matter: ruled out, or seen and small."""
        same = f"the same within {100 * self.limits.matters:g}%"
        return same if word == SAME else "a difference too small to matter"


def _undecided(found: _Finding, words: Mapping[str, str]) -> str:
    """Judged and open; in which directions, where its interval holds both."""
    is_open = words and found.low and found.high and found.low < 1 < found.high
    return f"undecided, may be {words[WORSE]} or {words[BETTER]}" if is_open else "undecided"


def noun_of(unit: str, figure: str = "") -> str:
    """What a ratio is of."""
    if figure:
        return figure
    if unit_text(unit) in _SIZES:
        return "size"
    if unit == INSTRUCTIONS:
        return "instructions"
    return "rate" if unit.endswith("/s") else "time" if unit in ("s", "ms") else "result"


_WORDS = {  # better and worse, of what is no rate and no time
    "size": ("smaller", "larger"),
    "result": ("better", "worse"),
    "instructions": ("less work", "more work"),
}


def verdict_words(unit: str, figure: str = "") -> dict[str, str]:
    """The words for better, worse and different in this unit."""
    noun = "result" if figure else noun_of(unit, figure)
    words = _WORDS.get(noun, ("faster", "slower"))
    return {BETTER: words[0], WORSE: words[1], DIFFERS: "different"}


def with_doubt(word: str, low: float | None, high: float | None) -> str:
    """`slower`; `probably slower` where the interval of all steps together leaves it open."""
    return f"probably {word}" if low and high and low <= 1 <= high else word


def ratio_texts(*ratios: float | None) -> list[str]:
    """`0.78`, `0.71` and `0.86`, with as many digits as tell them from 1 and from 0."""
    values = [value for value in ratios if value is not None]
    digits = next((each for each in (2, 3) if all(_is_told(value, each) for value in values)), 4)
    return [f"{value:.{digits}f}" for value in values]


def reason_in_sentence(why: str) -> str:
    """A mark by its meaning, or by the first clause of that, where these are short."""
    meaning = MARKS.get(why, "")
    texts = (meaning, meaning.partition(": ")[0])
    return next((each for each in texts if 0 < len(each) <= SHORT), why)


def _ratios_text(ratios: Sequence[float], labels: Sequence[str] = ()) -> str:
    """Each of a few, with the labels of their steps; of more the least and the largest, `1.02 to 1.24`."""
    is_few = len(ratios) <= MOST_NAMED
    texts = [
        f"{each:.2f}" if each >= 0.1 else f"{each:.2g}"
        for each in (ratios if is_few else (min(ratios), max(ratios)))
    ]
    if is_few and len(labels) > 1:
        return ", ".join(f"{text} ({label})" for text, label in zip(texts, labels, strict=True))
    if len(set(texts)) == 1:
        return texts[0]
    return ", ".join(texts) if is_few else " to ".join(texts)


def _is_told(value: float, digits: int) -> bool:
    return f"{value:.{digits}f}" != f"{1:.{digits}f}" and value >= 10 ** (1 - digits)
