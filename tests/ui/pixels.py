"""Widgets as pixels, and a mouse over a chart."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QMouseEvent,
)
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ui.widgets.charts.head import ChartHead
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.time_chart import TimeChart

SIZE = (800, 300)


NEAR = 2  # pixels


def show(qtbot: QtBot, widget: QWidget) -> None:
    widget.show()
    qtbot.waitExposed(widget)


def picture(widget: QWidget) -> QImage:
    QApplication.processEvents()
    return widget.grab().toImage()


def has_colour(image: QImage, colour: QColor, at: QPointF, near: int = NEAR) -> bool:
    around = range(-near, near + 1)
    x, y = round(at.x()), round(at.y())
    return any(image.pixelColor(x + dx, y + dy).rgb() == colour.rgb() for dx in around for dy in around)


def visible(head: ChartHead) -> list[ChartLine]:
    """The curves that nobody has hidden."""
    hidden = head.hidden.of(head.lines)
    return [line for line in head.lines if line.owner not in hidden]


def spot(chart: TimeChart, t: float, value: float) -> QPointF:
    """Where a value is painted."""
    canvas = chart.canvas
    return QPointF(canvas.pos()) + QPointF(canvas.area.px(t), canvas.area.py(value))


def mouse(chart: TimeChart, kind: QEvent.Type, t: float, shifted: bool = False) -> None:
    """A mouse over the curves, at this time."""
    view = chart.canvas.viewport()
    at = QPointF(chart.canvas.area.px(t), chart.canvas.area.plot.center().y())
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    keys = Qt.KeyboardModifier.ShiftModifier if shifted else Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, at, QPointF(view.mapToGlobal(at)), Qt.MouseButton.LeftButton, held, keys)
    QApplication.sendEvent(view, event)
