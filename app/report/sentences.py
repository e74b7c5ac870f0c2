"""The summary of a report: sentences that the figures carry, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..compare import Comparison, RowEntry
from ..compare_text import label_of
from ..judgement import GroupEntry
from ..stats.verdicts import BETTER, NOISE, SMALL, WORSE
from ..units import count_text


def summary(found: Comparison, names: Sequence[str], base: int) -> Iterator[str]:
    """A paragraph for each column beside the base."""
    for at, name in enumerate(names):
        if at != base:
            yield " ".join(_sentences(found, at, name, names[base]))


def _sentences(found: Comparison, at: int, name: str, base: str) -> Iterator[str]:
    rows = [row for row in found["rows"] if row["relative"][at] is not None and row["direction"]]
    if not rows:
        yield f"{name} has no figure in common with {base}."
        return
    yield _counted(rows, at, name, base)
    for direction in ("higher", "lower"):
        parts = [text for group in found["groups"] if (text := _of_group(group, at, direction))]
        less = ", where less is better" if direction == "lower" else ""
        if parts:
            yield f"The geometric mean of {name} over {base} is {_listed(parts)}{less}."
    yield _extremes(rows, at, name)


def _counted(rows: Sequence[RowEntry], at: int, name: str, base: str) -> str:
    verdicts = [row["verdict"][at] for row in rows]
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    level = verdicts.count(NOISE) + verdicts.count(SMALL)
    steps = count_text(len(rows), "step")
    if better + worse + level == 0:
        few = "there are too few repeats to tell differences from noise"
        return f"{name} and {base} have {steps} in common; {few}."
    rest = len(rows) - better - worse - level
    undecided = f", and undecided in {rest}" if rest else ""
    return (
        f"Of {steps}, {name} is better than {base} in {better}, worse in {worse}, "
        f"not to be told apart in {level}{undecided}."
    )


def _of_group(group: GroupEntry, at: int, direction: str) -> str:
    ratio = group["ratios"][at]
    if ratio is None or group["steps"] < 2 or group["direction"] != direction:
        return ""
    interval = "" if ratio["low"] is None else f" ({ratio['low']:.2f} to {ratio['high']:.2f})"
    return f"{ratio['ratio']:.2f}{interval} over the {group['steps']} steps of {group['group'] or 'no group'}"


def _extremes(rows: Sequence[RowEntry], at: int, name: str) -> str:
    """The steps in which it stands out most, either way; waiting and restarts are none of them."""

    def benefit(row: RowEntry) -> float:
        ratio = row["relative"][at] or 0.0
        return ratio if row["direction"] == "higher" else 1 / ratio if ratio else 0.0

    measuring = [row for row in rows if row["kind"] not in ("settle", "restart")]
    ordered = sorted(measuring or rows, key=benefit)
    worst, best = ordered[0], ordered[-1]
    told = f"{name} does best in {label_of(best)} ({best['relative'][at]:.2f})"
    return (
        f"{told} and worst in {label_of(worst)} ({worst['relative'][at]:.2f})."
        if len(ordered) > 1
        else f"{told}."
    )


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
