"""The panel of an engine: the figures that matter, computed from its series."""

from __future__ import annotations

from typing import Dict, Mapping, NamedTuple, Optional, Sequence, Tuple

from .counter import SHARE

FACT = "engine_figures"  # the name of the fact that has them for a step
BETTER = {"higher": "more is better", "lower": "less is better", "": "neither way is better"}

Values = Mapping[str, Optional[float]]  # by series


class EngineFigure(NamedTuple):
    """A figure of a panel. One name is one idea: engines that share it share title, unit and direction."""

    name: str
    title: str
    unit: str
    direction: str  # higher | lower | '': neither
    meaning: str  # one sentence
    over: Tuple[str, ...]  # series whose sum it is
    under: Tuple[str, ...] = ()  # series by whose sum it is divided
    is_rest: bool = False  # the share that is left: 1 - over/under
    parts: Tuple[Tuple[str, str], ...] = ()  # what is behind it: label and series
    part_unit: str = ""

    @property
    def series(self) -> Tuple[str, ...]:
        return self.over + self.under + tuple(series for _, series in self.parts)

    def value(self, values: Values) -> Optional[float]:
        """The figure; None if the server does not report it, or if the divisor is zero."""
        over = _sum(self.over, values)
        if over is None or not self.under:
            return over
        under = _sum(self.under, values)
        if not under:
            return None
        found = 1 - over / under if self.is_rest else over / under
        return min(max(found, 0.0), 1.0) if self.unit == SHARE else found  # counters are read one by one


def _sum(names: Sequence[str], values: Values) -> Optional[float]:
    known = [value for value in map(values.get, names) if value is not None]
    return sum(known) if len(known) == len(names) else None


def figures_of(panel: Sequence[EngineFigure], values: Values) -> Dict[str, float]:
    """The figures that can be computed from these values, by name."""
    found = {figure.name: figure.value(values) for figure in panel}
    return {name: value for name, value in found.items() if value is not None}


def parts_of(figure: EngineFigure, values: Values) -> Dict[str, float]:
    """The parts that are not zero, by label."""
    return {label: value for label, series in figure.parts for value in [values.get(series)] if value}


def plain(
    name: str,
    title: str,
    unit: str,
    direction: str,
    meaning: str,
    *over: str,
    parts: Tuple[Tuple[str, str], ...] = (),
    part_unit: str = "",
) -> EngineFigure:
    """A series, or the sum of several, as it is."""
    return EngineFigure(name, title, unit, direction, meaning, over, parts=parts, part_unit=part_unit)


def ratio(
    name: str, title: str, unit: str, direction: str, meaning: str, over: Tuple[str, ...], *under: str
) -> EngineFigure:
    """A sum of series per another one; a share of it if that is the unit."""
    return EngineFigure(name, title, unit, direction, meaning, over, under)


def hit_rate(meaning: str, misses: str, *requests: str) -> EngineFigure:
    """The share of requests that the main cache of an engine answers."""
    return EngineFigure("cache_hits", "Cache hit rate", SHARE, "higher", meaning, (misses,), requests, True)


def dirty_share_figure(meaning: str, series: str) -> EngineFigure:
    """How much of the main cache is still to be written."""
    return plain("dirty_share", "Dirty share of the cache", SHARE, "", meaning, series)


def block_cache_figures(engine: str, what: str, writes: str) -> Tuple[EngineFigure, ...]:
    """The figures of a cache of blocks; what: its name for people, writes: the series of blocks written."""
    return (
        hit_rate(
            "Share of the requests to the {} that found the block there.".format(what),
            engine + ".cache_misses",
            engine + ".cache_requests",
        ),
        plain(
            "cache_reads",
            "Reads into the cache",
            "1/s",
            "lower",
            "Blocks that the {} read from files.".format(what),
            engine + ".cache_misses",
        ),
        plain(
            "cache_full",
            "Cache in use",
            SHARE,
            "",
            "The most blocks of the {} in use so far, as a share of all its blocks.".format(what),
            engine + ".cache_full",
        ),
        dirty_share_figure(
            "Changed blocks that are not yet written, as a share of the {}.".format(what),
            engine + ".dirty_share",
        ),
        plain(
            "block_writes",
            "Blocks written",
            "1/s",
            "",
            "Blocks that the {} wrote to files.".format(what),
            writes,
        ),
        ratio(
            "write_through",
            "Block writes that reach a file",
            SHARE,
            "lower",
            "Blocks that the {} wrote to files, as a share of the changes to its blocks.".format(what),
            (writes,),
            engine + ".block_changes",
        ),
    )


def of_table_locks(engine: str) -> Tuple[EngineFigure, ...]:
    """The figures of an engine that locks whole tables."""
    waits, granted = engine + ".lock_waits", engine + ".locks"
    return (
        plain("locks", "Table locks", "1/s", "", "Table locks that were granted at once.", granted),
        plain("lock_waits", "Table lock waits", "1/s", "lower", "Table locks that had to wait.", waits),
        ratio(
            "lock_wait_share",
            "Table locks that waited",
            SHARE,
            "lower",
            "Table locks that had to wait, as a share of all table locks.",
            (waits,),
            waits,
            granted,
        ),
    )
