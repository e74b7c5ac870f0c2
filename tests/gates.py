"""A comparison of two contenders for the gate, whose figures are as a simulation says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.comparison.cells.entries import Comparison, RowEntry
from app.comparison.verdicts.compare import base_of, compare
from app.comparison.verdicts.judgement import limits_of, with_verdicts
from app.history.store.history import History
from app.stats import Limits
from tests import sliced
from tests.worlds import SLICES, Logs


def skeleton(home: Path, rounds: int, order: str = SLICES) -> Comparison:
    """Of a plan with this number of rounds."""
    with History(home) as history:
        ids = sliced.keep(history, sliced.plan(rounds=rounds, order=order))
        return compare(history, ids, limits=Limits(matters=0.0))


def filled(comparison: Comparison, base: Logs, other: Logs) -> Comparison:
    """The same with a step for each cell: logarithms, cells x rounds."""
    model = comparison["rows"][1]
    rows = [_row(model, at, *np.exp(pair)) for at, pair in enumerate(zip(base, other, strict=True))]
    return with_verdicts({**comparison, "rows": rows}, base_of(comparison), limits_of(comparison))


def _row(model: RowEntry, at: int, base: Logs, other: Logs) -> RowEntry:
    by_round = any(model["rounds"])
    ratio = float(np.median(other / base) if by_round else np.median(other) / np.median(base))
    samples = [[*map(float, side)] for side in (base, other)]
    return {**model, "workload": f"step{at}", "samples": samples, "relative": [1.0, ratio]}
