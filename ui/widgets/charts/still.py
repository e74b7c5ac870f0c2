"""What charts that stand still have in common: a head line, a ground, a cursor on the nearest x."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from ui.core.theme import SPACE, Theme
from ui.widgets.focus_frame import FocusFrame
from ui.widgets.table import tabular

from .frame import AXIS, LANE, ROW, ChartBackground, ChartFrame, draw_focus
from .head import ChartHead
from .hidden import HiddenChartLines
from .keys import toggle_legend_entry
from .lines import ChartLine
from .menu import ChartMenu
from .value_scale import ValueScale

TICK_HEIGHT = 32  # pixels a tick of the figures has at least


class StillChart(FocusFrame):
    """A chart painted only when it changes; arrows move the cursor, Escape removes it."""

    can_be_logarithmic = False
    values_shown = Signal(list)  # texts, one a line: those at the cursor

    def __init__(self, theme: Theme, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._title, self._unit = title, unit
        self.head = ChartHead(theme, title, unit, self)
        self.ground = ChartBackground()
        self.area = ChartFrame()
        self._cursor: int | None = None  # which of the x
        self.setFont(tabular(self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.least_height = 120  # pixels, with one row of texts below
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.set_title(title, unit)
        theme.changed.connect(self._on_theme_changed)
        self.head.hidden.changed.connect(self.refresh)
        self.scale = ValueScale(self)
        self.scale.changed.connect(self.refresh)
        self.menu = ChartMenu(self, self.head, self.scale if self.can_be_logarithmic else None)

    def set_title(self, title: str, unit: str) -> None:
        self._title, self._unit = title, unit
        self.head.set_title(title, unit)
        self.setAccessibleName(f"{title}, {unit}" if unit else title)

    def hide_legend(self) -> None:
        """Hide the legend; several charts share one elsewhere."""
        self.head.hide_entries()

    def share_hidden(self, hidden: HiddenChartLines) -> None:
        """Share hidden curves with another chart."""
        self.head.hidden.changed.disconnect(self.refresh)
        self.head.share(hidden)
        hidden.changed.connect(self.refresh)

    def is_visible(self, line: ChartLine) -> bool:
        """Whether a line is not hidden."""
        return line.owner not in self.head.hidden.of(self.head.lines)

    # ---- what kinds of charts say

    def stands(self) -> list[float]:
        """The xs where the cursor can be."""
        raise NotImplementedError

    def stand_text(self, at: int) -> str:
        """The text of such an x."""
        raise NotImplementedError

    def values(self) -> list[str]:
        """The values at the cursor, one for each line."""
        raise NotImplementedError

    def fit(self) -> None:
        """Find the range and the ticks for the size there is."""
        raise NotImplementedError

    def paint_figures(self, painter: QPainter) -> None:
        """Paint curves or bars."""
        raise NotImplementedError

    def margin(self) -> float:
        """Pixels to the right for names, if all fit without."""
        return 0.0

    def rows(self, _width: float, /) -> int:
        """The rows of texts below at this total width."""
        return 1

    # ---- what they share

    def show_values(self) -> None:
        """Show the values at the cursor in the head, and in a shared legend."""
        self.head.set_values(self.values())
        self.values_shown.emit(self.values())

    def refresh(self) -> None:
        self.head.resize(self.width(), self.head.height())
        self.head.arrange()
        top = self.head.height() + LANE
        left = self.fontMetrics().horizontalAdvance("888.8M") + SPACE
        self.ground.rows = self.rows(self.width() - left - 2 * SPACE)
        below = ROW * (self.ground.rows - 1)
        self.setMinimumHeight(self.least_height + below)
        self.area.plot = QRectF(self.rect()).adjusted(left, top, -2 * SPACE, -AXIS - below)
        if self.area.plot.height() > 0 and self.area.plot.width() > 0:
            self.fit()
            if margin := self.margin():
                self.area.plot.setRight(self.area.plot.right() - margin)
                self.fit()
        self.update()

    def set_cursor(self, at: int | None) -> None:
        """Move the cursor to this x; None: remove it."""
        if at != self._cursor:
            self._cursor = at
            self.show_values()
            if at is not None:
                self.setAccessibleDescription(f"{self.stand_text(at)}: {self.head.read_out()}")
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("base"))
        if self.area.plot.isValid():
            self.ground.draw(painter, self.area, self._theme)
            self.paint_figures(painter)
            if self.is_framed:
                draw_focus(painter, self.area, self._theme)
        painter.end()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x, stands = event.position().x(), self.stands()
        nearest = min(range(len(stands)), key=lambda at: abs(self.area.px(stands[at]) - x), default=None)
        self.set_cursor(nearest)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.set_cursor(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        most = len(self.stands()) - 1
        moves = {
            Qt.Key.Key_Left: most if self._cursor is None else max(self._cursor - 1, 0),
            Qt.Key.Key_Right: 0 if self._cursor is None else min(self._cursor + 1, most),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: most,
        }
        if event.key() == Qt.Key.Key_Escape and self._cursor is not None:
            self.set_cursor(None)
        elif event.key() in moves and most >= 0:
            self.set_cursor(moves[Qt.Key(event.key())])
        elif not toggle_legend_entry(self.head, event.key()):
            super().keyPressEvent(event)

    def _on_theme_changed(self) -> None:
        self.head.update()
        self.update()
