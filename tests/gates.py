"""A comparison of two contenders for the gate, whose figures are as a simulation says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from app.comparison.cells.cell import Comparison, Row
from app.comparison.verdicts.compare import compare
from app.comparison.verdicts.judgement import with_verdicts
from app.history.store.history import History
from app.stats import VerdictLimits
from tests import sliced
from tests.worlds import SLICES, Logs


def skeleton(home: Path, rounds: int, order: str = SLICES) -> Comparison:
    """Of a plan with this number of rounds."""
    with History(home) as history:
        ids = sliced.keep(history, sliced.plan(rounds=rounds, order=order))
        return compare(history, ids, limits=VerdictLimits(matters=0.0))


def filled(comparison: Comparison, base: Logs, other: Logs) -> Comparison:
    """The same with a step for each cell: logarithms, cells x rounds."""
    model = comparison.rows[1]
    rows = [_row(model, at, *np.exp(pair)) for at, pair in enumerate(zip(base, other, strict=True))]
    return with_verdicts(replace(comparison, rows=rows), comparison.limits)


def _row(model: Row, at: int, base: Logs, other: Logs) -> Row:
    by_round = any(cell.rounds for cell in model.cells)
    ratio = float(np.median(other / base) if by_round else np.median(other) / np.median(base))
    cells = [
        replace(cell, samples=[*map(float, side)], relative=relative)
        for cell, side, relative in zip(model.cells, (base, other), (1.0, ratio), strict=True)
    ]
    return replace(model, workload=f"step{at}", cells=cells)
