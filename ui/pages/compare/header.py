"""The heads of the columns: colour and name of each contender, which is the base, how many repeats."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QHeaderView, QWidget

from app.core.harmless import harmless
from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme
from ui.models.comparison import AROUND, COLUMN, FIXED, HeaderContender

_LEAST = 4  # characters worth a line of their own
_SWATCH = 4  # pixels of the colour above a name


class ColumnHeader(QHeaderView):
    """A header: a click makes a column the base, a drag moves it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self.setSectionsMovable(True)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setStretchLastSection(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)

    def sizeHint(self) -> QSize:
        lines = 4 if any(each.version for each in self._columns()) else 3
        return QSize(super().sizeHint().width(), lines * self.fontMetrics().height() + _SWATCH + SPACE)

    def _columns(self) -> list[HeaderContender]:
        found = [
            self.model().headerData(at, Qt.Orientation.Horizontal, COLUMN)
            for at in range(self.model().columnCount() if self.model() else 0)
        ]
        return [each for each in found if isinstance(each, HeaderContender)]

    def paintSection(self, painter: QPainter, rect: QRect, logical_index: int) -> None:
        painter.save()
        painter.fillRect(rect, self._theme.colour("window"))
        painter.setPen(self._theme.colour("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        shown = self.model().headerData(logical_index, Qt.Orientation.Horizontal, COLUMN)
        if isinstance(shown, HeaderContender):
            self._paint_column(painter, rect, shown)
        elif logical_index < len(FIXED):
            self._paint_fixed(painter, rect, logical_index)
        painter.restore()

    def _paint_fixed(self, painter: QPainter, rect: QRect, section: int) -> None:
        side = Qt.AlignmentFlag.AlignRight if FIXED[section] == "threads" else Qt.AlignmentFlag.AlignLeft
        place = rect.adjusted(SPACE, 0, -SPACE, -SPACE // 2)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(place, side | Qt.AlignmentFlag.AlignBottom, FIXED[section])
        around = self.model().headerData(section, Qt.Orientation.Horizontal, AROUND)
        if around:
            shown = fitted(painter.fontMetrics(), around, Qt.TextElideMode.ElideMiddle, place.width())
            painter.drawText(place.adjusted(0, _SWATCH + 2, 0, 0), side | Qt.AlignmentFlag.AlignTop, shown)

    def _paint_column(self, painter: QPainter, rect: QRect, shown: HeaderContender) -> None:
        swatch = QRect(rect.left() + SPACE // 2, rect.top() + 1, rect.width() - SPACE, _SWATCH)
        pattern = Qt.BrushStyle.Dense4Pattern if shown.is_dashed else Qt.BrushStyle.SolidPattern
        painter.fillRect(swatch, QBrush(shown.colour, pattern))
        place = rect.adjusted(SPACE, _SWATCH + 2, -SPACE, -SPACE // 2)
        font = QFont(self.font())
        font.setBold(shown.is_base)
        painter.setFont(font)
        painter.setPen(self._theme.colour("text"))
        height = self.fontMetrics().height()
        name = two_lines(shown.short, QFontMetrics(font), place.width())
        for at, line in enumerate(name):
            line_place = place.translated(QPoint(0, at * height))
            painter.drawText(line_place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, line)
        painter.setFont(self.font())
        version_place = place.translated(QPoint(0, len(name) * height))
        version = version_text(shown.version, painter.fontMetrics(), place.width())
        painter.drawText(version_place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, version)
        self._paint_below(painter, place, shown)

    def _paint_below(self, painter: QPainter, place: QRect, shown: HeaderContender) -> None:
        painter.setFont(self.font())
        painter.setPen(QPen(self._theme.colour("accent" if shown.is_base else "muted")))
        text = f"base, {shown.n}" if shown.is_base else shown.n
        elided = fitted(painter.fontMetrics(), text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, elided)


def version_text(version: str, metrics: QFontMetrics, width: int) -> str:
    """`MySQL 9.7.4`, or as much of it as fits: the number first."""
    texts = (harmless(version), harmless(version.rpartition(" ")[2]))
    whole = next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[1])
    return fitted(metrics, whole, Qt.TextElideMode.ElideRight, width)


def two_lines(name: str, metrics: QFontMetrics, width: int) -> list[str]:
    """A name in two lines, broken between words; what is still too long loses its middle."""
    name = harmless(name)
    if metrics.horizontalAdvance(name) <= width:
        return [name]
    fitting = next(n for n in range(len(name), -1, -1) if metrics.horizontalAdvance(name[:n]) <= width)
    breaks = [at + 1 for at in range(fitting) if name[at] in " -._/" and len(name) - at > _LEAST]
    cut = breaks[-1] if breaks and breaks[-1] >= fitting // 2 else min(fitting, len(name) - _LEAST)
    rest = fitted(metrics, name[cut:], Qt.TextElideMode.ElideMiddle, width)
    return [name[:cut].rstrip(), rest]
