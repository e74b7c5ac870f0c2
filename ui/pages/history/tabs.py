"""The tabs of one session: overview, results, results over time, settings, notes, log."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontDatabase, QResizeEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTabWidget,
    QWidget,
)

from app.comparison.answers.over_time import OverTimeEntry
from app.core.harmless import harmless_text
from app.history.steps.step_text import remarks_text
from app.protocol.plan import COUNT, step_label
from app.protocol.stacks import PROFILED
from ui.core.theme import SPACE, Theme
from ui.models.heads import initial_columns
from ui.models.settings_in_force import SettingModel
from ui.models.steps import COLUMNS, REMARKS, StepModel
from ui.widgets.actions import action, action_button
from ui.widgets.elided import ElidedLabel
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import NATIVE, boxed, in_column, in_row
from ui.widgets.table import LineSelectTable

from .over_time import READING, OverTimePanel
from .overview import SessionOverview
from .reading import SessionDetailTexts

NOTES = 4  # the place of the tab


class DetailTabs(QTabWidget):
    """Tabs of which only the visible one is filled."""

    noted = Signal(str, str)  # session id, text
    seconds_wanted = Signal(str, str, int)  # session id, its name, position of the step
    stacks_wanted = Signal(str, str, str)  # session id, its name, label of the step
    over_time_wanted = Signal(str)  # session id

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._detail: SessionDetailTexts | None = None
        self._stale: set[int] = set()
        self._listed = ""  # the session whose results are listed
        self.overview = SessionOverview()
        self._steps = StepModel(theme, self)
        self._results = StepTable(self._steps)
        self.over_time = OverTimePanel(theme)
        self._settings, self._in_force = SettingModel(self), LineSelectTable("Settings in force")
        self._told = ElidedLabel(role="muted")  # of the chosen step
        self._notes = _text("Notes", "No notes yet")
        self._note = QLineEdit(placeholderText="Add a note to this session; press Enter to save")
        self._log = _text("Log", "The log is empty")
        self._log.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setDocumentMode(True)
        self.setAccessibleName("Detail")
        self.addTab(self.overview, "Session")
        self.addTab(self._make_results(), "Results")
        self.addTab(self.over_time, "Over time")
        self.addTab(self._make_settings(), "Settings in force")
        self.addTab(self._make_notes(), "Notes")
        self.addTab(self._log, "Log")
        self.currentChanged.connect(self._fill)

    def show_detail(self, detail: SessionDetailTexts) -> None:
        self._detail = detail
        self._stale = set(range(self.count()))
        self._fill(self.currentIndex())

    def start_note(self) -> None:
        self.setCurrentIndex(NOTES)
        self._note.setFocus()

    # building

    def _make_results(self) -> QWidget:
        self.choose_seconds = action(
            self._results, "&Seconds that count…", "seconds",
            "Choose the seconds of the chosen step that count", self._on_seconds_wanted,
        )  # fmt: skip
        self.show_stacks = action(
            self._results, "&Flame graph…", "flame graph",
            "Show where the server spent its time in the chosen step, if it was profiled",
            self._on_stacks_wanted,
        )  # fmt: skip
        self._results.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self._results.activated.connect(lambda _: self._on_seconds_wanted())
        self._results.selectionModel().currentRowChanged.connect(lambda *_: self._tell_step())
        buttons = map(action_button, (self.show_stacks, self.choose_seconds))
        return _under(in_row((self._told, 1), *buttons, spacing=NATIVE), self._results)

    def _make_settings(self) -> QWidget:
        self._in_force.setModel(self._settings)
        for at, width in enumerate((130, 340, 200)):
            self._in_force.setColumnWidth(at, width)
        line = FilterLine("Filter settings", "Filter settings")
        line.left.connect(self._in_force.setFocus)
        line.textChanged.connect(self._settings.filter)
        return _under(line, self._in_force)

    def _make_notes(self) -> QWidget:
        self._note.setAccessibleName("New note")
        self._note.returnPressed.connect(self._on_note_entered)
        button = QPushButton("Add note")
        button.clicked.connect(self._on_note_entered)
        return _under(in_row((self._note, 1), button, spacing=NATIVE), self._notes)

    # filling

    def _fill(self, tab: int) -> None:
        if self._detail is None or tab not in self._stale:
            return
        self._stale.discard(tab)
        fill: tuple[Callable[[SessionDetailTexts], None], ...] = (
            self.overview.show_detail,
            self._show_steps,
            self._ask_over_time,
            lambda detail: self._settings.show(detail.settings),
            lambda detail: self._notes.setPlainText(harmless_text(detail.notes)),
            lambda detail: self._log.setPlainText(harmless_text(detail.log)),
        )
        fill[tab](self._detail)

    def _show_steps(self, detail: SessionDetailTexts) -> None:
        """Show the steps; the focus stays on its step if the session is the same."""
        row = self._results.currentIndex().row()
        self._steps.show(detail.shown["steps"])
        if detail.shown["id"] == self._listed and row >= 0:
            self._results.selectRow(row)
        self._listed = detail.shown["id"]
        self._tell_step()

    def _ask_over_time(self, detail: SessionDetailTexts) -> None:
        self.over_time.show_words(READING)
        self.over_time_wanted.emit(detail.shown["id"])

    def show_over_time(self, session: str, found: OverTimeEntry | str) -> None:
        """Show the sessions of the same work, or words, unless another session is chosen by now."""
        if self._detail is None or self._detail.shown["id"] != session:
            return
        if isinstance(found, str):
            self.over_time.show_words(found)
        else:
            self.over_time.show_found(found)

    def _tell_step(self) -> None:
        """Show whether the chosen step was steady, and which of its seconds count."""
        step = self._steps.step(self._results.currentIndex().row())
        remarks = remarks_text(step) if step else ""
        self._told.setText("; ".join(remarks.splitlines()))
        self.choose_seconds.setEnabled(step is not None and step["steadiness"] is not None)
        has_stacks = step is not None and (PROFILED in step["marks"] or step["kind"] == COUNT)
        self.show_stacks.setEnabled(has_stacks)

    def _on_seconds_wanted(self) -> None:
        step = self._results.currentIndex().row()
        if self._detail is not None and self.choose_seconds.isEnabled():
            shown = self._detail.shown
            self.seconds_wanted.emit(shown["id"], shown["name"], step)

    def _on_stacks_wanted(self) -> None:
        step = self._steps.step(self._results.currentIndex().row())
        if self._detail is not None and step is not None:
            shown = self._detail.shown
            label = step_label(step["name"], step["coordinates"])
            self.stacks_wanted.emit(shown["id"], shown["name"], label)

    def _on_note_entered(self) -> None:
        text = self._note.text().strip()
        if text and self._detail is not None:
            self._note.clear()
            self.noted.emit(self._detail.shown["id"], text)


def _text(name: str, empty: str) -> QPlainTextEdit:
    made = QPlainTextEdit(readOnly=True, placeholderText=empty, tabChangesFocus=True)
    made.setAccessibleName(name)
    return made


def _under(line: QWidget | QLayout, below: QWidget) -> QWidget:
    return boxed(in_column(line, (below, 1), spacing=SPACE // 2, margins=(0, SPACE // 2, 0, 0)))


# the results of one session as a table that does not scroll sideways


class StepTable(LineSelectTable):
    """Shows the columns that fit, until a person chooses them in the menu of the head."""

    def __init__(self, model: StepModel) -> None:
        super().__init__("Results")
        self._is_chosen = False
        self.setModel(model)
        head = self.horizontalHeader()
        head.setStretchLastSection(False)
        for at, column in enumerate(COLUMNS):
            self.setColumnWidth(at, column.width)
        head.setSectionResizeMode(REMARKS, QHeaderView.ResizeMode.Stretch)
        self.let_choose_columns(0)
        self.columns_chosen.connect(self._on_columns_chosen)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if not self._is_chosen:
            shown = initial_columns(COLUMNS, self.viewport().width())
            for at in range(len(COLUMNS)):
                self.setColumnHidden(at, at not in shown)

    def _on_columns_chosen(self) -> None:
        self._is_chosen = True
