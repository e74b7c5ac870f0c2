"""Figures and times as the axes of charts have them: round steps, short texts."""

from __future__ import annotations

import math
from collections.abc import Sequence

Tick = tuple[float, str]

_UNITS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
DAY_S = 86400
_TIME_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
_HEADROOM = 1.04
_ROUND = 1e-9


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, 20 ... not below this."""
    if least <= 0 or not math.isfinite(least):
        return 1.0
    power = 10.0 ** math.floor(math.log10(least) + _ROUND)
    return next(float(power * n) for n in (1, 2, 5, 10) if power * n >= least * (1 - _ROUND))


def round_time_step(least: float) -> float:
    """The smallest step of a clock not below this."""
    if least <= 0.5:
        return round_step(least)
    days = math.ceil(least / 86400) * 86400.0
    return next((float(step) for step in _TIME_STEPS if step >= least), days)


def steady_axis_range(low: float, high: float, now: tuple[float, float], most: int) -> tuple[float, float]:
    """A round range with 0; keeps `now` while it fits, so that nothing jumps."""
    low, high = min(0.0, low), max(0.0, high)  # also where there is no number
    height = now[1] - now[0]
    if now[0] <= low and high <= now[1] and high - low > 0.55 * height and (low < 0) == (now[0] < 0):
        return now
    return _around(low, high, round_step((high - low) * _HEADROOM / most))


def snug(low: float, high: float, most: int) -> tuple[float, float]:
    """A range with 0 for a still chart; ends closer to the values than the next tick."""
    low, high = min(0.0, low), max(0.0, high)
    return _around(low, high, round_step((high - low) * _HEADROOM / most) / 4)


def narrow_axis_range(low: float, high: float, most: int, least: float) -> tuple[float, float]:
    """A range without 0, for values that vary little; not smaller than the least: noise stays small."""
    middle, half = (low + high) / 2, max(high - low, least) / 2
    step = round_step(2 * half / most)
    return math.floor((middle - half) / step) * step, math.ceil((middle + half) / step) * step


def _around(low: float, high: float, step: float) -> tuple[float, float]:
    """A range between multiples of a step."""
    if high == low:
        return (0.0, 1.0)
    return math.floor(low * _HEADROOM / step) * step, math.ceil(high * _HEADROOM / step) * step


def figure_ticks(low: float, high: float, most: int) -> list[Tick]:
    """At round figures: 4k 8k 12k, 0.5 1.0 1.5."""
    step = round_step((high - low) / max(most, 1))
    size, letter = next(((size, letter) for size, letter in _UNITS if step >= size), (1.0, ""))
    if not letter and high >= 10_000:
        size, letter = 1e3, "k"
    digits = max(0, -math.floor(math.log10(step / size) + _ROUND))
    values = multiples(low, high, step)
    return [(value, f"{value / size:,.{digits}f}{letter}" if value else "0") for value in values]


def time_ticks(first: float, last: float, most: int) -> list[Tick]:
    """Ticks at round times, in the form that `clock_form` names."""
    step = round_time_step((last - first) / max(most, 1))
    hours = is_hours(first, last)
    return [(t, _clock(t, hours, step)) for t in multiples(first, last, step)]


def is_hours(first: float, last: float) -> bool:
    return max(abs(first), abs(last)) >= 3600


def clock_form(first: float, last: float, most: int) -> str:
    """The format of times on this axis: m:ss, h:mm or d h:mm."""
    if not is_hours(first, last):
        return "m:ss"
    if max(abs(first), abs(last)) >= DAY_S:
        return "d h:mm"
    return "h:mm" if round_time_step((last - first) / max(most, 1)) >= 60 else "h:mm:ss"


def time_text(t: float, is_fine: bool = False) -> str:
    """A moment in full: 0:07, 12:31, 1:02:03, 1d 2:03:04; with tenths where the axis is `is_fine`."""
    return _clock(t, abs(t) >= 3600, 0.1 if is_fine else 1.0)


def _clock(t: float, hours: bool, step: float) -> str:
    digits = min(3, max(0, -math.floor(math.log10(step) + _ROUND)))
    shown = round(abs(t), digits)
    sign = "-" if t < 0 and shown else ""
    whole = int(shown)
    seconds = f"{shown - whole + whole % 60:0{3 + digits if digits else 2}.{digits}f}"
    minutes, hour = whole // 60 % 60, whole // 3600
    if not hours:
        return f"{sign}{whole // 60}:{seconds}"
    days = f"{hour // 24}d " if hour >= 24 else ""
    return f"{sign}{days}{hour % 24}:{minutes:02d}" + (f":{seconds}" if step < 60 else "")


def multiples(low: float, high: float, step: float) -> list[float]:
    begin, end = math.ceil(low / step - _ROUND), math.floor(high / step + _ROUND)
    return [round(at * step, 9) for at in range(begin, end + 1)]


def value_text(value: float | None) -> str:
    """A value with the digits that a measurement deserves."""
    if value is None:
        return "–"  # noqa: RUF001
    size = abs(value)
    digits = 0 if size >= 1000 or not size else 1 if size >= 100 else 2 if size >= 1 else 4
    return f"{value:,.{digits}f}"


def number_text(number: float) -> str:
    """A chosen number, such as threads: 1,024, 40M."""
    size, letter = next(((size, letter) for size, letter in _UNITS[:-1] if number >= size), (1, ""))
    shown = number / size
    return f"{shown:,.0f}{letter}" if shown == int(shown) else f"{shown:g}{letter}"


def axis_places(xs: Sequence[float], is_logarithmic: bool) -> dict[float, float]:
    """The places of xs: linear, or logarithmic so that doubling is always as far."""
    known = sorted(set(xs))
    has_logarithms = is_logarithmic and bool(known) and known[0] > 0
    return {x: math.log2(x) if has_logarithms else x for x in known}


def logarithmic_range(low: float, high: float) -> tuple[float, float]:
    """A range of logarithms with some room, at least half a power of ten."""
    edge = max((0.5 - (high - low)) / 2, 0.04 * (high - low), 0.02)
    return low - edge, high + edge


def logarithmic_ticks(low: float, high: float, most: int) -> list[Tick]:
    """Ticks of logarithms at 1 2 5 10 20 50 while there is room, else at powers of ten."""
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        found = [(math.log10(digit) + power, digit * 10.0**power) for power in powers for digit in digits]
        ticks = [(at, _short(value)) for at, value in found if low <= at <= high]
        if len(ticks) <= most:
            return ticks
    return ticks[:: -(-len(ticks) // max(most, 1))]


def _short(value: float) -> str:
    return number_text(round(value)) if value >= 1 else f"{value:.10f}".rstrip("0")
