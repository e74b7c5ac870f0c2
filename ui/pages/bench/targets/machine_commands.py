"""Commands about the machine of a target: how noisy it is, how fast it was, which snapshots it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QTreeWidgetItem, QWidget

from app.core.harmless import harmless
from app.core.units import bytes_text, count_text
from app.protocol.answers import DataSnapshot
from app.remote.target import Target
from app.targets.snapshots import HEADERS, delete_target_snapshots, row_of
from ui.core.context import WindowContext
from ui.core.plain import as_tip
from ui.core.theme import SPACE
from ui.dialogs.questions import ask_before
from ui.widgets.actions import action
from ui.widgets.list_dialog import TreeDialog

KEY = Qt.ItemDataRole.UserRole
SHOWN = HEADERS[1:]  # all but the key, which the tooltip has
WHAT = 4  # columns that say what is in a snapshot: build, engine, preset, tables
WIDTH, HEIGHT = 110 * SPACE, 50 * SPACE
ABOUT = (
    "A snapshot is a loaded data set of a cleanly stopped server; a plan with the start snapshot begins on a "
    "copy. If you delete one, the next session that needs it makes it again."
)


class TargetActions(QObject):
    """Actions on the chosen target."""

    snapshots_closed = Signal(str)  # name of the target: a survey may find other ones there

    def __init__(self, context: WindowContext, chosen: Callable[[], Target], widget: QWidget) -> None:
        super().__init__(widget)
        self._context, self._chosen, self._widget = context, chosen, widget
        tip = "Set up a plan that measures the noise of the machine in about five minutes"
        self.calibrate = action(widget, "Cali&brate the target…", "calibrate", tip)  # by the page
        tip = "Set up a plan that plants differences of 3 % and 10 %: does this machine find them?"
        self.self_test = action(widget, "Self &test of the target…", "self test", tip)  # by the page
        tip = "The speed of the machine before each session of a long plan"
        self.canaries = action(widget, "Ca&naries of the target…", "canaries", tip, self._show_canaries)
        tip = "Data sets stored on the target"
        self.snapshots = action(widget, "Sna&pshots…", "snapshots", tip, self._show_snapshots)

    def all(self) -> Sequence[QAction]:
        return (self.calibrate, self.self_test, self.canaries, self.snapshots)

    def _show_canaries(self) -> None:
        from .canaries import CanariesDialog

        dialog = CanariesDialog(self._context, self._chosen(), self._widget.window())
        dialog.begin()

    def _show_snapshots(self) -> None:
        target = self._chosen()
        dialog = SnapshotsDialog(self._context, target, self._widget.window())
        dialog.finished.connect(lambda _: self.snapshots_closed.emit(target.name))
        dialog.begin()


class SnapshotsDialog(TreeDialog):
    """The snapshots of a target, read when it opens and after each deletion."""

    def __init__(self, context: WindowContext, target: Target, parent: QWidget | None = None) -> None:
        headers = [name.capitalize() for name in SHOWN]
        super().__init__(f"Snapshots on {target.name}", ABOUT, "Snapshots", headers, parent)
        self._context, self._target = context, target
        self.said.setText(f"Asking {target.name}…")
        self.resize(WIDTH, HEIGHT)
        self.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.list.itemSelectionChanged.connect(self._on_selected)
        tip = "Delete the selected snapshots from the target"
        self.delete = action(self.list, "Delete", "remove", tip, self._on_delete)  # in its context menu too
        self.delete_button = self.add_button(self.delete)
        self._on_selected()

    def begin(self) -> None:
        self._ask_target([])
        self.open()

    def show_snapshots(self, found: Sequence[DataSnapshot]) -> None:
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
            self, lambda: delete_target_snapshots(target, ask, deleted), self._on_answered, self._on_failed
        )

    def _on_answered(self, found: Sequence[DataSnapshot]) -> None:
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


def _item(snapshot: DataSnapshot) -> QTreeWidgetItem:
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
