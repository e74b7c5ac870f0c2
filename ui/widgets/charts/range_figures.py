"""What the curves of a chart come to in a stretch of time: mean, standard deviation, number of samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.core.plain import as_tip
from ui.core.theme import Theme

from .head import ChartHead
from .lines import ChartLine
from .pyramid import MeanAndDeviation
from .scale import time_text, value_text

_MEAN = "mean ± sd"
_COUNT = " (n "

Found = Sequence[tuple[ChartLine, str]]  # the numbers of each line


class RangeFiguresLine(ChartHead):
    """A line below the head while a range is selected; hover to see all of it."""

    def __init__(self, theme: Theme, unit: str, parent: QWidget) -> None:
        super().__init__(theme, "", "", parent)
        self.unit = unit
        self._shown: tuple[str, str, Found] = ("", "", ())
        self.hide()

    def show_range(self, chosen: tuple[float, float], what: str, found: Found) -> None:
        """Show the numbers of a range, and what they are; none: hide the line."""
        if found:
            is_fine = chosen[1] - chosen[0] < 60
            self._show(" to ".join(time_text(t, is_fine) for t in chosen), what, found)
        self.setVisible(bool(found))

    @property
    def told(self) -> str:
        """All values, a line for each curve."""
        between, what, found = self._shown
        texts = [f"{line.full or line.label}: {text}" for line, text in found]
        return "\n".join([", ".join(filter(None, (between, what, self.unit))), *texts])

    def resizeEvent(self, event: QResizeEvent) -> None:
        QWidget.resizeEvent(self, event)  # a head would take the height of all its lines
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def _arrange_again(self) -> None:
        self._arrange()

    def entry_at(self, _at: QPoint) -> None:
        """No entry: nothing can be hidden here, and hovering shows all."""

    def _show(self, between: str, what: str, found: Found) -> None:
        if self._shown != (between, what, found):
            self._shown = (between, what, found)
            self._arrange()

    def _arrange(self) -> None:
        """Lay out values, with names, title and n if there is room; colours identify curves too."""
        between, what, found = self._shown
        lines, texts = [line for line, _ in found], [text for _, text in found]
        brief = [replace(line, label="") for line in lines]
        unit = ", ".join(filter(None, (what, self.unit)))
        short = [text.partition(_COUNT)[0] for text in texts]
        stages = [(between, unit, lines, texts)]
        stages += [
            (*title, brief, texts) for title in ((between, unit), (between, what), (between, ""), ("", ""))
        ]
        for its_title, its_unit, its_lines, its_texts in [*stages, ("", "", brief, short)]:
            self.set_title(its_title, its_unit)
            self.set_lines(its_lines)
            self.set_values(its_texts)
            if self.height() <= self.line_height:
                break
        self.setFixedHeight(self.line_height)
        self.setToolTip(as_tip(self.told))


def means_of_lines(spreads: Sequence[tuple[ChartLine, MeanAndDeviation | None]]) -> tuple[str, Found]:
    """Mean and deviation of each line that has samples."""
    return _MEAN, [(line, figures_text(spread)) for line, spread in spreads if spread]


def figures_text(spread: MeanAndDeviation) -> str:
    """`50,123 ± 1,234 (n 60)`."""
    deviation = "" if spread.sd is None else f" ± {value_text(spread.sd)}"
    return f"{value_text(spread.mean)}{deviation}{_COUNT}{spread.n:,})"
