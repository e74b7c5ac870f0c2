"""The grid of builds, engines and presets."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.engines import engine_of
from app.planner.resolve.contenders import engines_in
from app.planner.starting.choices import PlanChoices
from app.planner.starting.draft import Draft
from app.targets.tested_versions import how_tested
from app.variables import Preset
from ui.core.index import Index
from ui.core.plain import plain_text_cells
from ui.core.theme import Theme

from .heads import ROLE, FlatModel


def engine_text(engine: str) -> str:
    """An engine as people write it."""
    return engine_of(engine).title


class BuildPresetModel(FlatModel):
    """Rows are builds, columns presets by engine; an unavailable cell has a reason instead of a box."""

    ticked = Signal(str, str, str, bool)  # build, engine, preset, whether it is

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._choices = PlanChoices()
        self._draft = Draft()

    def show_choices(self, choices: PlanChoices) -> None:
        self.beginResetModel()
        self._choices = choices
        self.endResetModel()

    def show_draft(self, draft: Draft) -> None:
        self._draft = draft
        if self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last, [ROLE.CheckStateRole])

    def place(self, row: int, column: int) -> tuple[str, str, str]:
        """The build, engine and preset of a cell."""
        preset = self._choices.presets[column]
        return self._choices.builds[row].name, preset.engine, preset.name

    def words(self, row: int, column: int) -> str:
        """A cell in words."""
        build, engine, preset = self.place(row, column)
        refusal = self._choices.refusal(build, engine, preset)
        name = f"{build}, {engine_text(engine)}, my.cnf {preset}"
        return f"{name}: {refusal}" if refusal else name

    def size(self) -> tuple[int, int]:
        return len(self._choices.builds), len(self._choices.presets)

    def cell_data(self, row: int, column: int, role: int) -> object:
        match role:
            case ROLE.CheckStateRole:
                return self._check_state(row, column)
            case ROLE.DisplayRole:
                return "" if self._is_checkable(row, column) else "-"
            case ROLE.ForegroundRole:
                return self._theme.colour("muted")
            case ROLE.ToolTipRole:
                return self.words(row, column)
            case ROLE.AccessibleTextRole:
                is_ticked = self._draft.is_ticked(*self.place(row, column))
                return f"{self.words(row, column)}{', ticked' if is_ticked else ''}"
        return None

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        cell = index.row(), index.column()
        if role != ROLE.CheckStateRole or not self._is_checkable(*cell):
            return False
        self.ticked.emit(*self.place(*cell), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        is_box = self._is_checkable(index.row(), index.column())
        return flags | Qt.ItemFlag.ItemIsUserCheckable if is_box else flags

    def head(self, column: int, role: int) -> object:
        return _preset_head(self._choices.presets[column], role)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> object:
        if orientation == Qt.Orientation.Vertical and section < len(self._choices.builds):
            return self._build_head(section, role)
        return super().headerData(section, orientation, role)

    @plain_text_cells
    def _build_head(self, section: int, role: int) -> object:
        build = self._choices.builds[section]
        match role:
            case ROLE.DisplayRole:
                return build.name
            case ROLE.ToolTipRole:
                state = build.problem or f"engines: {', '.join(engines_in(build))}"
                version = how_tested(build.family, build.version).text
                return f"{build.name}: {version}\nin {build.base}\n{state}"
            case ROLE.ForegroundRole if build.problem:
                return self._theme.colour("muted")
        return None

    def _check_state(self, row: int, column: int) -> Qt.CheckState | None:
        if not self._is_checkable(row, column):
            return None
        is_ticked = self._draft.is_ticked(*self.place(row, column))
        return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked

    def _is_checkable(self, row: int, column: int) -> bool:
        """Whether a cell can be ticked; a ticked one that is no longer available can be unticked."""
        place = self.place(row, column)
        return not self._choices.refusal(*place) or self._draft.is_ticked(*place)


def _preset_head(preset: Preset, role: int) -> object:
    match role:
        case ROLE.DisplayRole:
            return f"{engine_text(preset.engine)}\n{preset.name}"
        case ROLE.ToolTipRole:
            lines = [preset.title, preset.header.get("purpose", "")]
            lines += [f"durability: {preset.header['durability']}" if "durability" in preset.header else ""]
            return "\n".join(filter(None, lines))
    return None
