"""Student's distribution, which the standard library does not have."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, pi

MOST = 1000.0  # degrees of freedom: with more it is practically the normal distribution
_STEPS = 200  # at most; the fraction has converged long before
_TINY = 1e-300


def two_sided(t: float, freedom: float) -> float:
    """The share of the distribution at least this far from 0; exact in the tails."""
    return _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def f_above(ratio: float, above: float, below: float) -> float:
    """The share of the F distribution beyond a ratio of two variances, by their degrees of freedom."""
    return _incomplete_beta(below / (below + above * ratio), below / 2, above / 2)


@lru_cache(maxsize=4096)
def quantile(share: float, freedom: float) -> float:
    """The t below which this share (over one half) of the distribution is.

    By Newton's way from 0: the distribution bends down all along, so that no step goes too far.
    """
    t = 0.0
    for _ in range(_STEPS):
        step = (share - cumulative(t, freedom)) / _density(t, freedom)
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t


def _density(t: float, freedom: float) -> float:
    half = (freedom + 1) / 2
    front = lgamma(half) - lgamma(freedom / 2) - log(freedom * pi) / 2
    return exp(front - half * log(1 + t * t / freedom))


def cumulative(t: float, freedom: float) -> float:
    """The share below t, which is not negative."""
    return 1 - 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by the continued fraction that converges fast."""
    if x in (0.0, 1.0):
        return x
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _kept_off_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _STEPS):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _kept_off_zero(1 + factor * d)
            c = _kept_off_zero(1 + factor / c)
            found *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return found


def _kept_off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
