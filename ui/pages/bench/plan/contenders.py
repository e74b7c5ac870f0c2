"""The contenders of a plan: the grid to tick them, and a line to edit each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QIcon, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.planner.starting.choices import PlanChoices
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import DraftOutcome
from ui.core.index import Index
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE, Theme
from ui.models.choices import BuildPresetModel
from ui.models.contenders import ContenderModel
from ui.widgets.actions import action, action_button
from ui.widgets.layouts import NATIVE, in_column, in_row
from ui.widgets.table import LINE_HEIGHT, LineSelectTable
from ui.widgets.tick_delegate import TickDelegate
from ui.widgets.wrapping_row import WrappingRow

from .preset_grid import PresetGrid
from .servers import ServerGroup

COLOURS = 8
WIDEST_NAME = 220
WIDTHS = (0, 104, 72, 72, 64, 54, 66)  # of the columns of a contender; 0: what is left
LEAST_NAME = 140  # pixels of that one: build and engine, of which it is made by itself, are next to it
OPTIONS = 4  # the column of a copy that is written first
NO_BUILDS = "No builds found yet: survey the target"
HINT = (
    "Tick what to compare. baseline: a my.cnf with the same settings for all; stock: the defaults of each."
    " Select a dash to see why it is not available."
)


class ContenderDelegate(QStyledItemDelegate):
    """Reports what is wrong with a cell while it is typed; '' once it is right or left."""

    problem = Signal(str)

    def __init__(self, model: ContenderModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = super().createEditor(parent, option, index)
        if isinstance(editor, QLineEdit):
            editor.textEdited.connect(lambda text: self._tell(editor, self._model.problem(index, text)))
        return editor

    def destroyEditor(self, editor: QWidget, index: Index) -> None:
        self.problem.emit("")
        super().destroyEditor(editor, index)

    def _tell(self, editor: QLineEdit, problem: str) -> None:
        editor.setProperty("wrong", bool(problem))
        editor.style().polish(editor)
        self.problem.emit(problem)


class ContendersPanel(QWidget):
    """Reports input; shows what it is given."""

    copied = Signal(int)
    removed = Signal(list)  # which
    preset_wanted = Signal(str, str, str)  # engine, preset, build
    colour_chosen = Signal(int, int)  # which contender, colour index

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = ""  # about the grid
        self._text_size = 100
        self.choices = BuildPresetModel(theme, self)
        self.contenders = ContenderModel(theme, self)
        self.grid, self.table = PresetGrid(self.choices), _table(self.contenders)
        self.servers = ServerGroup(theme, self)
        self.grid.setItemDelegate(TickDelegate(self.grid))
        self.words = PlainTextLabel(role="muted", wraps=True)
        self._make_actions()
        self._build_layout()
        self.grid.selectionModel().currentChanged.connect(self._on_cell_reached)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        theme.changed.connect(self._on_theme_changed)
        self.editing = ContenderDelegate(self.contenders, self.table)
        self.table.setItemDelegate(self.editing)
        self.editing.problem.connect(self._on_problem)
        self._on_selection_changed()
        self._on_theme_changed()
        self.show_choices(PlanChoices())

    def show_choices(self, choices: PlanChoices) -> None:
        reached = self.grid.currentIndex()
        self.choices.show_choices(choices)
        self.servers.show_choices(choices)
        self.grid.setCurrentIndex(self.choices.index(reached.row(), reached.column()))
        self._say(HINT if choices.builds else NO_BUILDS)
        names = max((self._width(build.name) for build in choices.builds), default=80)
        self.grid.verticalHeader().setFixedWidth(min(names, WIDEST_NAME))
        widths = [self._width(preset.name) for preset in choices.presets]
        self.grid.show_presets(choices.presets, len(choices.builds), widths)

    def show_draft(self, draft: Draft) -> None:
        chosen = self.table.currentIndex()
        self.choices.show_draft(draft)
        self.servers.model.show_draft(draft)
        self.grid.show_draft(draft)
        self.contenders.show_draft(draft)
        self.table.setCurrentIndex(self.contenders.index(chosen.row(), chosen.column()))

    def show_outcome(self, outcome: DraftOutcome, colours: Sequence[int]) -> None:
        self.contenders.show_outcome(outcome, colours)

    def chosen_rows(self) -> list[int]:
        return sorted(index.row() for index in self.table.selectionModel().selectedRows())

    def _width(self, name: str) -> int:
        return self.grid.fontMetrics().horizontalAdvance(str(name)) + 3 * SPACE

    def _make_actions(self) -> None:
        tip = "Copy the chosen line and select the copy"
        self.copy = action(self, "Copy", "duplicate", tip, self._on_copy_wanted)
        tip = "Remove the chosen lines from the plan"
        self.remove = action(self.table, "Remove", "remove", tip, self._on_remove_wanted)
        tip = "Show the my.cnf of the chosen line or cell"
        self.look = action(self, "Look at my.cnf", "look at preset", tip, self._on_look_wanted)
        tip = "Choose the colour of the chosen line in all charts"
        self.colour = action(self, "Colour…", "colour", tip, self._on_colour_wanted)

    def _build_layout(self) -> None:
        heading = PlainTextLabel("What is compared", "heading", buddy=self.grid)
        actions = (self.copy, self.remove, self.look, self.colour)
        self._buttons = {each: action_button(each) for each in actions}
        heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        head = WrappingRow(heading, *self._buttons.values())
        below = in_row((self.words, 1), self.grid.more, spacing=NATIVE)
        self.setLayout(in_column(head, (self.grid, 2), below, self.servers, (self.table, 1)))

    def minimumSizeHint(self) -> QSize:
        """With all lines of what wraps: else they would lie over one another in a low window."""
        layout, least = self.layout(), super().minimumSizeHint()
        return QSize(least.width(), layout.totalMinimumHeightForWidth(self.width())) if layout else least

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()

    def _on_cell_reached(self, current: QModelIndex) -> None:
        if not current.isValid():
            return
        self._say(self.choices.words(current.row(), current.column()))

    def _say(self, words: str) -> None:
        self._words = words
        self.words.setText(words)
        self.words.setToolTip(as_tip(words))

    def _on_problem(self, problem: str) -> None:
        """Show a problem above the table, in place of the grid's remark."""
        self.words.setText(problem or self._words)
        self.words.set_role("bad" if problem else "muted")

    def _on_selection_changed(self) -> None:
        rows = self.chosen_rows()
        for each in (self.copy, self.colour):
            each.setEnabled(len(rows) == 1)
        self.remove.setEnabled(bool(rows))

    def _on_copy_wanted(self) -> None:
        row = self.chosen_rows()[0]
        self.copied.emit(row)
        flag = QItemSelectionModel.SelectionFlag  # Ctrl is down: on its own the table would add the line
        index = self.contenders.index(row + 1, OPTIONS)
        self.table.selectionModel().setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)

    def _on_remove_wanted(self) -> None:
        self.removed.emit(self.chosen_rows())

    def focused_preset(self) -> tuple[str, str, str] | None:
        """Engine, preset and build of the cell or contender that has the keyboard; None if none has."""
        return self._place() if self.grid.hasFocus() or self.table.hasFocus() else None

    def _on_look_wanted(self) -> None:
        self.preset_wanted.emit(*(self._place() or ("", "", "")))

    def _place(self) -> tuple[str, str, str] | None:
        """The preset of the table's row if it has focus or selection, else of the grid's."""
        rows, cell = self.chosen_rows(), self.grid.currentIndex()
        if rows and not (self.grid.hasFocus() and cell.isValid()):
            build, engine, preset = (
                str(self.contenders.index(rows[0], column).data(Qt.ItemDataRole.EditRole))
                for column in (1, 2, 3)
            )
            return (engine, preset, build) if preset else None  # that of a server is not known
        if not cell.isValid():
            return None
        build, engine, preset = self.choices.place(cell.row(), cell.column())
        return engine, preset, build

    def _on_colour_wanted(self) -> None:
        row = self.chosen_rows()[0]
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for index in range(COLOURS):
            each = menu.addAction(_swatch(self._theme.contender(index)), f"Colour {index + 1}")
            each.triggered.connect(lambda _=False, index=index: self.colour_chosen.emit(row, index))
        button = self._buttons[self.colour]
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _on_theme_changed(self) -> None:
        if self._text_size != self._theme.text_size:
            self._text_size = self._theme.text_size
            _fit_columns(self.table, self._text_size)
        self.grid.viewport().update()
        self.table.viewport().update()


def _table(model: ContenderModel) -> LineSelectTable:
    table = LineSelectTable("What is compared")
    table.setModel(model)
    trigger = QAbstractItemView.EditTrigger
    table.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.SelectedClicked)
    table.setMinimumHeight(3 * LINE_HEIGHT)
    table.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # the end of a name tells more
    head = table.horizontalHeader()
    head.setStretchLastSection(False)
    head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
    head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
    _fit_columns(table, 100)
    return table


def _fit_columns(table: LineSelectTable, percent: int) -> None:
    """Make the columns as wide as their text needs; with large text the table scrolls."""
    mode = QHeaderView.ResizeMode
    table.horizontalHeader().setSectionResizeMode(0, mode.Stretch if percent <= 100 else mode.Interactive)
    for column, width in enumerate(WIDTHS):
        table.setColumnWidth(column, (width or LEAST_NAME) * percent // 100)


def _swatch(colour: QColor) -> QIcon:
    square = QPixmap(16, 16)
    square.fill(colour)
    return QIcon(square)
