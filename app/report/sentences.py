"""The summary of a report: sentences that the figures carry, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import geometric_mean

from app.comparison.entries import Comparison, GroupEntry, RowEntry
from app.comparison.judgement import MARKED, UNKNOWN_NOISE
from app.comparison.text import row_label
from app.core.units import count_text
from app.stats.verdicts import BETTER, DIFFERS, FEW, NOISE, SINGLE, SMALL, WORSE

_JUDGED = {BETTER, WORSE, DIFFERS, NOISE, SMALL}  # a test could be asked, and said something
_WORDS = (("better", "than"), ("worse", "than"), ("not distinguishable", "from"), ("undecided", "against"))


def summary(found: Comparison, names: Sequence[str], base: int) -> Iterator[str]:
    """A paragraph for each column beside the base; first, where nothing could be judged, that it was not."""
    if why := _unjudged(found):
        yield why
    for at in range(len(names)):
        if at != base:
            yield " ".join(_sentences(found, at, base, names))


def _unjudged(found: Comparison) -> str:
    """Why no verdict says anything; '' where some do, or where there is nothing to be judged."""
    words = {word for row in found["rows"] for word in row["verdict"]}
    if words & _JUDGED:
        return ""
    if FEW in words:
        return "There are too few repeats to tell a difference from noise: nothing here is judged."
    return (
        f"With one session of a contender {UNKNOWN_NOISE}: nothing here is judged." if SINGLE in words else ""
    )


def _sentences(found: Comparison, at: int, base: int, names: Sequence[str]) -> Iterator[str]:
    rows = [row for row in found["rows"] if row["relative"][at] is not None and row["direction"]]
    if not rows:
        yield f"{names[at]} has no figure in common with {names[base]}."
        return
    yield _counted(rows, at, names[at], names[base])
    for direction in ("higher", "lower"):
        parts = list(_of_groups(found["groups"], at, direction))
        less = ", where less is better" if direction == "lower" else ""
        if parts:
            yield f"Its geometric mean against {names[base]} is {_listed(parts)}{less}."
    yield from _extremes(rows, at)
    yield from _cost(found["rows"], at, base)


def _counted(rows: Sequence[RowEntry], at: int, name: str, base: str) -> str:
    verdicts = [row["verdict"][at] for row in rows]
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    level = verdicts.count(NOISE) + verdicts.count(SMALL)
    rest = len(rows) - better - worse - level
    steps = count_text(len(rows), "step")
    if rest == len(rows):
        return f"{name} and {base} have {steps} in common."
    numbers = (better, worse, level, rest)
    (word, link, number), *more = [(*each, n) for each, n in zip(_WORDS, numbers, strict=True) if n]
    parts = [f"{word} {link} {base} in {number}", *(f"{word} in {number}" for word, _, number in more)]
    return f"Of {steps}, {name} is {_listed(parts)}."


def _of_groups(groups: Sequence[GroupEntry], at: int, direction: str) -> Iterator[str]:
    """Of one step alone there is no mean; groups of one name are told apart by their units."""
    steps, names = "steps ", [group["group"] for group in groups]
    for group in groups:
        ratio = group["ratios"][at]
        if ratio is not None and ratio["steps"] > 1 and group["direction"] == direction:
            interval = "" if ratio["low"] is None else f" ({ratio['low']:.2f} to {ratio['high']:.2f})"
            unit = f" in {group['unit']}" if names.count(group["group"]) > 1 else ""
            which = f"the {ratio['steps']} {steps}of {group['group'] or 'no group'}"
            yield f"{ratio['ratio']:.2f}{interval} over {which}{unit}"
            steps = ""


def _extremes(rows: Sequence[RowEntry], at: int) -> Iterator[str]:
    """The steps in which it stands out most, either way; waiting and restarts are none of them."""
    measuring = [row for row in rows if row["kind"] not in ("settle", "restart")] or rows
    ordered = sorted(measuring, key=lambda row: _benefit(row, at))
    ahead, behind = _parted(ordered, at)
    parts = [f"furthest ahead in {_extreme(row, at)}" for row in ahead[-1:]]
    parts += [f"furthest behind in {_extreme(row, at)}" for row in behind[:1]]
    if parts:
        yield f"It is {_listed(parts)}."


def _parted(rows: Sequence[RowEntry], at: int) -> tuple[Sequence[RowEntry], Sequence[RowEntry]]:
    """Those that are better, and worse; where none could be judged, by their figures, but for marked ones."""
    if any(row["verdict"][at] in _JUDGED for row in rows):
        better, worse = ([row for row in rows if row["verdict"][at] == word] for word in (BETTER, WORSE))
        return better, worse
    fair = [row for row in rows if row["verdict"][at] != MARKED]
    return [row for row in fair if _benefit(row, at) > 1], [row for row in fair if _benefit(row, at) < 1]


def _benefit(row: RowEntry, at: int) -> float:
    """Its ratio, of figures of which less is better the other way round."""
    ratio = row["relative"][at] or 0.0
    return ratio if row["direction"] == "higher" else 1 / ratio if ratio else 0.0


def _extreme(row: RowEntry, at: int) -> str:
    less = ", less is better" if row["direction"] == "lower" else ""
    return f"{row_label(row)} ({row['relative'][at]:.2f}{less})"


def _cost(rows: Sequence[RowEntry], at: int, base: int) -> Iterator[str]:
    """What a query costs of the CPU, over the steps that both were driven through and that are not marked."""
    driven = [row for row in rows if row["kind"] == "drive" and row["verdict"][at] != MARKED]
    spent = [row["measures"]["cpu_us"]["values"] for row in driven]
    pairs = [(values[at], values[base]) for values in spent]
    ratios = [ours / theirs for ours, theirs in pairs if ours and theirs]
    if len(ratios) > 1:
        mean = f"{geometric_mean(ratios):.2f}"
        yield f"A query costs {mean} times the CPU (geometric mean over {len(ratios)} steps)."


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
