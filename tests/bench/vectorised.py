"""What `app.stats` does to one comparison, done to thousands at once; the bench holds it against that.

Arrays are comparisons x cells x sessions, all of them logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special, stats  # type: ignore[import-untyped]

from app.stats.at_target.pooled import ADDED, UNLIKE
from app.stats.at_target.student import MOST
from app.stats.at_target.verdicts import PART, VerdictLimits
from app.stats.at_target.welch import _ROOM, WIDEST

Array = np.ndarray
SHARE = VerdictLimits.false_share


@dataclass(frozen=True)
class Differences:
    """Comparisons x cells."""

    apart: Array
    error: Array
    freedom: Array
    level: Array  # calibrated, of the share of false ones

    @property
    def p(self) -> Array:
        return np.minimum(1, self.plain_p * SHARE / self.level)

    @property
    def plain_p(self) -> Array:
        return 2 * special.stdtr(self.freedom, -np.abs(self.apart / self.error))


def differences(base: Array, other: Array, added: float = 0.0) -> Differences:
    """With a variance between plans of each mean."""
    return _of_sides([_side(base), _side(other)], other.mean(2) - base.mean(2), added)


def sides_by_round(ratios: Array) -> tuple[Array, Array, Array]:
    """Variance and freedom of the means of rounds, and the freedom that the level is calibrated by."""
    of_mean, known, usual, n = _side(ratios) if ratios.shape[1] > 1 else _alone(ratios)
    return of_mean, known, _freedom([(usual, np.full_like(usual, n - 1.0))], 0.0)


def _alone(ratios: Array) -> tuple[Array, Array, Array, int]:
    n = ratios.shape[2]
    of_mean = ratios.var(2, ddof=1) / n
    return of_mean, np.full_like(of_mean, n - 1.0), np.full_like(of_mean, np.nan), n


def differences_by_round(base: Array, other: Array) -> Differences:
    """Of the ratios of the rounds."""
    ratios = other - base
    if ratios.shape[1] > 1:
        return _of_sides([_side(ratios)], ratios.mean(2))
    of_mean, known, _, _ = _alone(ratios)
    return Differences(ratios.mean(2), np.sqrt(of_mean), known, np.full_like(known, SHARE))


def _of_sides(sides: list[tuple[Array, Array, Array, int]], apart: Array, added: float = 0.0) -> Differences:
    error = np.sqrt(sum(side[0] for side in sides) + 2 * added)
    freedom = _freedom([(of_mean, known) for of_mean, known, _, _ in sides], added)
    shared = _freedom([(usual, np.full_like(usual, n - 1.0)) for _, _, usual, n in sides], added)
    return Differences(apart, error, freedom, calibrated(SHARE, shared, freedom))


def calibrated(share: float, shared: Array, taken: Array) -> Array:
    """The level that holds the share where there is no more freedom than is shared."""
    known = np.minimum(_ROOM * np.maximum(taken, shared), MOST)
    return 2 * special.stdtr(known, special.stdtrit(shared, share / 2))


def _side(figures: Array) -> tuple[Array, Array, Array, int]:
    """Variance of a mean, its freedom, the usual one of the column, and of how many figures."""
    n = figures.shape[2]
    measured = figures.var(2, ddof=1)
    freedom, variance = _prior(measured, n - 1)
    together = freedom + n - 1
    moderated = np.maximum(measured, (freedom * variance + (n - 1) * measured) / together)
    return moderated / n, np.broadcast_to(together, measured.shape), variance / n, n


def _prior(measured: Array, own: int, doubt: float = 0.0) -> tuple[Array, Array]:
    """Freedom and variance, along the second axis."""
    logs = np.log(measured) - special.digamma(own / 2) + np.log(own / 2)
    spread = logs.var(1, ddof=1, keepdims=True) * (1 + doubt * np.sqrt(2 / (logs.shape[1] - 1)))
    beyond = spread - special.polygamma(1, own / 2)
    least = special.polygamma(1, MOST / 2)
    half = np.where(beyond <= least, MOST / 2, _trigamma_inverse(np.maximum(beyond, least)))
    return 2 * half, np.exp(logs.mean(1, keepdims=True) + special.digamma(half) - np.log(half))


def prior_of_plans(earlier: Array) -> tuple[Array, Array]:
    """Freedom and variance of each cell from earlier plans: comparisons x plans x cells x rounds."""
    _, plans, _, rounds = earlier.shape
    freedom, variance = (each[:, 0] for each in _prior(earlier.var(3, ddof=1), rounds - 1, doubt=1.0))
    return 1 / (1 / freedom + 1 / (plans * (rounds - 1))), variance


def pooled_by_round(ratios: Array, priors: tuple[Array, Array]) -> Differences:
    """Of the ratios of the rounds, with the priors of earlier plans; a plan unlike them is judged without."""
    own, alone = ratios.shape[2] - 1, differences_by_round(np.zeros_like(ratios), ratios)
    if ratios.shape[1] == 1:
        return alone
    known, times = priors[0].mean(1, keepdims=True), ratios.var(2, ddof=1) / priors[1]
    pooled = _pooled(ratios, times, priors[1], np.minimum(known, ADDED * own))
    is_unlike = stats.f.sf(times.mean(1, keepdims=True), own, known) < UNLIKE
    both = zip(vars(alone).values(), vars(pooled).values(), strict=True)
    return Differences(*(np.where(is_unlike, *each) for each in both))


def _pooled(ratios: Array, times: Array, usual: Array, known: Array) -> Differences:
    n, own = ratios.shape[2], ratios.shape[2] - 1
    freedom, here = _prior(times, own)
    weight, whole = np.maximum(freedom, known), (own * here + known) / (own + known)
    variance = usual * np.maximum(times, (weight * whole + own * times) / (weight + own))
    taken, shared = (
        np.broadcast_to(each, times.shape) for each in (np.minimum(weight + own, MOST), own + known)
    )
    return Differences(ratios.mean(2), np.sqrt(variance / n), taken, calibrated(SHARE, shared, taken))


def _trigamma_inverse(value: Array) -> Array:
    x = 0.5 + 1 / value
    for _ in range(50):
        found = special.polygamma(1, x)
        step = found * (1 - found / value) / special.polygamma(2, x)
        x = x + step
        if np.all(np.abs(step) <= 1e-10 * x):
            break
    return x


def _freedom(parts: list[tuple[Array, Array]], added: float) -> Array:
    whole = sum(part for part, _ in parts) + 2 * added
    return np.minimum(whole**2 / sum(part**2 / known for part, known in parts), MOST)


def called(base: Array, other: Array, times: tuple[Array, Array], added: float) -> Array:
    """Which cells are better or worse."""
    found = declared(differences(base, other, added).p, base, other)
    middles = np.median(other, 2) - np.median(base, 2)
    is_same_way = (middles > 0) == (other.mean(2) > base.mean(2))
    return found & is_same_way & ~_is_drift(base, other, times)


def called_by_round(base: Array, other: Array) -> Array:
    """The same by the ratios of the rounds, which know no drift."""
    ratios = other - base
    found = declared_by_round(differences_by_round(base, other).p, ratios)
    return found & ((np.median(ratios, 2) > 0) == (ratios.mean(2) > 0))


def declared_by_round(p: Array, ratios: Array) -> Array:
    return declared(p, np.zeros_like(ratios), ratios)


def declared(p: Array, base: Array, other: Array) -> Array:
    """By the rate of false discoveries and the limit of size."""
    apart = np.abs(np.median(other, 2) - np.median(base, 2))
    return (stats.false_discovery_control(p, axis=1) <= SHARE) & (np.exp(apart) - 1 >= VerdictLimits.matters)


def _is_drift(base: Array, other: Array, times: tuple[Array, Array]) -> Array:
    off = [at - at.mean() for at in times]
    along = sum((side * at).sum(2) for side, at in zip((base, other), off, strict=True))
    slope = along / sum((at**2).sum() for at in off)
    far = min(abs(times[1].mean() - times[0].mean()), max(np.ptp(at) for at in times))
    return np.abs(slope * far) > np.abs(other.mean(2) - base.mean(2)) * PART


def excluded(base: Array, other: Array, groups: int, added: float) -> Array:
    """Which groups have an interval without 1."""
    levels = [
        np.stack([part.mean(1) for part in np.array_split(side, groups, axis=1)], axis=1)
        for side in (base, other)
    ]
    return _without_one(differences(levels[0], levels[1], added), groups)


def excluded_by_round(base: Array, other: Array, groups: int) -> Array:
    parts = np.array_split(other - base, groups, axis=1)
    levels = np.stack([part.mean(1) for part in parts], axis=1)
    return _without_one(differences_by_round(np.zeros_like(levels), levels), groups)


def _without_one(found: Differences, groups: int) -> Array:
    half = special.stdtrit(found.freedom, 1 - found.level / groups / 2) * found.error
    return (np.abs(found.apart) > half) & (2 * half <= np.log(WIDEST))
