"""Comparisons of equals as they could be: what noise does to the figures of two contenders, simulated."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from app.stats import StepResultPair
from app.stats.between import VarianceBetweenPlans

TURN_S = 600.0  # from the begin of a session to that of the next one
ORDERS = ("interleaved", "grouped")
SLICES = "slices"  # both at the same time: figures at one place are of one round
Logs = np.ndarray  # of figures: comparisons x cells x turns
World = Callable[[np.random.Generator, tuple[int, int, int]], Logs]


def turns(order: str, repeats: int) -> tuple[list[int], list[int]]:
    """Which turns of a plan belong to the first of two contenders, and which to the second."""
    if order == "grouped":
        return list(range(repeats)), list(range(repeats, 2 * repeats))
    both = [(2 * at, 2 * at + 1)[:: -1 if at % 2 else 1] for at in range(repeats)]
    return [a for a, _ in both], [b for _, b in both]


def plain(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
    return 0.01 * chance.standard_normal(shape)


def hanging_together(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
    """AR(1): the machine owes 0.7 of what it is to what it was a turn before, in all cells."""
    found = chance.standard_normal((shape[0], 1, shape[2]))
    for at in range(1, shape[2]):
        found[:, :, at] = 0.7 * found[:, :, at - 1] + 0.51**0.5 * found[:, :, at]
    return 0.01 * found + 0.003 * chance.standard_normal(shape)


def with_outliers(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
    """One figure in twenty is 5 to 30 % too low."""
    lost = chance.uniform(0.05, 0.3, shape)
    return plain(chance, shape) - np.where(chance.random(shape) < 0.05, lost, 0.0)


def drifting(share: float) -> World:
    """The machine loses this share over the plan, evenly."""
    return lambda chance, shape: plain(chance, shape) - share * np.linspace(0, 1, shape[2])


def mixed(noisy: Callable[[int], bool]) -> World:
    """Some cells have a noise of 10 %, the others of 1 %."""

    def world(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
        noise = np.array([0.1 if noisy(at) else 0.01 for at in range(shape[1])])
        return noise[None, :, None] * chance.standard_normal(shape)

    return world


def two_speeds(of: Callable[[int], bool]) -> World:
    """A server comes up in one of two speeds, 10 % apart, as chance will have it; these cells show it."""

    def world(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
        fast = chance.random((shape[0], 1, shape[2])) < 0.5
        shows = np.array([of(at) for at in range(shape[1])])
        return plain(chance, shape) + 0.1 * fast * shows[None, :, None]

    return world


def whole_sessions(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
    """Sessions are off by 3 % in all of their cells, these by 0.3 % besides."""
    wholes = chance.standard_normal((shape[0], 1, shape[2]))
    return 0.03 * wholes + 0.003 * chance.standard_normal(shape)


WORLDS: dict[str, World] = {
    "plain, 1 % of noise": plain,
    "AR(1), 0.7 from turn to turn": hanging_together,
    "outliers, 1 in 20": with_outliers,
    "drift of 5 % over the plan": drifting(0.05),
    "drift of 10 % over the plan": drifting(0.1),
    "mixed noise: half of the cells 10 %": mixed(lambda at: at % 2 == 1),
    "mixed noise: one cell 10 %": mixed(lambda at: at == 0),
    "two speeds, all cells": two_speeds(lambda _at: True),
    "two speeds, one cell": two_speeds(lambda at: at == 0),
    "sessions off as a whole, 3 %": whole_sessions,
}


def rounds(own: float) -> World:
    """Both of a round are off by 10 % in all of their cells, and each cell by this share of its own."""

    def world(chance: np.random.Generator, shape: tuple[int, int, int]) -> Logs:
        runs, _, sessions = shape
        common = np.repeat(chance.standard_normal((runs, 1, sessions // 2)), 2, axis=2)
        return 0.1 * common + own * chance.standard_normal(shape)

    return world


NOISIER = "one contender noisier, 1 and 10 %"  # by turns: not a world of its own
ROUNDS, QUIET_ROUNDS = (f"rounds off by 10 %, cells by {own} % of their own" for own in ("2", "0.7"))
_OF_ROUNDS = {ROUNDS: rounds(0.02), QUIET_ROUNDS: rounds(0.007)}


def compared(
    name: str, order: str, repeats: int, cells: int, runs: int, chance: np.random.Generator
) -> tuple[Logs, Logs]:
    """The logarithms of both contenders, who are equal."""
    ours, theirs = turns(order, repeats)
    figures = {**WORLDS, **_OF_ROUNDS}.get(name, plain)(chance, (runs, cells, 2 * repeats))
    base, other = figures[:, :, ours], figures[:, :, theirs]
    return base, other * 10 if name == NOISIER else other


def cells_of(base: Logs, other: Logs, order: str) -> list[StepResultPair]:
    """Of one comparison, as Dyno judges it: grouped columns are across time, slices by round."""
    times = tuple(tuple(turn * TURN_S for turn in its) for its in turns(order, base.shape[1]))
    added = ((2 * VarianceBetweenPlans().variance, inf),) if order == "grouped" else ()
    pairs = zip(np.exp(base).tolist(), np.exp(other).tolist(), strict=True)
    if order == SLICES:
        return [StepResultPair(tuple(a), tuple(b), by_round=True) for a, b in pairs]
    return [StepResultPair(tuple(a), tuple(b), added=added, times=times) for a, b in pairs]


# plans of the same work, one after the other: what is judged is the last one

Shape = tuple[int, int, int, int]  # comparisons x plans x cells x rounds
Noise = Callable[[np.random.Generator, Shape], np.ndarray]  # of the ratios: comparisons x plans x cells x 1
QUIET, TOGETHER = 0.02, 0.95  # usual noise; share of the variance that all cells have in common


def _noisier_now(times: float, of: Callable[[int], bool] = lambda _at: True) -> Noise:
    """The last plan is so many times as noisy in these cells."""

    def noise(_chance: np.random.Generator, shape: Shape) -> np.ndarray:
        found = np.full((*shape[:3], 1), QUIET)
        found[:, -1] *= np.array([times if of(at) else 1.0 for at in range(shape[2])])[:, None]
        return found

    return noise


def _noisy_plans(share: float) -> Noise:
    """This share of the plans has 10 % of noise."""
    return lambda chance, shape: np.where(chance.random((*shape[:2], 1, 1)) < share, 0.1, QUIET)


def _lognormal(of_plans: float, of_cells: float) -> Noise:
    """Plans and their cells are noisier than others by chance."""
    return lambda chance, shape: (
        0.05
        * np.exp(of_plans * chance.standard_normal((*shape[:2], 1, 1)))
        * np.exp(of_cells * chance.standard_normal((*shape[:3], 1)))
    )


_NOISE: dict[str, Noise] = {
    "plans of 2 or 10 %, half each": _noisy_plans(0.5),
    "plans of 2 or 10 %, 1 in 10": _noisy_plans(0.1),
    "plans by chance": _lognormal(0.7, 0.0),
    "plans and cells by chance": _lognormal(0.5, 0.5),
    "1.5 times the noise now": _noisier_now(1.5),
    "2 times the noise now": _noisier_now(2),
    "5 times the noise now": _noisier_now(5),
    "2 times in half of the cells now": _noisier_now(2, lambda at: at % 2 == 0),
    "5 times in half of the cells now": _noisier_now(5, lambda at: at % 2 == 0),
    "3 times in one cell now": _noisier_now(3, lambda at: at == 0),
    "5 times in one cell now": _noisier_now(5, lambda at: at == 0),
}
ALIKE = ", cells alike"  # they share most of their noise
PLANS = (ROUNDS, *WORLDS, NOISIER, *_NOISE, *(f"{name}{ALIKE}" for name in _NOISE))


def ratios_of_plans(name: str, shape: Shape, chance: np.random.Generator) -> np.ndarray:
    """The logarithms of the ratios of equals in plans of one of `PLANS`."""
    runs, plans, cells, rounds_ = shape
    noise = _NOISE.get(name.removesuffix(ALIKE))
    if noise is None:
        base, other = compared(name, SLICES, rounds_, cells, runs * plans, chance)
        return (other - base).reshape(shape)
    common = TOGETHER if name.endswith(ALIKE) else 0.0
    own, of_all = chance.standard_normal(shape), chance.standard_normal((runs, plans, 1, rounds_))
    return noise(chance, shape) * ((1 - common) ** 0.5 * own + common**0.5 * of_all)
