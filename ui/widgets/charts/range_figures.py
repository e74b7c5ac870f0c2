"""What the curves of a chart come to in a stretch of time: mean, standard deviation, number of samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.core.plain import as_tip
from ui.core.theme import Theme

from .head import LINE_HEIGHT, Head
from .lines import Line
from .pyramid import Spread, Track
from .scale import time_text, value_text

_WHAT = "mean ± sd"


class RangeFigures(Head):
    """A line below the head while a range is selected; hover to see all of it."""

    def __init__(self, theme: Theme, unit: str, parent: QWidget) -> None:
        super().__init__(theme, "", "", parent)
        self.unit = unit
        self._shown: tuple[str, Sequence[tuple[Line, str]]] = ("", ())
        self.hide()

    def show_range(
        self, chosen: tuple[float, float] | None, lines: Sequence[Line], track: Callable[[str], Track]
    ) -> None:
        """Show a range; None: nothing is selected."""
        spreads = [track(line.key).spread(*chosen) for line in lines] if chosen else []
        found = [(line, figures_text(each)) for line, each in zip(lines, spreads, strict=False) if each]
        if chosen is not None and found:
            is_fine = chosen[1] - chosen[0] < 60
            self._show(" to ".join(time_text(t, is_fine) for t in chosen), found)
        self.setVisible(bool(found))

    @property
    def told(self) -> str:
        """All values, a line for each curve."""
        between, found = self._shown
        texts = [f"{line.full or line.label}: {text}" for line, text in found]
        return "\n".join([", ".join(filter(None, (between, _WHAT, self.unit))), *texts])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def entry_at(self, _at: QPoint) -> None:
        """No entry: nothing can be hidden here, and hovering shows all."""

    def _show(self, between: str, found: Sequence[tuple[Line, str]]) -> None:
        if self._shown != (between, found):
            self._shown = (between, found)
            self._arrange()

    def _arrange(self) -> None:
        """Lay out values, with names and title if there is room; colours identify curves too."""
        between, found = self._shown
        lines, texts = [line for line, _ in found], [text for _, text in found]
        brief = [replace(line, label="") for line in lines]
        unit = ", ".join(filter(None, (_WHAT, self.unit)))
        for its_title, its_unit, its_lines in ((between, unit, lines), (between, "", brief), ("", "", brief)):
            self.set_title(its_title, its_unit)
            self.set_lines(its_lines)
            self.set_values(texts)
            if self.height() <= LINE_HEIGHT:
                break
        self.setFixedHeight(LINE_HEIGHT)
        self.setToolTip(as_tip(self.told))


def figures_text(spread: Spread) -> str:
    """`50,123 ± 1,234 (n 60)`."""
    deviation = "" if spread.sd is None else f" ± {value_text(spread.sd)}"
    return f"{value_text(spread.mean)}{deviation} (n {spread.n:,})"
