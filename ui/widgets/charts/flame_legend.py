"""The legend of a flame graph: parts of the server with their shares, or the colours of a change."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.comparison.stacks.flame import Flame
from app.comparison.stacks.flame_colours import STEPS, colour_of, parts_in, shade_colour
from ui.core.plain import as_tip
from ui.core.theme import SPACE, Theme

_BOX = 12.0  # pixels
_CHANGE = ("a smaller share than in the base", "no change beyond chance", "a larger share than in the base")


class FlameLegend(QWidget):
    """One line: the largest parts first, as many as fit; its tooltip has all."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._flame: Flame | None = None
        self.setAccessibleName("Legend")
        theme.changed.connect(self.update)

    def show_flame(self, flame: Flame) -> None:
        self._flame = flame
        words = "\n".join(words for _, words in self.entries())
        self.setToolTip(as_tip(words))
        self.setAccessibleDescription(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(40 * SPACE, self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        return QSize(SPACE, self.sizeHint().height())

    def entries(self) -> list[tuple[str, str]]:
        """Colours and what they stand for."""
        is_dark = self._theme.is_dark
        if self._flame is None:
            return []
        if self._flame.base_samples:
            shades = (-STEPS, 0, STEPS)
            return [(shade_colour(shade, is_dark), text) for shade, text in zip(shades, _CHANGE, strict=True)]
        return [
            (colour_of(part, is_dark), f"{part} {share:.1%}") for part, share in parts_in(self._flame).items()
        ]

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, x, metrics = QPainter(self), 0.0, self.fontMetrics()
        painter.setPen(self._theme.colour("text"))
        for colour, words in self.entries():
            width = float(metrics.horizontalAdvance(words))
            if x + _BOX + width > self.width():
                break
            painter.fillRect(QRectF(x, (self.height() - _BOX) / 2, _BOX, _BOX), QColor(colour))
            x += _BOX + SPACE / 2
            painter.drawText(QRectF(x, 0, width + 2, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
            x += width + 2 * SPACE
        painter.end()
