"""What pages need is imported before a person turns to them, half a second in all.

PySide makes a class when it is first named, and crashes if two threads do so at once: a thread imports only
what knows no Qt.
"""

from __future__ import annotations

from importlib import import_module

from PySide6.QtCore import QObject, QTimer

from ui.core.context import Context

ON_A_THREAD = (
    "numpy",
    "ui.core.following",
    "app.comparison.charts.of_all_steps",
    "app.comparison.why",
    "app.following.under_way",
    "app.history.browsing",
    "app.history.timeline",
)
IN_THE_WINDOW = ("ui.widgets.charts.canvas", "ui.pages.live", "ui.pages.history", "ui.pages.compare")
PAUSE_MS = 50  # between two of them, for what a person does meanwhile


class ImportAhead(QObject):
    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._left = iter(IN_THE_WINDOW)
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._on_timeout)

    def begin(self) -> None:
        self._context.tasks.run(self, _import_plain, lambda _: self._timer.start(), lambda _: None)

    def _on_timeout(self) -> None:
        name = next(self._left, None)
        if name is None:
            self._timer.stop()
        else:
            import_module(name)


def _import_plain() -> None:
    for name in ON_A_THREAD:
        import_module(name)
