"""What the mouse does over curves: it reads, draws a stretch to zoom to, moves the range, turns the wheel."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent

from .canvas import Canvas
from .time_axis import TimeAxis

_DRAG = 5  # pixels the mouse has to move before a stretch is being drawn
_WHEEL = 0.8  # of what is shown, a notch


class ChartMouseHandler(QObject):
    """Handles the mouse over the curves; with Shift or the middle button it moves the range."""

    banding = Signal()  # `band` is another one

    def __init__(self, axis: TimeAxis, canvas: Canvas, snapped: Callable[[float], float]) -> None:
        viewport = canvas.viewport()
        super().__init__(viewport)
        self.axis = axis
        self._area = canvas.area
        self._snapped = snapped  # a time where a value was measured
        self.band: tuple[float, float] | None = None  # the stretch that is being drawn
        self._pressed: QPointF | None = None
        self._is_pan = False
        viewport.setMouseTracking(True)
        viewport.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QWheelEvent():
                self._turn(event)
            case QMouseEvent():
                self._point(event)
            case _ if event.type() == QEvent.Type.Leave:
                self.axis.set_cursor(None)
            case _:
                return super().eventFilter(watched, event)
        return True

    def _point(self, event: QMouseEvent) -> None:
        match event.type():
            case QEvent.Type.MouseButtonPress:
                self._press(event)
            case QEvent.Type.MouseMove:
                self._move(event.position())
            case QEvent.Type.MouseButtonRelease:
                self._release()
            case QEvent.Type.MouseButtonDblClick:
                self.axis.reset()

    def _press(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left or event.button() == Qt.MouseButton.MiddleButton:
            self._pressed = event.position()
            self._is_pan = not is_left or bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)

    def _move(self, at: QPointF) -> None:
        if self._pressed and self._is_pan:
            self.axis.pan(self._area.length(self._pressed.x() - at.x()))
            self._pressed = at
        elif self._pressed and (self.band or abs(at.x() - self._pressed.x()) >= _DRAG):
            self.band = (self._area.x_at(self._pressed.x()), self._area.x_at(at.x()))
            self.banding.emit()
        self.axis.set_cursor(self._snapped(self._area.x_at(at.x())))

    def _release(self) -> None:
        band, self.band, self._pressed = self.band, None, None
        if band:
            self.banding.emit()
            self.axis.set_range(*sorted(band))

    def _turn(self, event: QWheelEvent) -> None:
        across, along = event.angleDelta().x() / 120, event.angleDelta().y() / 120
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            across, along = across or along, 0.0
        if across:
            self.axis.pan(-across * self._area.length(self._area.plot.width()) / 10)
        if along:
            self.axis.zoom(_WHEEL**along, self._area.x_at(event.position().x()))
        event.accept()
