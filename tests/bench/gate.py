"""How often `dyno gate` answers what: the table of docs/verdicts.md, by its own code."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.comparison.answers.gate import CODES, NOT_WORSE, WORSE, GateRequest, gate_answer
from app.comparison.cells.cell import Comparison
from app.core.table import markdown_of
from tests.bench.figure import Figure
from tests.bench.vectorised import SHARE
from tests.gates import filled, skeleton
from tests.worlds import QUIET_ROUNDS, ROUNDS, SLICES, compared

CELLS, REPEATS, LOSSES = 9, (3, 5, 8), (0.0, 0.03, 0.06)
ASKED = GateRequest(3.0)
WORLDS = {
    f"slices, {ROUNDS}": (ROUNDS, SLICES),
    f"slices, {QUIET_ROUNDS}": (QUIET_ROUNDS, SLICES),
    "whole sessions in turn, 1 % of noise": ("plain, 1 % of noise", "interleaved"),
}


def gate(arguments: argparse.Namespace) -> list[Figure]:
    runs = arguments.runs
    print(f"{CELLS} steps, a limit of {ASKED.loss}: worse / not worse / cannot be told", end="\n\n")
    heads = ["measured in", "true loss of each step", *(f"n = {n}" for n in REPEATS)]
    lines, false = [], 0.0
    for title, (world, order) in WORLDS.items():
        models = {n: _model(n, order) for n in REPEATS}
        for loss in LOSSES:
            found = [_shares(model, world, order, n, loss, runs) for n, model in models.items()]
            wrong = {0.0: (WORSE,), 0.03: (WORSE, NOT_WORSE), 0.06: (NOT_WORSE,)}[loss]
            false = max(false, *(each[verdict] for each in found for verdict in wrong))
            texts = [" / ".join(f"{each[verdict]:.1f} %" for verdict in (WORSE, *_REST)) for each in found]
            lines.append([title, f"{loss:.0%}", *texts])
    print(markdown_of(heads, lines), end="\n\n", flush=True)
    limit = 100 * (SHARE + 3 * (SHARE * (1 - SHARE) / runs) ** 0.5)
    return [Figure("false answers of the gate", false, "%", runs, "runs", at_most=limit)]


_REST = [verdict for verdict in CODES if verdict != WORSE]


def _model(rounds: int, order: str) -> Comparison:
    with TemporaryDirectory() as home:
        return skeleton(Path(home), rounds, order)


def _shares(
    model: Comparison, world: str, order: str, rounds: int, loss: float, runs: int
) -> dict[str, float]:
    chance = np.random.default_rng([15, rounds, int(100 * loss), order == SLICES])
    base, other = compared(world, order, rounds, CELLS, runs, chance)
    pairs = zip(base, other + np.log1p(-loss), strict=True)
    told = [gate_answer(filled(model, *pair), ASKED)["verdict"] for pair in pairs]
    return {verdict: 100 * told.count(verdict) / runs for verdict in CODES}


FIGURES = {"gate": gate}
