"""Which step of the session is looked at: the running one, or one that the person chose."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject

from ui.core.context import WindowContext
from ui.core.page import Page
from ui.dialogs.cut_controller import CutController
from ui.widgets.actions import action

from .body import LiveBody
from .watching import Watching


class StepSelectionSync(QObject):
    """Keeps strip, charts, results, engine and waits at the same step."""

    def __init__(self, context: WindowContext, watching: Watching, body: LiveBody, page: Page) -> None:
        super().__init__(page)
        self._watching, self._body = watching, body
        self._running = -1  # the step that was followed last
        self.cutting = CutController(context, page)
        self.choose_seconds = action(
            page, "Seconds that count…", "seconds", "Choose the seconds of the chosen step that count",
            self._ask_seconds,
        )  # fmt: skip
        body.table.addAction(self.choose_seconds)
        self._connect()

    def _connect(self) -> None:
        watching, body = self._watching, self._body
        watching.extended.connect(self.show_engine)
        watching.bounded.connect(self.follow_running)
        body.table.clicked.connect(self._on_row_chosen)
        body.table.activated.connect(self._on_row_chosen)
        body.table.selectionModel().currentRowChanged.connect(lambda _row, _before: self.show_waits())
        body.tabs.currentChanged.connect(self.show_engine)

    @property
    def _row(self) -> int:
        return self._body.table.currentIndex().row()

    def look_at(self, step: int) -> None:
        """Look at a step that has begun; the running one continues to be followed."""
        loaded, body = self._watching.loaded, self._body
        bounds = loaded.curves.bounds.get(step) if loaded else None
        if loaded is None or bounds is None:
            return
        if bounds is loaded.curves.current and bounds.ended_t is None:
            body.charts.axis.follow()
        else:
            body.charts.look_at(bounds)
        body.header.strip.select(loaded.request.session, step)
        body.table.choose_row(step)
        self.show_engine()

    def follow_running(self) -> None:
        """Mark the running step in strip and results; a row selected by keyboard stays."""
        loaded, body = self._watching.loaded, self._body
        current = loaded.curves.current if loaded and body.charts.axis.is_following else None
        if loaded is None or current is None or current.ended_t is not None:
            return
        body.header.strip.select(loaded.request.session, current.position)
        if self._row in (-1, self._running):
            body.table.choose_row(current.position)
        self._running = current.position

    def return_to_running(self) -> None:
        """Mark the running step, whatever row was selected."""
        self._running = self._row
        self.follow_running()

    def show_waits(self) -> None:
        overview = self._watching.overview
        if overview is not None and 0 <= self._row < len(overview.steps):
            self._body.waits.show_step(overview.session["id"], self._row)
        else:
            self._body.waits.forget()

    def show_engine(self, *_: object) -> None:
        self._body.show_engine(self._watching.loaded, self._watching.overview)

    def _on_row_chosen(self, index: QModelIndex) -> None:
        self.look_at(index.row())

    def _ask_seconds(self) -> None:
        overview, step = self._watching.overview, self._row
        if overview is not None and 0 <= step < len(overview.steps):
            self.cutting.ask(overview.session["id"], overview.session["name"], step)
