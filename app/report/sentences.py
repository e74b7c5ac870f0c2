"""The summary of a report: sentences that the figures carry, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison, GroupMeanRatio, Row, RowGroup
from app.comparison.cells.labels import row_label
from app.comparison.texts.text import cross_plan_marker
from app.comparison.verdicts.across import ADVICE, MACHINES
from app.comparison.verdicts.compare import comparison_by_measure
from app.comparison.verdicts.judgement import ratios_of
from app.core.units import count_text, unit_text
from app.stats.at_target.verdicts import AT_RATE, BETTER, NOISE, SAME, SMALL, WORSE

_WORDS = (
    ("better", "than"),
    ("worse", "than"),
    ("the same", "as"),
    ("undecided", "against"),
    ("not judged", "against"),
)


def summary(found: Comparison, names: Sequence[str], base: int) -> Iterator[str]:
    """The result, then a paragraph for each column; first any difference in work."""
    yield from found.first_texts
    if sentences := verdict_sentences(found):
        yield " ".join(sentences)
    for at in range(len(names)):
        if at != base:
            yield " ".join(_sentences(found, at, base, names))


def _sentences(found: Comparison, at: int, base: int, names: Sequence[str]) -> Iterator[str]:
    rows = [row for row in found.rows if _is_told(row, at)]
    if not rows:
        yield f"{names[at]} and {names[base]} have no result to compare."
        return
    yield _counted(rows, at, names[at], names[base])
    yield from _across(rows, at)
    for direction in ("higher", "lower"):
        parts = list(_of_groups(found.groups, at, direction))
        less = ", where less is better" if direction == "lower" else ""
        if parts:
            yield f"Its geometric mean against {names[base]} is {_listed(parts)}{less}."
    yield from _extremes(rows, at)
    yield from _cost(found, at)


def _is_told(row: Row, at: int) -> bool:
    cell, is_measured = row.cells[at], row.direction and not row.is_waiting
    return bool(is_measured and cell.relative is not None and cell.verdict != AT_RATE)


def _counted(rows: Sequence[Row], at: int, name: str, base: str) -> str:
    verdicts = [row.cells[at].verdict for row in rows]
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    level, undecided = sum(map(verdicts.count, (SMALL, SAME))), verdicts.count(NOISE)
    rest = len(rows) - better - worse - level - undecided
    steps = count_text(len(rows), "step")
    if rest == len(rows):
        return f"{name} and {base} have {steps} in common."
    numbers = (better, worse, level, undecided, rest)
    (word, link, number), *more = [(*each, n) for each, n in zip(_WORDS, numbers, strict=True) if n]
    parts = [f"{word} {link} {base} in {number}", *(f"{word} in {number}" for word, _, number in more)]
    return f"Of {steps}, {name} is {_listed(parts)}."


def _of_groups(groups: Sequence[RowGroup], at: int, direction: str) -> Iterator[str]:
    """Sentences on group means; a single step has none, and units separate groups of one name."""
    steps, names = "steps ", [group.group for group in groups]
    for group in groups:
        ratio = group.ratios[at]
        if ratio is not None and ratio.steps > 1 and group.direction == direction:
            unit = f" in {unit_text(group.unit)}" if names.count(group.group) > 1 else ""
            which = f"the {ratio.steps} {steps}of {group.group or 'no group'}"
            yield f"{ratio.ratio:.2f}{_interval(ratio)} over {which}{unit}"
            steps = ""


def _interval(ratio: GroupMeanRatio) -> str:
    if ratio.low is None:
        return ""
    interval = f"{ratio.low:.2f} to {ratio.high:.2f} {cross_plan_marker(ratio.across)}"
    return f" ({interval.rstrip()})"


def _across(rows: Sequence[Row], at: int) -> Iterator[str]:
    """A sentence if the two columns were not measured in turn."""
    across = {row.cells[at].across for row in rows} - {""}
    if across == {MACHINES}:
        added = "the variance of each machine between plans is added to the noise"
        yield f"This compares across machines: {added}."
    elif across:
        added = "the variance between plans is added to the noise"
        yield f"This compares across time: {added}. {ADVICE}."


def _extremes(rows: Sequence[Row], at: int) -> Iterator[str]:
    """The steps with the largest differences in both directions."""
    ordered = sorted(rows, key=lambda row: _benefit(row, at))
    ahead, behind = ([row for row in ordered if row.cells[at].verdict == word] for word in (BETTER, WORSE))
    parts = [f"furthest ahead in {_extreme(row, at)}" for row in ahead[-1:]]
    parts += [f"furthest behind in {_extreme(row, at)}" for row in behind[:1]]
    if parts:
        yield f"It is {_listed(parts)}."


def _benefit(row: Row, at: int) -> float:
    """The ratio as a benefit: inverted if less is better."""
    ratio = row.cells[at].relative or 0.0
    return ratio if row.direction == "higher" else 1 / ratio if ratio else 0.0


def _extreme(row: Row, at: int) -> str:
    less = ", less is better" if row.direction == "lower" else ""
    return f"{row_label(row)} ({row.cells[at].relative:.2f}{less})"


def _cost(found: Comparison, at: int) -> Iterator[str]:
    """The CPU per query, over the judged steps that both columns ran."""
    driven = [row for row in comparison_by_measure(found, "cpu_us").rows if row.kind == "drive"]
    ratio = ratios_of(found, [driven])[0][at]
    if ratio and ratio.steps > 1:
        mean = f"{ratio.ratio:.2f} times the CPU{_interval(ratio)}"
        yield f"A query costs {mean}, the geometric mean over {ratio.steps} steps."


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
