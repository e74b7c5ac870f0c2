"""A list of names, each with a tick and a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.core.harmless import harmless
from ui.core.theme import SPACE

_NAME = Qt.ItemDataRole.UserRole
LEAST = 14 * SPACE  # height, below a long message


class TickList(QListWidget):
    """Names to tick, in this order."""

    changed = Signal()  # a tick

    def __init__(
        self, title: str, names: Iterable[str], ticked: Collection[str] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(title)
        self.setMinimumHeight(LEAST)
        for name in names:
            item = QListWidgetItem(harmless(name), self)
            item.setData(_NAME, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked)
        self.itemChanged.connect(lambda _: self.changed.emit())

    @property
    def ticked(self) -> list[str]:
        return [each.data(_NAME) for each in self.rows() if each.checkState() == Qt.CheckState.Checked]

    def rows(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def show_text(self, name: str, text: str) -> None:
        """Show a text after a name."""
        for each in self.rows():
            if each.data(_NAME) == name:
                each.setText(harmless(f"{name}: {text}"))

    def untick(self, names: Collection[str]) -> None:
        for each in self.rows():
            if each.data(_NAME) in names:
                each.setCheckState(Qt.CheckState.Unchecked)
