"""The head line of a chart: what it shows, in which unit, its curves and what they stand at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ui.core.plain import as_tip, fitted
from ui.core.theme import SPACE, Theme
from ui.widgets.table import tabular

from .hidden import HiddenChartLines
from .lines import ChartLine, mixed

LINE_HEIGHT = 22
_SWATCH = 14
_FAINT = 0.45
_PALE = 0.4  # of an entry whose curve is hidden
_MORE, _FEWER = "and {} more", "fewer"
_CLICKS = "Click to hide or show; double-click to show only this curve, again to show all"


def drawn_colour(line: ChartLine, theme: Theme) -> QColor:
    """The painted colour of a line; an earlier session is nearer to the background."""
    return mixed(line.colour, theme.colour("base"), _FAINT) if line.faint else line.colour


def _behind(place: QRect) -> int:
    """Where the next entry of the row begins."""
    return place.right() + 1 + 2 * SPACE


class ChartHead(QWidget):
    """The head of a chart; places of values keep their width, so that nothing jumps.

    A click on an entry hides its curve, a double click isolates it. Entries for which there are not rows
    enough are folded; a click on their number unfolds them.
    """

    title_double_clicked = Signal()

    def __init__(self, theme: Theme, title: str, unit: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title, self._unit = title, unit
        self._lines: list[ChartLine] = []
        self.values: list[str] = []
        self._widest = ""  # value that is expected
        self._value_width = 0
        self.is_brief = False
        self.hidden = HiddenChartLines(self)
        self.hidden.changed.connect(self.update)
        self._before = self.hidden.state  # the click that may begin a double click
        self.most_rows = 0  # of entries; 0: as many as they need
        self.is_unfolded = False
        self.more = QRect()  # the place of the number of those that are folded; null: all are there
        self.places: list[QRect] = []
        self._labels: list[str] = []  # as much of them as there is room for
        self._take_font()
        self.setFixedHeight(self.line_height)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)

    def share(self, hidden: HiddenChartLines) -> None:
        """Share hidden curves with other charts."""
        self.hidden.changed.disconnect(self.update)
        self.hidden = hidden
        hidden.changed.connect(self.update)

    def set_title(self, title: str, unit: str) -> None:
        self._title, self._unit = title, unit
        self.arrange()

    def set_lines(self, lines: Sequence[ChartLine], widest: str = "") -> None:
        """Set the curves in order; `widest` is the longest expected value."""
        self._lines = list(lines)
        self.values = [""] * len(self._lines)
        self._widest, self._value_width = widest, self._metrics.horizontalAdvance(widest)
        self.arrange()

    def hide_entries(self, is_hidden: bool = True) -> None:
        """Hide the legend and show only the title; values are still announced."""
        self.is_brief = is_hidden
        self.arrange()

    def set_values(self, values: Sequence[str]) -> None:
        if list(values) != self.values:
            self.values = list(values)
            widest = self._width_of_values()
            if widest > self._value_width:
                self._value_width = widest
                self.arrange()
            self.update()

    @property
    def lines(self) -> Sequence[ChartLine]:
        """The lines of the entries."""
        return self._lines

    def read_out(self) -> str:
        """Curves and values as one line of text."""
        parts = zip(self._lines, self.values, strict=True)
        return ", ".join(f"{line.label} {value} {self._unit}".rstrip() for line, value in parts if value)

    @property
    def line_height(self) -> int:
        return max(LINE_HEIGHT, self._metrics.height())

    def _take_font(self) -> None:
        self._font = tabular(self.font())
        self._bold = QFont(self._font)
        self._bold.setWeight(QFont.Weight.DemiBold)
        self._metrics = QFontMetrics(self._font)

    def _width_of_values(self) -> int:
        return max(self._metrics.horizontalAdvance(value) for value in ("", self._widest, *self.values))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._take_font()  # it is painted in the new one in any case
            self._value_width = self._width_of_values()
            self._arrange_again()

    def _arrange_again(self) -> None:
        self.arrange()

    def _find_places(self) -> list[QRect]:
        """Find places for the entries: after the title if that takes fewer lines, else below it."""
        room = _SWATCH + SPACE // 2 + 2 + self._value_width + (SPACE if self._value_width else 0)
        widths = [room + self._metrics.horizontalAdvance(line.label) for line in self._lines]
        widths = [min(width, max(self.width() - 2 * SPACE, 1)) for width in widths]
        if not self._title:
            return self._in_lines(widths, SPACE, 0)
        after = self._in_lines(widths, self._title_width() + 3 * SPACE, 0)
        below = self._in_lines(widths, SPACE, self.line_height)
        return after if not below or after[-1].y() < below[-1].y() else below

    def _fold(self) -> None:
        """Leave out what needs more rows than there may be; behind the others it says how many."""
        self.more = QRect()
        if not self.most_rows or not self.places or self._row(self.places[-1]) < self.most_rows:
            return
        width = self._metrics.horizontalAdvance(_MORE.format(len(self._lines)))
        if not self.is_unfolded:
            self.places = [place for place in self.places if self._row(place) < self.most_rows]
            while len(self.places) > 1 and _behind(self.places[-1]) + width > self.width() - SPACE:
                self.places.pop()
        (self.more,) = self._in_lines([width], _behind(self.places[-1]), self.places[-1].y())

    def _row(self, place: QRect) -> int:
        return place.y() // self.line_height

    @property
    def folded(self) -> Sequence[ChartLine]:
        """The lines whose entries are left out."""
        return self._lines[len(self.places) :]

    @property
    def more_text(self) -> str:
        """`and 17 more`; '' where all entries have room."""
        return "" if self.more.isNull() else _MORE.format(len(self.folded)) if self.folded else _FEWER

    def _in_lines(self, widths: Sequence[int], x: int, y: int) -> list[QRect]:
        """Places from this point on, in as many lines as they need."""
        found = []
        for width in widths:
            if x + width > self.width() - SPACE and x > SPACE:
                x, y = SPACE, y + self.line_height
            found.append(QRect(x, y, width, self.line_height))
            x += width + 2 * SPACE
        return found

    def _title_width(self) -> int:
        title = QFontMetrics(self._bold).horizontalAdvance(self._title)
        return SPACE + title + SPACE + self._metrics.horizontalAdvance(self._unit)

    def arrange(self) -> None:
        """Use as many lines as the width needs."""
        self.places = self._find_places()
        self._fold()
        room = _SWATCH + SPACE // 2 + self._value_width + (SPACE if self._value_width else 0)
        middle = Qt.TextElideMode.ElideMiddle
        self._labels = [
            fitted(self._metrics, line.label, middle, place.width() - room)
            for line, place in zip(self._lines, self.places, strict=False)
        ]
        is_cut = self._title_width() > self.width() - SPACE
        self.setToolTip(as_tip(f"{self._title}, {self._unit}" if is_cut else ""))
        is_high = self.places and not self.is_brief
        last = self.more if self.more_text else self.places[-1] if self.places else QRect()
        self.setFixedHeight(last.bottom() + 1 if is_high else self.line_height)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()

    # ---- what the mouse does

    def entry_at(self, at: QPoint) -> ChartLine | None:
        """The line whose entry is at this point."""
        places = () if self.is_brief else zip(self._lines, self.places, strict=False)
        return next((line for line, place in places if place.contains(at)), None)

    def _is_more(self, at: QPoint) -> bool:
        return not self.is_brief and self.more.contains(at)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        at = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if self._is_more(at):
            self.is_unfolded = not self.is_unfolded
            self.arrange()
        elif line := self.entry_at(at):
            self._before = self.hidden.state
            self.hidden.toggle(line.owner, self._lines)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if line := self.entry_at(event.position().toPoint()):
            self.hidden.restore(self._before)
            self.hidden.isolate(line.owner)
        elif not self._is_more(event.position().toPoint()):
            self.title_double_clicked.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        is_entry = self._is_more(at) or self.entry_at(at) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_entry else Qt.CursorShape.ArrowCursor)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and (line := self.entry_at(event.pos())):
            QToolTip.showText(event.globalPos(), as_tip(f"{line.full or line.label}\n{_CLICKS}"), self)
            return True
        if isinstance(event, QHelpEvent) and self._is_more(event.pos()):
            names = [line.full or line.label for line in self.folded]
            QToolTip.showText(event.globalPos(), as_tip("\n".join(names)), self)
            return True
        return super().event(event)

    # ---- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.colour("base"))
        self._paint_title(painter)
        painter.setFont(self._font)
        hidden = self.hidden.of(self._lines)
        for at, line in enumerate(() if self.is_brief else self._lines[: len(self.places)]):
            if line.owner in hidden:
                self._paint_hidden(painter, line, self._labels[at], self.places[at])
            else:
                self._paint_entry(painter, line, self._labels[at], self.values[at], self.places[at])
        if not self.is_brief:
            painter.setPen(self._theme.colour("accent"))
            painter.drawText(self.more, Qt.AlignmentFlag.AlignVCenter, self.more_text)
        painter.end()

    def _paint_hidden(self, painter: QPainter, line: ChartLine, label: str, place: QRect) -> None:
        """Paint a hidden entry pale and struck out, without its value."""
        struck = QFont(self._font)
        struck.setStrikeOut(True)
        painter.save()
        painter.setFont(struck)
        painter.setOpacity(_PALE)
        self._paint_entry(painter, line, label, "", place)
        painter.restore()

    def _paint_title(self, painter: QPainter) -> None:
        place = QRect(SPACE, 0, max(self.width() - 2 * SPACE, 0), self.line_height)
        painter.setPen(self._theme.colour("text"))
        painter.setFont(self._bold)
        bold = QFontMetrics(self._bold)
        title = fitted(bold, self._title, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, title)
        place.setLeft(min(SPACE + bold.horizontalAdvance(self._title) + SPACE, self.width()))
        painter.setPen(self._theme.colour("muted"))
        painter.setFont(self._font)
        unit = fitted(self._metrics, self._unit, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, unit)

    def _paint_entry(self, painter: QPainter, line: ChartLine, label: str, value: str, place: QRect) -> None:
        pen = QPen(drawn_colour(line, self._theme), 3)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if line.dashed:
            pen.setDashPattern([1.2, 0.8])
        painter.setPen(pen)
        y = place.center().y() + 1.0
        painter.drawLine(QPointF(place.left(), y), QPointF(place.left() + _SWATCH, y))
        text = place.adjusted(_SWATCH + SPACE // 2, 0, 0, 0)
        painter.setPen(self._theme.colour("muted"))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, label)
        painter.setPen(self._theme.colour("text"))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, value)
