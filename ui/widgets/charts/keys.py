"""What keys do to a time axis."""

from __future__ import annotations

from PySide6.QtCore import Qt

from .head import ChartHead
from .time_axis import TimeAxis

KEYS = (  # as Help tells it
    "Left and Right move the cursor, with Ctrl further, with Shift the visible range; + and - zoom; "
    "Home shows all, End the newest; Escape hides the cursor; 1 to 9 hide or show a curve, 0 shows all; "
    "F11 maximises the chart, L is for the logarithmic scale, Ctrl+C copies a picture"
)
_FAR = 10  # steps of the cursor at once, with Ctrl


def toggle_legend_entry(head: ChartHead, key: int) -> bool:
    """Hide or show the legend's entry with this number; False for other keys."""
    if key == Qt.Key.Key_0:
        head.hidden.show_all()
        return True
    at = key - Qt.Key.Key_1
    is_entry = 0 <= at < min(9, len(head.lines))
    if is_entry:
        head.hidden.toggle(head.lines[at].owner, head.lines)
    return is_entry


def press(axis: TimeAxis, key: int, modifiers: Qt.KeyboardModifier, step: float) -> bool:
    """Move the cursor or the range, or zoom; False for other keys."""
    match key:
        case Qt.Key.Key_Left | Qt.Key.Key_Right:
            _press_arrow(axis, -1 if key == Qt.Key.Key_Left else 1, modifiers, step)
        case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
            axis.zoom(0.5, _middle(axis))
        case Qt.Key.Key_Minus:
            axis.zoom(2.0, _middle(axis))
        case Qt.Key.Key_Home:
            axis.reset()
        case Qt.Key.Key_End:
            axis.follow()
        case Qt.Key.Key_Escape if axis.cursor is not None:
            axis.set_cursor(None)
        case _:
            return False
    return True


def _press_arrow(axis: TimeAxis, way: int, modifiers: Qt.KeyboardModifier, step: float) -> None:
    first, last = axis.range
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        axis.pan(way * (last - first) / 10)
        return
    far = _FAR if modifiers & Qt.KeyboardModifier.ControlModifier else 1
    begin = min(axis.whole[1], last) if axis.cursor is None else axis.cursor + way * far * step
    at = min(max(begin, axis.whole[0]), axis.whole[1])
    axis.set_cursor(at)
    if not first <= at <= last:
        axis.pan(at - first if at < first else at - last)


def _middle(axis: TimeAxis) -> float:
    return sum(axis.range) / 2 if axis.cursor is None else axis.cursor
