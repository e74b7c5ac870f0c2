"""Where a chart draws, what a pixel of it stands for, and what lies below and above its curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from app.core.harmless import harmless
from ui.core.plain import fitted
from ui.core.theme import SPACE, Theme

from .lines import Span, mixed
from .scale import Tick

LANE = 18  # pixels above the curves, for the names of steps and notes
AXIS = 20  # pixels below them, for the times
ROW = 16  # pixels of each further row of texts
_NARROWEST_LABEL = 28.0
_NARROWEST_STALL = 2.0  # pixels: one of seconds in hours of a session can be seen
_CAP = 3.0  # pixels of the end of an error bar, each side
_WIDEST_NOTE = 180.0

Reach = tuple[float, float]  # from the lowest to the highest of the repeats


@dataclass
class ChartFrame:
    """Converts between pixels and values of a chart."""

    plot: QRectF = field(default_factory=QRectF)
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)

    def px(self, x: float) -> float:
        return self.plot.left() + (x - self.x[0]) / (self.x[1] - self.x[0]) * self.plot.width()

    def py(self, y: float) -> float:
        return self.plot.bottom() - (y - self.y[0]) / (self.y[1] - self.y[0]) * self.plot.height()

    def x_at(self, px: float) -> float:
        share = (px - self.plot.left()) / max(self.plot.width(), 1.0)
        return self.x[0] + min(max(share, 0.0), 1.0) * (self.x[1] - self.x[0])

    def length(self, pixels: float) -> float:
        """The length of this number of pixels on x."""
        return pixels * (self.x[1] - self.x[0]) / max(self.plot.width(), 1.0)

    def height(self, pixels: float) -> float:
        """The length of this number of pixels on y."""
        return pixels * (self.y[1] - self.y[0]) / max(self.plot.height(), 1.0)


@dataclass
class ChartBackground:
    """The ground below the curves: spans, an opaque grid, texts of the axes."""

    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    spans: Sequence[Span] = ()
    corner: str = ""  # below the figures: how the times are to be read
    has_lines_across: bool = True  # a line at each x tick, too
    has_texts_below: bool = True
    rows: int = 1  # of texts below, taken in turn where they are long

    def draw(self, painter: QPainter, frame: ChartFrame, theme: Theme) -> None:
        for span in self.spans:
            self._draw_span(painter, frame, theme, span)
        self._draw_grid(painter, frame, theme)
        painter.setPen(theme.colour("muted"))
        for y, text in self.y_ticks:
            place = QRectF(0, frame.py(y) - 10, frame.plot.left() - SPACE + 2, 20)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        if self.has_texts_below:
            self._draw_texts_below(painter, frame, theme)

    def _draw_texts_below(self, painter: QPainter, frame: ChartFrame, theme: Theme) -> None:
        metrics = painter.fontMetrics()
        ends = [-1.0] * self.rows
        for at, (x, text) in enumerate(self.x_ticks):
            width, row = float(metrics.horizontalAdvance(text)), at % self.rows
            left = min(max(frame.px(x) - width / 2, 0.0), frame.plot.right() + SPACE - width)
            if left > ends[row]:
                painter.drawText(QPointF(left, frame.plot.bottom() + 15 + ROW * row), harmless(text))
                ends[row] = left + width + SPACE / 2
        if self.corner and self.x_ticks:
            first = frame.px(self.x_ticks[0][0]) - metrics.horizontalAdvance(self.x_ticks[0][1]) / 2
            if metrics.horizontalAdvance(self.corner) + 2 < first:
                painter.setPen(mixed(theme.colour("muted"), theme.colour("base"), 0.7))
                painter.drawText(QPointF(0, frame.plot.bottom() + 15), harmless(self.corner))

    def _draw_grid(self, painter: QPainter, frame: ChartFrame, theme: Theme) -> None:
        plot = frame.plot
        across = [frame.px(x) for x, _ in self.x_ticks] if self.has_lines_across else []
        lines = [QLineF(x, plot.top(), x, plot.bottom()) for x in map(_crisp, across)]
        for y in (_crisp(frame.py(value)) for value, _ in self.y_ticks):
            lines.append(QLineF(plot.left(), y, plot.right(), y))
        painter.setPen(QPen(theme.colour("grid"), 1))
        painter.drawLines(lines)
        painter.setPen(QPen(theme.colour("line"), 1))
        zero = _crisp(frame.py(min(max(0.0, frame.y[0]), frame.y[1])))
        painter.drawLine(QLineF(plot.left(), zero, plot.right(), zero))

    def _draw_span(self, painter: QPainter, frame: ChartFrame, theme: Theme, span: Span) -> None:
        left, right = (
            max(frame.px(span.first), frame.plot.left()),
            min(frame.px(span.last), frame.plot.right()),
        )
        if right <= left:
            return
        place = QRectF(left, frame.plot.top(), right - left, frame.plot.height())
        base = theme.colour("base")
        if span.kind == "warmup":
            painter.fillRect(place, mixed(theme.group("warmup"), base, 0.22))
        elif span.kind == "stall":
            place.setWidth(max(place.width(), _NARROWEST_STALL))
            painter.fillRect(place, mixed(theme.colour("bad"), base, 0.22))
        elif span.kind == "gap":
            painter.fillRect(place, QBrush(theme.colour("grid"), Qt.BrushStyle.BDiagPattern))
        else:
            self._draw_step(painter, frame, theme, span, place)

    def _draw_step(
        self, painter: QPainter, frame: ChartFrame, theme: Theme, span: Span, place: QRectF
    ) -> None:
        painter.setPen(QPen(mixed(theme.colour("muted"), theme.colour("base"), 0.6), 1))
        top = frame.plot.top() - (LANE - 2 if span.label else 0)
        for t in (span.first, span.last):
            if frame.x[0] <= t <= frame.x[1]:
                x = _crisp(frame.px(t))
                painter.drawLine(QLineF(x, top, x, frame.plot.bottom()))
        if span.label and place.width() >= _NARROWEST_LABEL:
            lane = QRectF(place.left() + 4, place.top() - LANE, place.width() - 6, LANE)
            text = fitted(painter.fontMetrics(), span.label, Qt.TextElideMode.ElideRight, int(lane.width()))
            painter.setPen(theme.colour("muted"))
            painter.drawText(lane, Qt.AlignmentFlag.AlignVCenter, text)


def draw_note_flags(
    painter: QPainter, frame: ChartFrame, theme: Theme, marks: Sequence[tuple[float, str]]
) -> None:
    """Draw a flag at each note, with its text if there is room before the next."""
    shown = [(t, text) for t, text in marks if frame.x[0] <= t <= frame.x[1]]
    ends = [*(frame.px(t) for t, _ in shown[1:]), frame.plot.right()]
    colour = theme.colour("accent")
    for (t, text), end in zip(shown, ends, strict=False):
        x, top = _crisp(frame.px(t)), frame.plot.top()
        painter.setPen(QPen(colour, 1))
        painter.drawLine(QLineF(x, top, x, frame.plot.bottom()))
        painter.setBrush(colour)
        painter.drawPolygon(QPolygonF([QPointF(x, top), QPointF(x + 7, top + 4), QPointF(x, top + 8)]))
        room = min(end - x - 3 * SPACE / 2, _WIDEST_NOTE)
        if room >= _NARROWEST_LABEL:
            _draw_boxed(painter, theme, text, QPointF(x + 9, top), room)


def draw_cursor(
    painter: QPainter,
    frame: ChartFrame,
    theme: Theme,
    at: tuple[float, str],  # x, and its text
    dots: Iterable[tuple[float | None, QColor]],
) -> None:
    """Draw the cursor: a line, a dot on each curve, and x."""
    x = frame.px(at[0])
    painter.setPen(QPen(theme.colour("muted"), 1))
    painter.drawLine(QLineF(_crisp(x), frame.plot.top(), _crisp(x), frame.plot.bottom()))
    for y, colour in dots:
        if y is not None and frame.y[0] <= y <= frame.y[1]:
            draw_dots(painter, frame, theme, [(at[0], y)], colour, 4.0)
    if at[1]:
        width = QFontMetricsF(painter.font()).horizontalAdvance(at[1]) + SPACE
        left = min(max(x - width / 2, 0.0), frame.plot.right() + SPACE - width)
        place = QRectF(left, frame.plot.bottom() + 2, width, AXIS - 3)
        painter.fillRect(place.adjusted(-18, 0, 18, 0), theme.colour("base"))  # no half of a time beside it
        painter.fillRect(place, theme.colour("text"))
        painter.setPen(theme.colour("base"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, at[1])


def draw_dots(
    painter: QPainter,
    frame: ChartFrame,
    theme: Theme,
    points: Iterable[tuple[float, float]],
    colour: QColor,
    radius: float,
) -> None:
    """Draw dots with a rim in the background colour, visible where curves meet."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.colour("base"), 1.5))
    painter.setBrush(colour)
    for x, y in points:
        painter.drawEllipse(QPointF(frame.px(x), frame.py(y)), radius, radius)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def draw_reach(painter: QPainter, frame: ChartFrame, x: float, reach: Reach, widest: float = _CAP) -> None:
    """Draw an error bar at this pixel with the painter's pen."""
    at, cap = _crisp(x), min(_CAP, widest)
    low, high = (_crisp(frame.py(end)) for end in reach)
    ends = [QLineF(at - cap, y, at + cap, y) for y in (low, high)]
    painter.drawLines([QLineF(at, low, at, high), *ends])


def draw_selected_range(
    painter: QPainter, frame: ChartFrame, theme: Theme, band: tuple[float, float]
) -> None:
    """Draw the range that the mouse is selecting."""
    left, right = sorted((frame.px(band[0]), frame.px(band[1])))
    colour = theme.colour("accent")
    painter.setPen(QPen(colour, 1))
    colour.setAlphaF(0.18)
    painter.setBrush(colour)
    painter.drawRect(QRectF(left, frame.plot.top(), right - left, frame.plot.height()))


def draw_focus(painter: QPainter, frame: ChartFrame, theme: Theme) -> None:
    """Draw the focus frame."""
    painter.setPen(QPen(theme.colour("accent"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(frame.plot.adjusted(-0.5, -0.5, 0.5, 0.5))


def _draw_boxed(painter: QPainter, theme: Theme, text: str, at: QPointF, room: float) -> None:
    shown = fitted(painter.fontMetrics(), text, Qt.TextElideMode.ElideRight, int(room))
    width = painter.fontMetrics().horizontalAdvance(shown) + 4
    place = QRectF(at.x(), at.y(), width, painter.fontMetrics().height())
    painter.fillRect(place, theme.colour("base"))
    painter.setPen(theme.colour("accent"))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, shown)


def _crisp(pixel: float) -> float:
    return int(pixel) + 0.5
