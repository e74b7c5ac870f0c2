"""Commands about the machine of a target: how noisy it is, how fast it was, which snapshots it has."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QWidget

from app.remote.target import Target
from ui.core.context import Context
from ui.widgets.actions import action

from .snapshots import SnapshotsDialog


class MachineCommands(QObject):
    """Actions on the chosen target."""

    calibration_wanted = Signal()
    snapshots_closed = Signal(str)  # name of the target: a survey may find other ones there

    def __init__(self, context: Context, chosen: Callable[[], Target], widget: QWidget) -> None:
        super().__init__(widget)
        self._context, self._chosen, self._widget = context, chosen, widget
        tip = "Set up a plan that measures the noise of the machine in about five minutes"
        self.calibrate = action(
            widget, "Cali&brate the target…", "calibrate", tip, self.calibration_wanted.emit
        )
        tip = "The speed of the machine before each session of a long plan"
        self.canaries = action(widget, "Ca&naries of the target…", "canaries", tip, self._show_canaries)
        tip = "Data sets stored on the target"
        self.snapshots = action(widget, "Sna&pshots…", "snapshots", tip, self._show_snapshots)

    def all(self) -> Sequence[QAction]:
        return (self.calibrate, self.canaries, self.snapshots)

    def _show_canaries(self) -> None:
        from .canaries import CanariesDialog

        dialog = CanariesDialog(self._context, self._chosen(), self._widget.window())
        _delete_later(dialog)
        dialog.begin()

    def _show_snapshots(self) -> None:
        target = self._chosen()
        dialog = SnapshotsDialog(self._context, target, self._widget.window())
        dialog.finished.connect(lambda _: self.snapshots_closed.emit(target.name))
        _delete_later(dialog)
        dialog.begin()


def _delete_later(dialog: QDialog) -> None:
    dialog.finished.connect(dialog.deleteLater)
