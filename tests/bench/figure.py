"""A figure of the bench: what was measured, how often, against which goal; and the table that shows them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.pairs import Ratio

HEADER = ("figure", "value", "unit", "n", "goal", "")


@dataclass(frozen=True)
class Figure:
    """One line of the table; `goal` is met where the value is not beyond it, '' where there is none."""

    name: str
    value: float
    unit: str
    n: int  # what the value was found from: seconds, pairs, steps, calls
    of: str = ""  # what n counts
    at_most: float | None = None
    at_least: float | None = None
    digits: int = 3

    @property
    def goal(self) -> str:
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def is_met(self) -> bool:
        if self.at_most is not None:
            return self.value <= self.at_most
        return self.at_least is None or self.value >= self.at_least

    def row(self) -> tuple[str, ...]:
        verdict = ("met" if self.is_met else "NOT MET") if self.goal else ""
        n = f"{self.n:,} {self.of}".strip()
        return (self.name, f"{self.value:,.{self.digits}f}", self.unit, n, self.goal, verdict)


def ratio_figures(name: str, ratio: Ratio, at_least: float) -> list[Figure]:
    """A ratio with its interval, which is held against the goal: what is claimed is "not worse than"."""
    n, what = ratio.pairs, name.rpartition(",")[0]
    return [
        Figure(name, ratio.value, "", n, "pairs", digits=4),
        Figure(f"{what}, not worse than (95 %)", ratio.low, "", n, "pairs", at_least=at_least, digits=4),
        Figure(f"{what}, not better than (95 %)", ratio.high, "", n, "pairs", digits=4),
    ]


def print_figures(figures: Sequence[Figure]) -> None:
    """A Markdown table, as docs/measured/benchmarks.md has them."""
    rows = [HEADER, *(figure.row() for figure in figures)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(HEADER))]
    rows.insert(1, tuple("-" * width for width in widths))
    for row in rows:
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |")


def describe_machine() -> str:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    model = models[0] if models else platform.machine()
    python = ".".join(map(str, sys.version_info[:3]))
    return f"{model}, {len(models) or '?'} CPUs, Linux {platform.release()}, Python {python}"
