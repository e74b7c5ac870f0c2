"""Published results, taken into the history."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.history.lists.sessions import is_untouched
from app.history.store.history import History
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext


class ShippedResultsImporter(QObject):
    """Imports the shipped results; a second time nothing is imported twice."""

    taken = Signal(object)  # session ids
    first_taken = Signal(object)  # of a new person, who has something to look at
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context

    def take(self) -> None:
        self._context.tasks.read(self, _import, lambda ids: self._tell(ids, self.taken), self.failed.emit)

    def take_first(self) -> None:
        """Import them if the history has always been empty."""

        def work(history: History) -> list[str]:
            return _import(history) if is_untouched(history) else []

        self._context.tasks.read(self, work, lambda ids: self._tell(ids, self.first_taken), self.failed.emit)

    def _tell(self, ids: list[str], signal: SignalInstance) -> None:
        if ids:
            self._context.bus.changed.emit(PartsToReload(sessions=True))
            signal.emit(ids)


def _import(history: History) -> list[str]:
    from app.history.exchange.publishing import import_shipped

    return [each.session for each in import_shipped(history)]
