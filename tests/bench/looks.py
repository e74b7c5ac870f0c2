"""Plans until decided: how often equals are told apart, what is found, and how many sessions it takes.

The tables of docs/measured/verdicts.md on such plans: rounds are simulated, and held against Dyno's own code.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy import special, stats  # type: ignore[import-untyped]

from app.core.table import markdown_of
from app.stats import VerdictLimits, judge
from app.stats.at_target.looks import LUCK, OF_FEW, ROUNDS, equivalence_false_share, share_of_look
from app.stats.at_target.student import MOST
from app.stats.at_target.verdicts import COLOURED, LEAST, SAME, cell_stopping_decisions
from tests.bench.figure import Figure
from tests.bench.vectorised import SHARE, Array, calibrated, called_by_round, sides_by_round
from tests.worlds import NOISIER, QUIET_ROUNDS, SLICES, WORLDS, cells_of, compared
from tests.worlds import ROUNDS as WORLD

_HELD = 20  # plans of each place that Dyno judges too: both have to say the same
_EFFECTS = (0.03, 0.05, 0.1, 0.3)
_CELLS = (2, 4, 9)
_POOLS = ((0, 6), (2, 1), (2, 2), (2, 4), (2, 6))  # steps that load or index, and others
_OUT_OF_TIME = (3, 4, 5, 6)  # rounds after which the time is up
_HARDEST = (
    NOISIER, WORLD, "two speeds, all cells", "sessions off as a whole, 3 %",
    "mixed noise: half of the cells 10 %",
)  # fmt: skip
_LIMIT = np.log1p(VerdictLimits.matters)


@dataclass(frozen=True)
class Look:
    """What is seen after a round: plans x cells."""

    coloured: Array
    same: Array
    hopeless: Array

    @property
    def has_ended(self) -> Array:
        return (self.coloured | self.same | self.hopeless).all(1)


def look(ratios: Array, matters: float = VerdictLimits.matters) -> Look:
    n, cells = ratios.shape[2], ratios.shape[1]
    share, limit = _share(n, cells), np.log1p(matters)
    of_mean, freedom, usual = sides_by_round(ratios)
    apart, error = ratios.mean(2), np.sqrt(of_mean)
    level = _level(share, usual, freedom)
    p = np.minimum(1, 2 * special.stdtr(freedom, -np.abs(apart / error)) * share / level)
    middle = np.median(ratios, 2)
    is_far = np.exp(np.abs(middle)) - 1 >= matters
    beyond = (stats.false_discovery_control(p, axis=1) <= share) & ((middle > 0) == (apart > 0))
    coloured = beyond & is_far
    near = special.stdtr(freedom, -(limit - np.abs(apart)) / error) if matters else np.ones_like(p)
    same = (stats.false_discovery_control(near, axis=1) <= equivalence_false_share(share)) & ~coloured
    half = special.stdtrit(freedom, 1 - level / cells / 2) * error
    same |= (np.abs(apart) + half < limit) & (np.abs(middle - apart) <= half) & ~coloured
    return Look(coloured, same, ~_may_end(apart, error, freedom, usual, n, cells, limit))


def _share(rounds: int, cells: int) -> float:
    return share_of_look(SHARE, rounds) * (OF_FEW if cells == 1 else 1.0)


def _level(share: float, shared: Array, taken: Array) -> Array:
    """Of cells that are tested together; of one alone it is the share."""
    return np.where(np.isnan(shared), share, calibrated(share, shared, taken))


def _may_end(
    apart: Array, error: Array, freedom: Array, usual: Array, n: int, cells: int, limit: float
) -> Array:
    left, share = ROUNDS - n, _share(ROUNDS, cells)
    at_end, luck = error * np.sqrt(n / ROUNDS), LUCK * error * np.sqrt(left / ROUNDS)
    freedom = np.minimum(freedom + left, MOST)
    level = _level(share, usual + left, freedom)
    half = special.stdtrit(freedom, 1 - level / 2) * at_end
    reach = special.stdtrit(freedom, 1 - equivalence_false_share(share)) * at_end
    can_differ = np.abs(apart) + luck >= np.maximum(half, limit)
    return can_differ | (np.maximum(np.abs(apart) - luck, 0) + reach <= limit)


def looks(arguments: argparse.Namespace) -> list[Figure]:
    chance = np.random.default_rng([14, 2])
    worst = equals(arguments.runs, chance)
    apart = max(worst_of_pools(arguments.runs // 4, chance))
    in_time = max(max(worst_of_pools(arguments.runs // 8, chance, rounds)) for rounds in _OUT_OF_TIME)
    loss, sessions = powers(arguments.runs // 4, chance)
    limit = 100 * (SHARE + 3 * (SHARE * (1 - SHARE) / arguments.runs) ** 0.5)
    return [
        Figure("equals told apart, until decided", worst, "%", arguments.runs, "plans", at_most=limit),
        Figure(
            "equals told apart at any look, loads by themselves",
            apart,
            "%",
            arguments.runs // 4,
            "plans",
            at_most=100 * (SHARE + 3 * (SHARE * (1 - SHARE) / (arguments.runs // 4)) ** 0.5),
        ),
        Figure(
            "equals told apart at any look, the last when the time is up",
            in_time,
            "%",
            arguments.runs // 8,
            "plans",
            at_most=100 * (SHARE + 3 * (SHARE * (1 - SHARE) / (arguments.runs // 8)) ** 0.5),
        ),
        Figure("power lost against eight rounds", loss, "points", arguments.runs // 4, "plans", at_most=5),
        Figure(
            "sessions, 4 cells, half off by 10 %", sessions, "%", arguments.runs // 4, "plans", at_most=75
        ),
    ]


def equals(runs: int, chance: np.random.Generator) -> float:
    """The largest share of plans that end with a false cell.

    Shown too: at any look, whatever the size; and where plans end that have no limit of size.
    """
    lines, worst = [], 0.0
    for name in (WORLD, QUIET_ROUNDS, *WORLDS):
        shares = []
        for cells in (1, *_CELLS):
            ratios = _ratios(name, cells, runs, chance)
            seen = [look(ratios[:, :, :n], matters=0.0).coloured.any(1) for n in range(LEAST, ROUNDS + 1)]
            shares.append(100 * float(np.any(seen, axis=0).mean()))
            for matters in (VerdictLimits.matters, 0.0):
                coloured = _carried_out(ratios, matters)[1]
                shares.append(100 * float(coloured.any(1).mean()))
        lines.append([name, *(f"{each:.1f} %" for each in shares)])
        worst = max(worst, *shares[1::3])
    print("plans of equals with a false cell: at any look whatever the size, where the plan ended,")
    print("and where it would have ended with --difference 0")
    heads = [
        "equals",
        *(f"{what}, {cells} cells" for cells in (1, *_CELLS) for what in ("any look", "ended", "matters 0")),
    ]
    print("\n" + markdown_of(heads, lines), end="\n\n", flush=True)
    return worst


def worst_of_pools(runs: int, chance: np.random.Generator, rounds: int = ROUNDS) -> Iterator[float]:
    """Load and index tell of their noise by themselves: plans of equals with a difference at any look."""
    lines = []
    for name in _HARDEST:
        for order in ("interleaved", SLICES):
            shares = [_told_apart(name, order, *sizes, runs, chance, rounds) for sizes in _POOLS]
            yield max(shares)
            lines.append([name, order, *(f"{share:.1f} %" for share in shares)])
    heads = ["equals", "order", *(f"{loads} loads, {others} others" for loads, others in _POOLS)]
    print(f"plans of equals, ended after {rounds} rounds: any look shows a difference of 2 % or more")
    print("\n" + markdown_of(heads, lines), end="\n\n", flush=True)


def _told_apart(
    name: str, order: str, loads: int, others: int, runs: int, chance: np.random.Generator, rounds: int
) -> float:
    base, other = compared(name, order, ROUNDS, loads + others, runs, chance)
    pairs = zip(base, other, strict=True)
    return 100 * sum(_is_told_apart(*pair, order, loads, rounds) for pair in pairs) / runs


def _is_told_apart(base: Array, other: Array, order: str, loads: int, rounds: int) -> bool:
    """At any look; where the time is up before all rounds, the last look takes all of the share."""
    for n in range(LEAST, rounds + 1):
        limits = VerdictLimits(repeatedly=True, is_last=n == rounds < ROUNDS)
        cells = cells_of(base[:, :n], other[:, :n], order)
        cells = [replace(cell, is_load=at < loads) for at, cell in enumerate(cells)]
        if any(verdict.word in COLOURED for verdict in judge(cells, limits)):
            return True
    return False


def powers(runs: int, chance: np.random.Generator) -> tuple[float, float]:
    """Half of the cells differ: what is found of them by eight rounds and until decided, and the sessions."""
    lines, losses, typical = [], [], 0.0
    for name in (WORLD, QUIET_ROUNDS):
        for cells in _CELLS:
            differ = np.arange(cells) < max(1, cells // 2)
            line = [name, str(cells)]
            for effect in (0.0, *_EFFECTS):
                ratios = _ratios(name, cells, runs, chance) + np.log1p(effect) * differ[None, :, None]
                stop, coloured, same = _carried_out(ratios)
                sessions = 100 * float(stop.mean()) / ROUNDS
                if not effect:
                    line.append(f"{sessions:.0f} % ({100 * float(same.mean()):.0f} % same)")
                    continue
                whole = called_by_round(np.zeros_like(ratios), ratios)
                found, of_eight = (100 * float(each[:, differ].mean()) for each in (coloured, whole))
                losses.append(of_eight - found)
                typical = sessions if (name, cells, effect) == (WORLD, 4, 0.1) else typical
                line.append(f"{of_eight:.0f} %, {found:.0f} %, {sessions:.0f} %")
            lines.append(line)
    heads = ["rounds", "cells", "equals: sessions", *(f"{each:.0%}" for each in _EFFECTS)]
    print("of cells that differ: found by eight rounds, found until decided, sessions that this takes")
    print("\n" + markdown_of(heads, lines), end="\n\n", flush=True)
    return max(losses), typical


def _ratios(name: str, cells: int, runs: int, chance: np.random.Generator) -> Array:
    base, other = compared(name, SLICES, ROUNDS, max(cells, 2), runs, chance)
    _held(base[:, :cells], other[:, :cells])
    return (other - base)[:, :cells]


def _carried_out(ratios: Array, matters: float = VerdictLimits.matters) -> tuple[Array, Array, Array]:
    """After which round each plan ends, and what it says then."""
    runs, cells, _ = ratios.shape
    stop, goes_on = np.full(runs, ROUNDS), np.ones(runs, bool)
    coloured, same = np.zeros((runs, cells), bool), np.zeros((runs, cells), bool)
    for n in range(LEAST, ROUNDS + 1):
        seen = look(ratios[:, :, :n], matters)
        ends = goes_on & (seen.has_ended | (n == ROUNDS))
        stop[ends], coloured[ends], same[ends] = n, seen.coloured[ends], seen.same[ends]
        goes_on &= ~ends
    return stop, coloured, same


def _held(base: Array, other: Array) -> None:
    """Dyno says the same of the first few."""
    for at in range(_HELD):
        for n in (LEAST, 5):
            cells = cells_of(base[at, :, :n], other[at, :, :n], SLICES)
            words = cell_stopping_decisions(cells, VerdictLimits(repeatedly=True), n)
            seen = look((other - base)[at : at + 1, :, :n])
            assert [word in COLOURED for word in words] == seen.coloured[0].tolist(), "not what Dyno says"
            assert [word == SAME for word in words] == seen.same[0].tolist(), "not what Dyno calls the same"


FIGURES = {"looks": looks}
