"""What a comparison comes to, in sentences: faster, slower, or no difference larger than so much.

One for each step where they are few, else one for each group. Their words are those of the cells, so that
both agree; their intervals hold together.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Column, Comparison, Row, RowGroup
from app.comparison.cells.labels import names_of, row_label
from app.comparison.cells.measures import FIGURE, measure_named
from app.comparison.verdicts.across import cross_plan_remarks
from app.core.units import count_text, first_texts, unit_text
from app.engines import engine_of
from app.protocol.states import GOING_ON
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import BETTER, DIFFERS, WORSE

MOST_STEPS = 6  # with a sentence for each
WAITING = ("settle", "restart")  # kinds of steps in which nothing is measured that a person waits for
STILL = "its plan is not finished: compare again when it is"
NONE = "No verdict"
_DECIDED = (BETTER, WORSE, DIFFERS)
_SIZES = ("bytes", "KiB", "MiB", "GiB")


@dataclass(frozen=True)
class _Finding:
    """A ratio to the base with its interval, of a step or of the mean of a group."""

    word: str  # better, worse or differs; '': undecided
    ratio: float
    low: float | None  # the interval; None where it would be too wide
    high: float | None


@dataclass(frozen=True)
class _Cell:
    """A step of a column."""

    row: Row
    at: int
    finding: _Finding | None
    why: str  # it has no finding


def verdict_lines(comparison: Comparison, figure: str = "") -> list[str]:
    """The sentences, and what to know of columns that were not measured in turn."""
    return [*verdict_sentences(comparison, figure), *cross_plan_remarks(comparison, names_of(comparison))]


def verdict_sentences(comparison: Comparison, figure: str = "") -> list[str]:
    """Sentences on steps or groups, then on what has no verdict; `figure`: a measure to name."""
    base, columns = comparison.base, comparison.columns
    names, others = _names(comparison), [at for at in range(len(columns)) if at != base]
    hindered = {at: why for at in others if (why := hindrance(columns, base, at))}
    cells = list(_cells(comparison, [at for at in others if at not in hindered]))
    voice = _Voice(names, base, len(others) == 1, figure)
    steps = len({id(cell.row) for cell in cells})
    found = voice.of_steps(cells) if steps <= MOST_STEPS else voice.of_groups(comparison, cells)
    told = [f"{NONE} on {names[at]}: {why}." for at, why in hindered.items()]
    return [*found, *voice.of_unjudged(cells), *told]


def measure_in_sentence(measure: str) -> str:
    """The name of a measure in a sentence; '' for the figure of each step."""
    chosen = measure_named(measure)
    title = chosen.title
    return "" if chosen is FIGURE else title if title[:2].isupper() else title[:1].lower() + title[1:]


def hindrance(columns: Sequence[Column], base: int, at: int) -> str:
    """Why a column cannot be compared with the base at all; '' if it can."""
    if columns[at].work_key != columns[base].work_key:
        return "it did not do the same work"
    return STILL if has_running_sessions(columns[base]) or has_running_sessions(columns[at]) else ""


def has_running_sessions(column: Column) -> bool:
    """Whether some of its sessions have not ended."""
    return any(state in GOING_ON for state in column.state.split(", "))


def _names(comparison: Comparison) -> list[str]:
    """The names of the columns; an engine's name is written as people write it, if that is unique."""
    names, engines = names_of(comparison), [each.contender["engine"] for each in comparison.columns]
    titles = [
        engine_of(engine).title or name if name == engine else name
        for name, engine in zip(names, engines, strict=True)
    ]
    return titles if len({*titles}) == len(titles) else names


# what was found


def _cells(comparison: Comparison, others: Sequence[int]) -> Iterator[_Cell]:
    for row in comparison.rows:
        if row.kind not in WAITING:
            yield from (_Cell(row, at, _finding(row, at), row.cells[at].why) for at in others)


def _finding(row: Row, at: int) -> _Finding | None:
    word, ratio = row.cells[at].verdict or "", row.cells[at].relative
    if row.cells[at].why or ratio is None:
        return None
    return _Finding(word if word in _DECIDED else "", ratio, row.cells[at].low, row.cells[at].high)


def _of_group(group: RowGroup, at: int, limits: VerdictLimits) -> _Finding | None:
    """The ratio of a group; decided if its interval leaves out 1 and it is large enough to matter."""
    found = group.ratios[at]
    if found is None or found.low is None or found.high is None:
        return None
    ratio, low, high = found.ratio, found.low, found.high
    if low <= 1 <= high or max(ratio, 1 / ratio) - 1 < limits.matters:
        return _Finding("", ratio, low, high)
    better = (ratio > 1) == (group.direction == "higher")
    return _Finding((BETTER if better else WORSE) if group.direction else DIFFERS, ratio, low, high)


# how it is put


@dataclass(frozen=True)
class _Voice:
    """Words for the columns, and the measure they are compared by."""

    names: Sequence[str]
    base: int
    are_two: bool
    figure: str

    def of_steps(self, cells: Sequence[_Cell]) -> Iterator[str]:
        for row, its in _by_row(cells):
            clauses = [self._clause(each.at, each.finding, row.unit) for each in its if each.finding]
            if clauses:
                yield f"{_subject(row)}: {'; '.join(clauses)}."

    def of_groups(self, comparison: Comparison, cells: Sequence[_Cell]) -> Iterator[str]:
        """Sentences on groups; a group of one step is named by that step."""
        limits = comparison.limits
        for group in comparison.groups:
            key = (group.group, group.unit)
            its = [cell for cell in cells if (cell.row.group, cell.row.unit) == key]
            if len({id(cell.row) for cell in its}) < 2:
                yield from self.of_steps(its)
                continue
            columns = dict.fromkeys(cell.at for cell in its)
            findings = {at: finding for at in columns if (finding := _of_group(group, at, limits))}
            clauses = [
                self._clause(at, finding, group.unit) + self._single(at, its)
                for at, finding in findings.items()
            ]
            if clauses:
                steps = f"the {count_text(group.steps, 'step')} of {group.group or 'no group'}"
                yield f"Mean of {steps}: {'; '.join(clauses)}."

    def of_unjudged(self, cells: Sequence[_Cell]) -> Iterator[str]:
        """`No verdict on load, index (n = 1: the noise is unknown).`; columns with the same together."""
        steps: dict[tuple[int, str], list[str]] = {}
        for cell in cells:
            if cell.why:
                steps.setdefault((cell.at, cell.why), []).append(row_label(cell.row))
        columns: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        for (at, why), labels in steps.items():
            columns.setdefault((why, tuple(labels)), []).append(at)
        asked = {cell.at for cell in cells}
        for (why, same), its in columns.items():
            who = "" if len(its) == len(asked) else f" on {first_texts([self.names[at] for at in its])}"
            is_whole = len(same) * len(asked) == len(cells)
            where = "" if is_whole else f" {'in' if who else 'on'} {first_texts(same)}"
            yield f"{NONE}{who}{where} ({why})."

    def _clause(self, at: int, found: _Finding, unit: str) -> str:
        """`MyRocks is slower, 0.78 (0.71 to 0.86) times InnoDB's rate`."""
        noun, words = _words(unit, self.figure)
        if not found.word:
            who = "" if self.are_two else f"for {self.names[at]} "
            return f"{who}no difference larger than {_most(found)} could be seen"
        figures = _figures(found)
        edge = ", just beyond the noise" if found.low and found.high and found.low <= 1 <= found.high else ""
        what = f"{figures} times {self.names[self.base]}'s {noun}"
        return f"{self.names[at]} is {words[found.word]}, {what}{edge}"

    def _single(self, at: int, cells: Sequence[_Cell]) -> str:
        """The verdicts within a group, ` (single steps: 2 faster, 7 slower)`; '' if none is decided."""
        _, words = _words(cells[0].row.unit, self.figure)
        decided = [cell.finding.word for cell in cells if cell.at == at and cell.finding]
        counts = [f"{decided.count(word)} {words[word]}" for word in _DECIDED if word in decided]
        return f" (single steps: {', '.join(counts)})" if counts else ""


def _by_row(cells: Sequence[_Cell]) -> Iterator[tuple[Row, list[_Cell]]]:
    rows = {id(cell.row): cell.row for cell in cells}
    for key, row in rows.items():
        yield row, [cell for cell in cells if id(cell.row) == key]


def _subject(row: Row) -> str:
    """`Reading one row by its primary key (point-query threads=2)`."""
    what = row.title.partition(":")[0]
    return f"{what} ({row_label(row)})" if what else row_label(row)


def _words(unit: str, figure: str) -> tuple[str, dict[str, str]]:
    """The noun of a ratio, and the words for better and worse."""
    if figure:
        return figure, {BETTER: "better", WORSE: "worse", DIFFERS: "different"}
    if unit_text(unit) in _SIZES:
        return "size", {BETTER: "smaller", WORSE: "larger", DIFFERS: "different"}
    noun = "rate" if unit.endswith("/s") else "time" if unit in ("s", "ms") else "result"
    words = ("better", "worse") if noun == "result" else ("faster", "slower")
    return noun, {BETTER: words[0], WORSE: words[1], DIFFERS: "different"}


def _figures(found: _Finding) -> str:
    """`0.78 (0.71 to 0.86)`, with as many digits as tell it from 1 and from 0."""
    values = [value for value in (found.ratio, found.low, found.high) if value is not None]
    digits = next((each for each in (2, 3) if all(_is_told(value, each) for value in values)), 4)
    first, *ends = (f"{value:.{digits}f}" for value in values)
    return f"{first} ({' to '.join(ends)})" if ends else first


def _is_told(value: float, digits: int) -> bool:
    return f"{value:.{digits}f}" != f"{1:.{digits}f}" and value >= 10 ** (1 - digits)


def _most(found: _Finding) -> str:
    """`12%`, `a factor of 2.1`: the largest difference that the interval holds."""
    assert found.low is not None and found.high is not None
    if (factor := max(1 / found.low, found.high)) >= 2:
        return f"a factor of {math.ceil(10 * factor) / 10:g}"
    most = 100 * max(1 - found.low, found.high - 1)
    return f"{math.ceil(most)}%" if most >= 10 else f"{math.ceil(10 * most) / 10:g}%"
