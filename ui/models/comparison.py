"""The table of a comparison: its steps under the headings of their groups, a column a contender."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor

from app.comparison.cells.by_effect import rows_by_effect
from app.comparison.cells.cell import Column, Comparison, Row, RowGroup
from app.comparison.cells.labels import names_of
from app.comparison.charts.points import PointWithRange, scaled_column_points
from app.comparison.verdicts.repeats import repeats_text
from app.core.names import short_names
from app.core.units import count_text, unit_text
from app.history.steps.step_text import named
from app.protocol.plan import step_key
from ui.core.index import Index
from ui.core.theme import Theme

from .heads import LEFT, RIGHT, ROLE, FlatModel
from .judged import CellAppearance, ComparisonCellTexts, direction_text, mean_tip

FIXED = ("step", "threads", "unit")  # the columns before those of the contenders
COLUMN = ROLE.UserRole  # of a header: ColumnShown
AROUND = COLUMN + 1  # of the first head: what the names of all columns have in common


@dataclass(frozen=True)
class HeaderContender:
    """A contender in the header."""

    name: str
    short: str  # without what all of them have in common
    colour: QColor
    is_dashed: bool  # an earlier column has the same colour
    is_base: bool
    n: str  # such as `n = 3, 1 load`, `published`
    version: str = ""  # of its server; '' where the name says it, or nobody knows it


@dataclass(frozen=True)
class GroupMeanRow:
    """The mean of a group, in a line below its steps."""

    group: RowGroup


Line = Row | GroupMeanRow | str  # a text: the heading of a group


def columns_shown(comparison: Comparison, theme: Theme) -> list[HeaderContender]:
    """All columns in order."""
    seen: list[int] = []
    found = []
    names = names_of(comparison)
    columns = zip(comparison.columns, names, short_names(names).names, strict=True)
    for at, (column, name, short) in enumerate(columns):
        is_base = column.id == comparison.base_id
        colour, is_dashed = theme.contender(column.colour), column.colour in seen
        found.append(
            HeaderContender(
                name, short, colour, is_dashed, is_base, _counts(comparison, at), _version(column, short)
            )
        )
        seen.append(column.colour)
    return found


def _version(column: Column, shown: str) -> str:
    """`MySQL 9.7.4`, unless the name in the head has it."""
    contender = column.contender
    return "" if contender["version"] in shown else f"{contender['family']} {contender['version']}".strip()


def _counts(comparison: Comparison, at: int) -> str:
    counts = sorted({row.cells[at].n for row in comparison.rows} - {0})
    if not counts:
        return "no results"
    column = comparison.columns[at]
    if column.source:
        return "published"
    is_shared = column.loads is not None and column.loads < len(column.ids)
    loads = f", {count_text(column.loads, 'load')}" if is_shared else ""
    return (f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]}–{counts[-1]}") + loads  # noqa: RUF001


def step_text(row: Row) -> str:
    """The name of a step, with coordinates other than threads."""
    return named(row.workload, row.coordinates)


def step_with_threads(row: Row) -> str:
    return step_text(row) + ("" if row.threads is None else f", threads {row.threads}")


def drawn_unit(unit: str) -> str:
    """The unit of an axis: sizes are drawn in MiB."""
    return "MiB" if unit == "bytes" else unit_text(unit)


def drawn_points(row: Row) -> list[PointWithRange]:
    """The points of all columns, in the unit of the axis."""
    return scaled_column_points(row, 2**20 if row.unit == "bytes" else 1)


class ComparisonModel(FlatModel):
    """A table of steps, headings of groups, and their means."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._comparison: Comparison | None = None
        self._columns: list[HeaderContender] = []
        self._around = ""
        self._rows: list[Line] = []
        self._cells: list[list[CellAppearance]] = []  # of the rows that were asked for
        self._judged = ComparisonCellTexts(theme, 0, True, False)

    def show(
        self,
        comparison: Comparison | None,
        is_relative: bool,
        has_details: bool = False,
        is_by_effect: bool = False,
    ) -> None:
        """Show a comparison; rows of one group stay together, or those that changed most come first."""
        self.beginResetModel()
        self._comparison = comparison
        self._columns = columns_shown(comparison, self._theme) if comparison else []
        self._around = short_names(names_of(comparison)).around if comparison else ""
        lines = _lines_by_effect if is_by_effect else _lines
        self._rows = list(lines(comparison)) if comparison else []
        self._cells = [[] for _ in self._rows]
        self._judged = ComparisonCellTexts(
            self._theme, comparison.base if comparison else 0, is_relative, has_details
        )
        self.endResetModel()

    @property
    def has_details(self) -> bool:
        return self._judged.has_details

    @property
    def has_singles(self) -> bool:
        """Whether a column is one session."""
        return self._comparison is not None and any(
            len(column.ids) == 1 for column in self._comparison.columns
        )

    @property
    def has_deviations(self) -> bool:
        """Whether results of single sessions have a ± next to them."""
        return any(cell.within is not None for _, row in self._steps() for cell in row.cells)

    def row_at(self, row: int) -> Row | None:
        """The step in this row; None for headings, means or no row."""
        found = self._rows[row] if 0 <= row < len(self._rows) else ""
        return None if isinstance(found, (str, GroupMeanRow)) else found

    def find(self, row: Row) -> int:
        """The row of this step; -1 without one."""
        return next((at for at, each in self._steps() if step_row_key(each) == step_row_key(row)), -1)

    @property
    def first_driven(self) -> int:
        """The first driven step, else the first step; -1 without steps."""
        steps = list(self._steps())
        return next((at for at, row in steps if row.kind == "drive"), steps[0][0] if steps else -1)

    def _steps(self) -> Iterator[tuple[int, Row]]:
        return ((at, row) for at, row in enumerate(self._rows) if not isinstance(row, (str, GroupMeanRow)))

    @property
    def headings(self) -> list[int]:
        return [at for at, row in enumerate(self._rows) if isinstance(row, str)]

    @property
    def tall(self) -> list[int]:
        """The rows with a second line in their cells."""
        return [at for at in range(len(self._rows)) if any(cell.below for cell in self._row_cells(at))]

    def size(self) -> tuple[int, int]:
        return len(self._rows), len(FIXED) + len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        is_step = self.row_at(index.row()) is not None
        return super().flags(index) if is_step else Qt.ItemFlag.NoItemFlags  # the keyboard goes past it

    def head(self, column: int, role: int) -> object:
        if column >= len(FIXED):
            return self._column_data(column - len(FIXED), role)
        if role == ROLE.DisplayRole:
            return FIXED[column]
        tips = {AROUND: self._around, ROLE.ToolTipRole: f"All columns: {self._around}"}
        return tips.get(role) if self._around and column == 0 else None

    def _column_data(self, at: int, role: int) -> object:
        shown = self._columns[at]
        if role == ROLE.DisplayRole:
            return shown.name
        if role == ROLE.ToolTipRole and self._comparison is not None:
            return column_tip(self._comparison.columns[at], shown)
        return shown if role == COLUMN else None

    def cell_data(self, row: int, column: int, role: int) -> object:
        cell = self.cell(row, column)
        match role:
            case ROLE.DisplayRole:
                return f"{cell.text} {cell.word}".strip()
            case ROLE.TextAlignmentRole:
                return RIGHT if cell.is_right else LEFT
            case ROLE.BackgroundRole:
                return cell.tint
            case ROLE.ToolTipRole | ROLE.AccessibleDescriptionRole:
                return self._tip(self._rows[row], column)
        return None

    def cell(self, row: int, column: int) -> CellAppearance:
        """The contents of a cell."""
        return self._row_cells(row)[column]

    def _row_cells(self, row: int) -> list[CellAppearance]:
        if not self._cells[row]:
            self._cells[row] = self._cells_of(self._rows[row])
        return self._cells[row]

    def _cells_of(self, row: Line) -> list[CellAppearance]:
        columns = range(len(self._columns))
        if isinstance(row, str):
            ground = self._theme.colour("window")
            blank = [CellAppearance("", ground, is_heading=True)] * (self.columnCount() - 1)
            return [CellAppearance(row, ground, is_heading=True), *blank]
        if isinstance(row, GroupMeanRow):
            unit = CellAppearance(unit_text(row.group.unit), is_quiet=True)
            fixed = [CellAppearance("geometric mean", is_quiet=True), CellAppearance(""), unit]
            return [*fixed, *(self._judged.mean(row.group, at) for at in columns)]
        threads = "" if row.threads is None else str(row.threads)
        fixed = [
            CellAppearance(step_text(row)),
            CellAppearance(threads, is_right=True, is_quiet=True),
            CellAppearance(unit_text(row.unit), is_quiet=True),
        ]
        return [*fixed, *(self._judged.figure(row, at) for at in columns)]

    def _tip(self, row: Line, column: int) -> str | None:
        at = column - len(FIXED)
        if isinstance(row, str):
            return None
        if isinstance(row, GroupMeanRow):
            steps = f"Geometric mean of {count_text(row.group.steps, 'step')}"
            return mean_tip(row.group, at, self._columns[at].name) if at >= 0 else steps
        if at < 0:
            return f"{step_text(row)}, {unit_text(row.unit)}{direction_text(row)}"
        return self._judged.tip(row, at, self._columns[at].name)


def _lines(comparison: Comparison) -> Iterator[Line]:
    """The lines: a mean below each group, for each unit with more than one step."""
    has_others = len(comparison.columns) > 1
    means = [group for group in comparison.groups if group.steps > 1 and has_others]
    for group in dict.fromkeys(row.group for row in comparison.rows):
        yield group or "other steps"
        yield from (row for row in comparison.rows if row.group == group)
        yield from (GroupMeanRow(each) for each in means if each.group == group)


def _lines_by_effect(comparison: Comparison) -> Iterator[Line]:
    """The steps alone: means and headings are of groups."""
    yield from rows_by_effect(comparison.rows, comparison.base)


def step_row_key(row: Row) -> tuple[str, str]:
    """Names a step in any comparison."""
    return step_key(row.workload, row.coordinates)


def column_tip(column: Column, shown: HeaderContender) -> str:
    """Details of a column for its tooltip."""
    contender = column.contender
    what = [contender["build"], contender["engine"], contender["preset"]]
    what += [contender["table_options"], contender["cores"]]
    failed = f", {count_text(column.failed_steps, 'failed step')}" if column.failed_steps else ""
    lines = [shown.name, ", ".join(filter(None, what)), f"{column.sequence} on {column.target}"]
    lines += [f"published: {column.source}"] if column.source else []
    lines.append(repeats_text(len(column.ids), column.loads, column.server_starts))
    lines.append(f"{column.state}{failed}, {shown.n}")
    return "\n".join([*lines, "The base" if shown.is_base else "Click a column header to change the base"])
