"""How often equal figures show a change, how soon a shift is found: docs/measured/changes.md."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import numpy as np

from app.core.table import markdown_of
from app.stats.changes import changes as changes_of
from tests.bench.figure import Figure

NOISE, SHIFT, WITHIN, NEAR = 0.01, 0.02, 8, 4
ALIKE, BEFORE = (8, 12, 20, 30, 50, 100, 200), (12, 20, 30, 40)


def changes(arguments: argparse.Namespace) -> list[Figure]:
    runs = arguments.runs
    false = {count: _share(_is_false(count, run) for run in range(runs)) for count in ALIKE}
    print(markdown_of(["sessions that do not change", "with a change, %"], _rows(false)), end="\n\n")
    found = {count: _share(_is_found(count, run) for run in range(runs)) for count in BEFORE}
    print(markdown_of(["sessions before the shift", "found, %"], _rows(found)), end="\n\n", flush=True)
    limit = 1 + 3 * (0.01 * 0.99 / runs) ** 0.5 * 100
    return [
        Figure("series that change by chance", max(false.values()), "%", runs, "series", at_most=limit),
        Figure(f"a shift after {BEFORE[-1]} sessions", found[BEFORE[-1]], "%", runs, "series", at_least=90),
    ]


def _rows(shares: dict[int, float]) -> list[list[str]]:
    return [[str(count), f"{share:.1f}"] for count, share in shares.items()]


def _share(found: Iterable[bool]) -> float:
    return 100 * float(np.mean([*found]))


def _is_false(count: int, run: int) -> bool:
    return bool(changes_of(np.random.default_rng([1, count, run]).normal(0, NOISE, count).tolist()))


def _is_found(before: int, run: int) -> bool:
    """After one of the first sessions behind the shift, near its place."""
    values = np.random.default_rng([2, before, run]).normal(0, NOISE, before + WITHIN)
    values[before:] += SHIFT
    looks = (changes_of(values[:count].tolist()) for count in range(before + 3, before + WITHIN + 1))
    return any(abs(change.at - before) <= NEAR for look in looks for change in look)


FIGURES = {"changes": changes}
