"""The dialog of a target's snapshots: content, size, age; delete."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTreeWidgetItem, QWidget

from app.core.harmless import harmless
from app.core.units import bytes_text, count_text
from app.protocol.answers import Snapshot
from app.remote.target import Target
from app.targets.snapshots import HEADERS, row_of, snapshots_on
from ui.core.context import Context
from ui.core.plain import as_tip
from ui.core.theme import SPACE
from ui.dialogs.kept import KeptDialog
from ui.dialogs.removing import ask_before
from ui.widgets.actions import action

KEY = Qt.ItemDataRole.UserRole
SHOWN = HEADERS[1:]  # all but the key, which the tooltip has
WHAT = 4  # columns that say what is in a snapshot: build, engine, preset, tables
WIDTH, HEIGHT = 110 * SPACE, 50 * SPACE
ABOUT = (
    "A snapshot is a loaded data set of a cleanly stopped server; a plan with the start snapshot begins on a "
    "copy. If you delete one, the next session that needs it makes it again."
)


class SnapshotsDialog(KeptDialog):
    """Reads the snapshots when it opens, and after each deletion."""

    def __init__(self, context: Context, target: Target, parent: QWidget | None = None) -> None:
        super().__init__(context, target, [name.capitalize() for name in SHOWN], ABOUT, parent)
        self.setWindowTitle(f"Snapshots on {target.name}")
        self.resize(WIDTH, HEIGHT)
        self.list.setAccessibleName("Snapshots")
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.itemSelectionChanged.connect(self._on_selected)
        tip = "Delete the selected snapshots from the target"
        self.delete = action(self.list, "Delete", "remove", tip, self._on_delete)  # in its context menu too
        self.delete_button = self.add_button(self.delete)
        self._on_selected()

    def begin(self) -> None:
        self._ask_target([])
        self.open()

    def show_snapshots(self, found: Sequence[Snapshot]) -> None:
        size = bytes_text(sum(each.size_bytes or 0 for each in found))
        self.said.setText(f"{count_text(len(found), 'snapshot')}, {size}" if found else "No snapshots")
        self.list.clear()
        for each in found:
            self.list.addTopLevelItem(_item(each))
        for column in range(len(SHOWN) - 1):
            self.list.resizeColumnToContents(column)

    def _ask_target(self, deleted: Sequence[str]) -> None:
        """Ask on a pool thread: the target may be far, and deleting a terabyte takes time."""
        target, ask = self._target, self._context.secrets.ask
        self._await_answer()
        self._context.tasks.run(
            self, lambda: snapshots_on(target, ask, deleted), self._on_answered, self._on_failed
        )

    def _on_answered(self, found: Sequence[Snapshot]) -> None:
        self.list.setEnabled(True)
        self.show_snapshots(found)

    def _on_failed(self, error: Exception) -> None:
        self.said.setText("")
        super()._on_failed(error)

    def _on_selected(self) -> None:
        self.delete.setEnabled(bool(self.list.selectedItems()))

    def _on_delete(self) -> None:
        items = self.list.selectedItems()
        keys = [item.data(0, KEY) for item in items]
        named = f"the snapshot {_what(items[0])}" if len(items) == 1 else count_text(len(items), "snapshot")
        text = "The next session that needs such a data set loads its tables again."
        ask_before(self, f"Delete {named}?", text, lambda: self._delete(keys))

    def _delete(self, keys: Sequence[str]) -> None:
        self.said.setText(f"Deleting {count_text(len(keys), 'snapshot')}…")
        self._ask_target(keys)


def _item(snapshot: Snapshot) -> QTreeWidgetItem:
    key, *texts = map(harmless, row_of(snapshot))
    item = QTreeWidgetItem([texts[0] or "unknown", *texts[1:]])
    item.setData(0, KEY, snapshot.key)
    for column in range(len(SHOWN)):
        item.setToolTip(column, as_tip(f"Snapshot {key}"))
    item.setToolTip(len(SHOWN) - 1, as_tip(snapshot.problem))
    return item


def _what(item: QTreeWidgetItem) -> str:
    """`mariadb-10.11.19, innodb, baseline, 4 x 1,000,000 rows`."""
    return ", ".join(text for text in map(item.text, range(WHAT)) if text)
