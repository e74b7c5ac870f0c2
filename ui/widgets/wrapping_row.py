"""A row of buttons that goes on in further lines where it does not fit, as with large text."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QSizePolicy, QWidget

from ui.core.theme import SPACE


class WrappingRow(QLayout):
    """Parts from left to right; what is left of a line goes to its expanding parts, else before the first."""

    def __init__(self, *parts: QWidget, gap: int = SPACE) -> None:
        super().__init__()
        self._gap = gap  # between two in a line
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        for each in parts:
            self.addWidget(each)

    def insert(self, at: int, part: QWidget) -> None:
        self.addWidget(part)
        self._items.insert(at, self._items.pop())

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = self._lines(width)
        return sum(map(_height, lines)) + SPACE * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:
        shown = self._shown()
        return QSize(self._width(shown), _height(shown))

    def minimumSize(self) -> QSize:
        shown = self._shown()
        return QSize(max((each.sizeHint().width() for each in shown), default=0), _height(shown))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        top = rect.top()
        for line in self._lines(rect.width()):
            self._place(line, QRect(rect.left(), top, rect.width(), _height(line)))
            top += _height(line) + SPACE

    def _place(self, line: list[QLayoutItem], room: QRect) -> None:
        left, grows = room.width() - self._width(line), [each for each in line if _expands(each)]
        x = room.left() + (0 if grows else left)
        for each in line:
            width = each.sizeHint().width() + (left // len(grows) if each in grows else 0)
            height = min(each.sizeHint().height(), room.height())
            corner = QPoint(x, room.top() + (room.height() - height) // 2)
            each.setGeometry(QRect(corner, QSize(width, height)))
            x += width + self._gap

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        for each in self._shown():
            if lines and self._width([*lines[-1], each]) <= width:
                lines[-1].append(each)
            else:
                lines.append([each])
        return lines

    def _width(self, line: list[QLayoutItem]) -> int:
        return sum(each.sizeHint().width() for each in line) + self._gap * max(0, len(line) - 1)

    def _shown(self) -> list[QLayoutItem]:
        return [each for each in self._items if not each.isEmpty()]


def _height(line: list[QLayoutItem]) -> int:
    return max((each.sizeHint().height() for each in line), default=0)


def _expands(item: QLayoutItem) -> bool:
    widget = item.widget()
    return widget is not None and widget.sizePolicy().horizontalPolicy() in _EXPANDING


_EXPANDING = (QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # the latter from its least width


def empty_room() -> QWidget:
    """Parts after it go to the right."""
    made = QWidget()
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return made
