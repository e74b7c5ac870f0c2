"""A flame graph: frames above their callers, as wide as their samples; click to zoom, type to search."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from app.comparison.stacks.flame import (
    DrawnFlameFrame,
    Flame,
    change_texts,
    frame_text,
    growth,
    matching,
    neighbour,
    pieces,
)
from app.comparison.stacks.flame_colours import (
    STEPS,
    colour_of,
    part_of_frame,
    parts_in,
    shade_colour,
    shade_of,
)
from app.core.harmless import harmless
from ui.core.plain import as_tip, fitted
from ui.core.theme import SPACE, Theme
from ui.widgets.focus_frame import FocusFrame

ROW = 18  # pixels
_EDGE = 3  # between a frame and its name
_NARROW = 24.0  # pixels; narrower frames have no name
_MOVES = {
    Qt.Key.Key_Up: (1, 0),
    Qt.Key.Key_Down: (-1, 0),
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
}
_FADED = 60  # of 255: what a search does not find


class FlameChart(FocusFrame):
    """Arrows go from frame to frame, Enter zooms, Backspace goes back, Escape shows all."""

    pointed = Signal(str)  # the frame under the mouse or the keyboard, in words
    found = Signal(float)  # the share of samples that the search found

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._flame: Flame | None = None
        self._shades: Sequence[float] = ()
        self._trail = [0]  # the frames that filled the width, the latest last
        self._rows: list[list[DrawnFlameFrame]] = []  # pieces by depth, from left to right
        self._at = -1  # the frame under mouse or keyboard
        self._search = ""
        self._matching: set[int] = set()
        self._picture: QPixmap | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Flame graph")
        theme.changed.connect(self._refresh)

    def show_flame(self, flame: Flame) -> None:
        self._flame, self._trail, self._at = flame, [0], -1
        self._shades = growth(flame) if flame.base_samples else ()
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()
        self.search(self._search)

    def sizeHint(self) -> QSize:
        depth = self._flame.depth if self._flame else 0
        return QSize(80 * SPACE, (depth + 1) * ROW + 2)

    @property
    def root(self) -> int:
        """The frame that fills the width."""
        return self._trail[-1]

    @property
    def current(self) -> int:
        """The frame under mouse or keyboard; -1: none."""
        return self._at

    def search(self, text: str) -> None:
        """Highlight the frames whose names contain a text."""
        self._search = text
        self._matching, share = matching(self._flame, text) if self._flame else (set(), 0.0)
        self.found.emit(share)
        self._refresh()

    def zoom(self, at: int) -> None:
        """Let a frame fill the width."""
        if self._flame and 0 <= at < len(self._flame.frames) and at != self.root:
            self._trail.append(at)
            self._refresh()

    def go_back(self) -> None:
        """Return to the zoom before."""
        if len(self._trail) > 1:
            self._trail.pop()
            self._refresh()

    def show_all(self) -> None:
        self._trail = [0]
        self._refresh()

    # painting

    def _refresh(self) -> None:
        """Place the frames anew; they are painted once, and then only copied."""
        self._rows, self._picture = [], None
        if self._flame and self.width() > 0:
            self._rows = [[] for _ in range(self._flame.depth + 1)]
            for piece in pieces(self._flame, self.root, 1.0 / self.width()):
                self._rows[self._flame.frames[piece.at].depth].append(piece)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._painted()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._picture)
        for box in [self._box(piece) for row in self._rows for piece in row if piece.at == self._at]:
            painter.setPen(self._theme.colour("text"))
            painter.drawRect(box)
        if self.is_framed:
            painter.setPen(self._theme.colour("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()

    def _painted(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(self._theme.colour("base"))
        painter = QPainter(picture)
        metrics = QFontMetricsF(self.font())
        for row in self._rows:
            for piece in row:
                self._paint_piece(painter, metrics, piece)
        painter.end()
        return picture

    def _paint_piece(self, painter: QPainter, metrics: QFontMetricsF, piece: DrawnFlameFrame) -> None:
        assert self._flame is not None
        box, colour = self._box(piece), self._colour(piece.at)
        painter.fillRect(box, colour)
        if box.width() >= _NARROW:
            ink = self._theme.colour("text")
            ink.setAlpha(colour.alpha() if colour.alpha() == 255 else 2 * _FADED)
            painter.setPen(ink)
            inner = box.adjusted(_EDGE, 0, -_EDGE, 0)
            name = fitted(
                metrics, self._flame.frames[piece.at].name, Qt.TextElideMode.ElideRight, inner.width()
            )
            painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter, name)

    def _colour(self, at: int) -> QColor:
        assert self._flame is not None
        is_dark = self._theme.is_dark
        if self._shades:
            colour = QColor(shade_colour(shade_of(self._shades[at]), is_dark))
        else:
            colour = QColor(colour_of(part_of_frame(self._flame.frames[at].name), is_dark))
        if self._search.strip() and at not in self._matching:
            colour.setAlpha(_FADED)
        return colour

    def _box(self, piece: DrawnFlameFrame) -> QRectF:
        assert self._flame is not None
        bottom = max(self.height(), self.sizeHint().height()) - 1
        top = bottom - (self._flame.frames[piece.at].depth + 1) * ROW
        width = max(1.0, piece.width * self.width() - 1)
        return QRectF(piece.left * self.width(), top, width, ROW - 1)

    # mouse and keyboard

    def frame_at(self, point: QPointF) -> int:
        """The frame at a point of the widget; -1: none."""
        bottom = max(self.height(), self.sizeHint().height()) - 1
        depth = int((bottom - point.y()) // ROW)
        row = self._rows[depth] if 0 <= depth < len(self._rows) else []
        x = point.x() / max(1, self.width())
        place = bisect_right(row, x, key=lambda piece: piece.left) - 1
        return row[place].at if place >= 0 and x < row[place].left + row[place].width else -1

    def centre_of(self, at: int) -> QPointF:
        """The middle of a frame as it is drawn."""
        boxes = (self._box(piece) for row in self._rows for piece in row if piece.at == at)
        return next((box.center() for box in boxes), QPointF())

    def point_to(self, at: int) -> None:
        """Show a frame in words; -1: none."""
        if at != self._at and self._flame:
            self._at = at
            text = frame_text(self._flame, self._flame.frames[at]) if at >= 0 else ""
            part = f"; {part_of_frame(self._flame.frames[at].name)}" if at > 0 else ""
            self.setAccessibleDescription(harmless(text + part))
            self.setToolTip(as_tip(text + part))
            self.pointed.emit(text + part)
            self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.point_to(self.frame_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.zoom(self.frame_at(event.position()))
        elif event.button() == Qt.MouseButton.BackButton:
            self.go_back()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.point_to(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self.zoom(self._at)
            case Qt.Key.Key_Backspace:
                self.go_back()
            case Qt.Key.Key_Escape if self.root:
                self.show_all()
            case key if key in _MOVES:
                self._go(*_MOVES[Qt.Key(event.key())])
            case _:
                super().keyPressEvent(event)

    def _go(self, up: int, right: int) -> None:
        """Go to the next frame in a direction."""
        if self._flame is not None:
            is_first = self._at < 0
            self.point_to(self.root if is_first else neighbour(self._flame, self._rows, self._at, up, right))


_BOX = 12.0  # pixels


class FlameLegend(QWidget):
    """One line: the largest parts first, as many as fit; its tooltip has all."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
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
            shades = zip((-STEPS, 0, STEPS), change_texts(self._flame), strict=True)
            return [(shade_colour(shade, is_dark), text) for shade, text in shades]
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
