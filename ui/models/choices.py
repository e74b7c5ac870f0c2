"""The grid of builds, engines and presets."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt, Signal

from app.engines import engine_of
from app.planner.resolve.contenders import engines_in
from app.planner.starting.choices import Choices
from app.planner.starting.draft import Draft
from app.targets.tested_versions import tried
from app.variables import Preset
from ui.core.index import Index
from ui.core.plain import with_plain_text
from ui.core.theme import Theme

ROLE = Qt.ItemDataRole


def engine_text(engine: str) -> str:
    """An engine as people write it."""
    return engine_of(engine).title


class ChoiceModel(QAbstractTableModel):
    """Rows are builds, columns presets by engine; an unavailable cell has a reason instead of a box."""

    ticked = Signal(str, str, str, bool)  # build, engine, preset, whether it is

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._choices = Choices()
        self._draft = Draft()

    def show_choices(self, choices: Choices) -> None:
        self.beginResetModel()
        self._choices = choices
        self.endResetModel()

    def show_draft(self, draft: Draft) -> None:
        self._draft = draft
        if self.rowCount() and self.columnCount():
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last, [ROLE.CheckStateRole])

    def place(self, index: Index) -> tuple[str, str, str]:
        """The build, engine and preset of a cell."""
        preset = self._choices.presets[index.column()]
        return self._choices.builds[index.row()].name, preset.engine, preset.name

    def words(self, index: Index) -> str:
        """A cell in words."""
        build, engine, preset = self.place(index)
        refusal = self._choices.refusal(build, engine, preset)
        name = f"{build}, {engine_text(engine)}, preset {preset}"
        return f"{name}: {refusal}" if refusal else name

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._choices.builds)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._choices.presets)

    @with_plain_text
    def data(self, index: Index, role: int = ROLE.DisplayRole) -> object:
        if not index.isValid():
            return None
        match role:
            case ROLE.CheckStateRole:
                return self._check_state(index)
            case ROLE.DisplayRole:
                return "" if self._is_checkable(index) else "-"
            case ROLE.ForegroundRole:
                return self._theme.colour("muted")
            case ROLE.ToolTipRole:
                return self.words(index)
            case ROLE.AccessibleTextRole:
                is_ticked = self._draft.is_ticked(*self.place(index))
                return f"{self.words(index)}{', ticked' if is_ticked else ''}"
        return None

    def setData(self, index: Index, value: object, role: int = ROLE.EditRole) -> bool:
        if role != ROLE.CheckStateRole or not self._is_checkable(index):
            return False
        self.ticked.emit(*self.place(index), Qt.CheckState(value) == Qt.CheckState.Checked)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return flags | Qt.ItemFlag.ItemIsUserCheckable if self._is_checkable(index) else flags

    @with_plain_text
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = ROLE.DisplayRole) -> object:
        if orientation == Qt.Orientation.Horizontal and section < len(self._choices.presets):
            return _preset_head(self._choices.presets[section], role)
        if orientation == Qt.Orientation.Vertical and section < len(self._choices.builds):
            return self._build_head(section, role)
        return None

    def _build_head(self, section: int, role: int) -> object:
        build = self._choices.builds[section]
        match role:
            case ROLE.DisplayRole:
                return build.name
            case ROLE.ToolTipRole:
                state = build.problem or f"engines: {', '.join(engines_in(build))}"
                version = tried(build.family, build.version).text
                return f"{build.name}: {version}\nin {build.base}\n{state}"
            case ROLE.ForegroundRole if build.problem:
                return self._theme.colour("muted")
        return None

    def _check_state(self, index: Index) -> Qt.CheckState | None:
        if not self._is_checkable(index):
            return None
        is_ticked = self._draft.is_ticked(*self.place(index))
        return Qt.CheckState.Checked if is_ticked else Qt.CheckState.Unchecked

    def _is_checkable(self, index: Index) -> bool:
        """Whether a cell can be ticked; a ticked one that is no longer available can be unticked."""
        place = self.place(index)
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
