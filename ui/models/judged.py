"""A cell of a comparison and its tooltip: result or ratio, sign of the verdict, n and p."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QColor

from app.comparison.cells.cell import Row, RowGroup
from app.comparison.texts.text import (
    cell_remarks,
    cross_plan_marker,
    detail_text,
    interval_text,
    mean_text,
    p_text,
    spread_text,
    steady_text,
    steps_in_mean_text,
    within_text,
)
from app.comparison.verdicts.across import ADVICE, MACHINES, TIME
from app.comparison.verdicts.judgement import MARKED, SHORT_SIGNS, UNKNOWN_NOISE, verdict_short_text
from app.comparison.verdicts.why_not import WHY_NOT_BY_FIGURES
from app.core.units import count_text, figure_text, with_unit
from app.history.steps.step_text import HAS_MARKS, named
from app.stats.at_target.verdicts import AT_RATE, DRIFT, FEW, LEAST, NOISE, SAME, SINGLE, SMALL
from ui.core.theme import Theme

_LOST = ("failed", "stopped", "lost")  # states of a step that a cell without a figure names
_ACROSS = {
    TIME: f"across time: the variance between plans is added to the noise. {ADVICE}",
    MACHINES: "across machines: the variance of each machine between plans is added to the noise",
}
_MEANINGS = {
    "": "not judged: how long a server took to settle or start",
    NOISE: "undecided: the difference is within the noise",
    SMALL: "beyond the noise, but too small to matter",
    SAME: "the same: no difference that matters, noise included",
    FEW: f"fewer than {LEAST} repeats: not judged",
    DRIFT: "the machine changed meanwhile, by more than a third of the difference: not judged",
    SINGLE: f"n = 1: {UNKNOWN_NOISE}",
    MARKED: "not judged: something went wrong, here or in the base",
    AT_RATE: "not judged: this rate was set beforehand; compare latencies",
    **{word: f"not judged: {why}" for word, why in WHY_NOT_BY_FIGURES.items()},
}


_INTERVAL = "with an interval: all intervals hold at once, like the verdicts"
_NO_INTERVAL = "without an interval: too few repeats, or it would be wider than a factor of 4"


@dataclass(frozen=True, slots=True)
class CellAppearance:
    """The contents of a cell, computed once for all roles."""

    text: str
    tint: QColor | None = None
    sign: str = ""  # of the verdict, on the right
    beside: str = ""  # small, on the left
    below: str = ""  # small, on a line of its own
    word: str = ""  # of the verdict, where the cell is copied or read out
    is_right: bool = False
    is_quiet: bool = False
    is_heading: bool = False
    is_warning: bool = False  # the text next to the value


@dataclass(frozen=True)
class ComparisonCellTexts:
    """Texts and tints of the cells of a comparison."""

    theme: Theme
    base: int
    is_relative: bool
    has_details: bool

    def figure(self, row: Row, at: int) -> CellAppearance:
        """The cell of a step, tinted only if it is better or worse."""
        verdict = "" if at == self.base else row.cells[at].verdict or ""
        sign = SHORT_SIGNS.get(verdict, "")
        warning, alone, across = (
            _warning(row, at),
            row.cells[at].within,
            cross_plan_marker(row.cells[at].across),
        )
        below = detail_text(row.cells[at]) if self.has_details and row.cells[at].n else ""
        return CellAppearance(
            self.text(row, at),
            self.theme.verdict(verdict, row.cells[at].relative),
            sign,
            " ".join(
                filter(None, (warning, across, within_text(alone) if alone is not None and not below else ""))
            ),
            below,
            " ".join(filter(None, (verdict_short_text(verdict), across))),
            is_right=True,
            is_quiet=self.is_relative and row.cells[at].relative is None,
            is_warning=bool(warning),
        )

    def text(self, row: Row, at: int) -> str:
        """The text of a ratio, or of the value for the base or on request."""
        value, relative = row.cells[at].value, row.cells[at].relative
        if value is None:
            return ""
        is_plain = not self.is_relative or at == self.base or relative is None
        return figure_text(value, row.unit) if is_plain else f"{relative:.2f}"

    def mean(self, group: RowGroup, at: int) -> CellAppearance:
        """The cell of a mean, with its interval below if there are repeats."""
        found = group.ratios[at]
        if found is None or at == self.base:
            return CellAppearance("")
        below = f"{interval_text(found)}{steps_in_mean_text(found, group)}".strip()
        return CellAppearance(f"{found.ratio:.2f}", below=below, word=below, is_right=True)

    def tip(self, row: Row, at: int, name: str) -> str:
        """Details of a step's cell."""
        head = f"{name}: {named(row.workload, row.coordinates)}"
        steady = steady_text(row.cells[at])
        steadiness = f"steadiness of its seconds: {steady}" if steady else ""
        known = [row.cells[at].reason, *cell_remarks(row.cells[at]), steadiness]
        return "\n".join([head, *self._figures(row, at), *filter(None, known)])

    def _figures(self, row: Row, at: int) -> list[str]:
        value, relative = row.cells[at].value, row.cells[at].relative
        lines = []
        if value is not None:
            lines.append(f"{with_unit(value, row.unit)}, {_of_how_many(row, at)}")
        if (alone := row.cells[at].within) is not None:
            lines.append(f"its blocks of seconds are within {within_text(alone)} of their median")
        if relative is not None and at != self.base:
            lines.append(f"{relative:.3f} of the base{direction_text(row)}")
            lines.append(_verdict_text(row, at, row.cells[self.base].n))
            lines += [_ACROSS[row.cells[at].across]] if row.cells[at].across else []
        elif value is not None and relative is None:
            lines.append("the base has no result here")
        return lines


def _of_how_many(row: Row, at: int) -> str:
    n, spread = sum(value is not None for value in row.cells[at].samples), spread_text(row.cells[at])
    return f"the median of {n}, lowest and highest {spread}" if spread else f"n = {n}"


def _verdict_text(row: Row, at: int, of_base: int) -> str:
    verdict, p = row.cells[at].verdict or "", row.cells[at].p
    said = _MEANINGS.get(verdict, f"{verdict}: beyond the noise, and large enough to matter")
    if p is None:
        return said
    if row.cells[at].rounds:
        return f"{said} (Student's t, {count_text(row.cells[at].n, 'repeat')}: {p_text(p)})"
    return f"{said} (Welch, {row.cells[at].n} against {of_base}: {p_text(p)})"


def _warning(row: Row, at: int) -> str:
    """The warning of a cell: marks, outcome, number of repeats if some lack a result."""
    n, reason, state = row.cells[at].n, row.cells[at].reason, row.cells[at].lacking
    left_out = sum(map(bool, row.cells[at].left_out))
    parts = [HAS_MARKS] if row.cells[at].marks or (not n and state in _LOST) else []
    parts += ["cut"] if any(row.cells[at].cuts) else []
    parts += [f"\N{MINUS SIGN}{left_out}"] if left_out else []
    if reason and (n or state in _LOST):
        parts.append(f"n={n}" if n else state)
    return " ".join(parts)


def direction_text(row: Row) -> str:
    return {"lower": ", less is better", "higher": ", more is better"}.get(row.direction, "")


def mean_tip(group: RowGroup, at: int, name: str) -> str:
    """Details of a group's mean."""
    found = group.ratios[at]
    if found is None:
        return ""
    steps = f"{found.steps} of {group.of}" if found.steps < group.of else f"{found.steps}"
    over = f"{name}: geometric mean of {steps} steps, those that can be judged"
    interval = _INTERVAL if found.low is not None else _NO_INTERVAL
    across = f"\n{_ACROSS[found.across]}" if found.across else ""
    return f"{over}\n{mean_text(found)} of the base, {interval}{across}"
