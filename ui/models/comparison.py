"""The table of a comparison: its steps under the headings of their groups, a column a contender."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from app.charts.points import Point, points_of
from app.compare import ColumnEntry, Comparison, RowEntry
from app.compare_text import names_of, steady_text, told_of
from app.step_text import named
from app.units import count_text, figure_text, with_unit

from ..theme import Theme
from .heads import LEFT, RIGHT

FIXED = ("step", "threads", "unit")  # the columns before those of the contenders
COLUMN = Qt.ItemDataRole.UserRole  # of a header: ColumnShown

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True)
class ColumnShown:
    """A contender as its header shows it."""

    name: str
    colour: QColor
    is_dashed: bool  # an earlier column has the same colour
    is_base: bool
    n: str  # `n = 3`, `n = 2 to 3`


@dataclass(frozen=True, slots=True)
class Cell:
    """All that is painted of a cell: asked for once, not role by role."""

    text: str
    tint: QColor | None = None
    beside: str = ""  # small, on the left
    is_right: bool = False
    is_quiet: bool = False
    is_heading: bool = False


def columns_shown(comparison: Comparison, theme: Theme) -> list[ColumnShown]:
    """All columns, in their order."""
    seen: list[int] = []
    found = []
    for at, (column, name) in enumerate(zip(comparison["sessions"], names_of(comparison), strict=True)):
        is_base = column["id"] == comparison["base"]
        colour = theme.contender(column["colour"])
        found.append(ColumnShown(name, colour, column["colour"] in seen, is_base, _counts(comparison, at)))
        seen.append(column["colour"])
    return found


def _counts(comparison: Comparison, at: int) -> str:
    counts = sorted({row["n"][at] for row in comparison["rows"]} - {0})
    if not counts:
        return "no figures"
    return f"n = {counts[0]}" if len(counts) == 1 else f"n = {counts[0]} to {counts[-1]}"


def step_text(row: RowEntry) -> str:
    """The name of a step, with coordinates other than threads."""
    return named(row["workload"], row["coordinates"])


def drawn_unit(unit: str) -> str:
    """Of an axis: sizes are drawn in MB."""
    return "MB" if unit == "bytes" else unit


def drawn_points(row: RowEntry) -> list[Point]:
    """Of all columns, in the unit of the axis."""
    return points_of(row, 2**20 if row["unit"] == "bytes" else 1)


class ComparisonModel(QAbstractTableModel):
    """A row is a step, or the heading of a group: a text where a step has its RowEntry."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._comparison: Comparison | None = None
        self._columns: list[ColumnShown] = []
        self._rows: list[RowEntry | str] = []
        self._cells: list[list[Cell]] = []  # of the rows that were asked for
        self.is_relative = True

    def show(self, comparison: Comparison | None, is_relative: bool) -> None:
        """Another comparison, or the same in another way; rows are those of one group together."""
        self.beginResetModel()
        self._comparison, self.is_relative = comparison, is_relative
        self._columns = columns_shown(comparison, self._theme) if comparison else []
        self._rows = _with_headings(comparison["rows"]) if comparison else []
        self._cells = [[] for _ in self._rows]
        self.endResetModel()

    def row_at(self, row: int) -> RowEntry | None:
        """The step in this row; None where a heading is, or nothing."""
        found = self._rows[row] if 0 <= row < len(self._rows) else ""
        return None if isinstance(found, str) else found

    def find(self, row: RowEntry) -> int:
        """Where the same step stands now; -1: nowhere."""
        wanted = (row["workload"], row["coordinates"])
        places = (at for at, each in enumerate(self._rows) if not isinstance(each, str))
        return next((at for at in places if _same(self._rows[at], wanted)), -1)

    @property
    def first_driven(self) -> int:
        """The first step with seconds worth a look; else the first there is; -1: none."""
        steps = [at for at, row in enumerate(self._rows) if not isinstance(row, str)]
        driven = (at for at in steps if (row := self.row_at(at)) and row["kind"] == "drive")
        return next(driven, steps[0] if steps else -1)

    @property
    def headings(self) -> list[int]:
        return [at for at, row in enumerate(self._rows) if isinstance(row, str)]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(FIXED) + len(self._columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        is_heading = isinstance(self._rows[index.row()], str)
        return Qt.ItemFlag.NoItemFlags if is_heading else super().flags(index)  # the keyboard goes past it

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if section < len(FIXED):
            return FIXED[section] if role == Qt.ItemDataRole.DisplayRole else None
        return self._column_data(section - len(FIXED), role)

    def _column_data(self, at: int, role: int) -> Any:
        if self._comparison is None or at >= len(self._columns):
            return None
        shown = self._columns[at]
        if role == Qt.ItemDataRole.DisplayRole:
            return shown.name
        if role == Qt.ItemDataRole.ToolTipRole:
            return column_tip(self._comparison["sessions"][at], shown)
        return shown if role == COLUMN else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        cell = self.cell(index.row(), index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell.text
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if cell.is_right else LEFT
            case Qt.ItemDataRole.BackgroundRole:
                return cell.tint
            case Qt.ItemDataRole.ToolTipRole | Qt.ItemDataRole.AccessibleDescriptionRole:
                return self._tip(self._rows[index.row()], index.column())
        return None

    def cell(self, row: int, column: int) -> Cell:
        """What is painted there."""
        if not self._cells[row]:
            self._cells[row] = self._cells_of(self._rows[row])
        return self._cells[row][column]

    def _cells_of(self, row: RowEntry | str) -> list[Cell]:
        if isinstance(row, str):
            ground = self._theme.colour("window")
            blank = [Cell("", ground, is_heading=True)] * (self.columnCount() - 1)
            return [Cell(row, ground, is_heading=True), *blank]
        threads = "" if row["threads"] is None else str(row["threads"])
        fixed = [
            Cell(step_text(row)),
            Cell(threads, is_right=True, is_quiet=True),
            Cell(row["unit"], is_quiet=True),
        ]
        return [*fixed, *(self._figure(row, at) for at in range(len(self._columns)))]

    def _figure(self, row: RowEntry, at: int) -> Cell:
        tint = self._theme.relative(row["relative"][at], row["direction"] == "lower")
        is_alone = self.is_relative and row["relative"][at] is None
        return Cell(self.cell_text(row, at), tint, _beside(row, at), is_right=True, is_quiet=is_alone)

    def _tip(self, row: RowEntry | str, column: int) -> str | None:
        if isinstance(row, str):
            return None
        if column < len(FIXED):
            return f"{step_text(row)}, {row['unit']}{_direction(row)}"
        return self._cell_tip(row, column - len(FIXED))

    def cell_text(self, row: RowEntry, at: int) -> str:
        """A relative figure; as it is where that is wanted, of the base, or where the base has none."""
        value, relative = row["values"][at], row["relative"][at]
        if value is None:
            return ""
        is_plain = not self.is_relative or self._columns[at].is_base or relative is None
        return figure_text(value, row["unit"]) if is_plain else f"{relative:.2f}"

    def _cell_tip(self, row: RowEntry, at: int) -> str:
        value, relative, n = row["values"][at], row["relative"][at], row["n"][at]
        lines = [f"{self._columns[at].name}: {step_text(row)}"]
        if value is not None:
            lines.append(f"{with_unit(value, row['unit'])}, n = {n}")
        if relative is not None and not self._columns[at].is_base:
            lines.append(f"{relative:.3f} of the base{_direction(row)}")
        elif value is not None and relative is None:
            lines.append("the base has no figure here")
        told = [row["reasons"][at], *told_of(row, at), steady_text(row, at)]
        return "\n".join([*lines, *filter(None, told)])


def _direction(row: RowEntry) -> str:
    return {"lower": ", less is better", "higher": ", more is better"}.get(row["direction"], "")


def _beside(row: RowEntry, at: int) -> str:
    """How many repeats where not all have a figure; a sign where the step has marks."""
    n = row["n"][at]
    parts = ["!"] if row["marks"][at] else []
    parts += ["cut"] if any(row["cuts"][at]) else []
    return " ".join([*parts, *([f"n={n}"] if n and row["reasons"][at] else [])])


def _with_headings(rows: Sequence[RowEntry]) -> list[RowEntry | str]:
    found: list[RowEntry | str] = []
    group = None
    for row in rows:
        if row["group"] != group:
            group = row["group"]
            found.append(group or "other steps")
        found.append(row)
    return found


def _same(row: RowEntry | str, wanted: tuple[str, Any]) -> bool:
    return not isinstance(row, str) and (row["workload"], row["coordinates"]) == wanted


def column_tip(column: ColumnEntry, shown: ColumnShown) -> str:
    """All about a column that its header has no room for."""
    contender = column["contender"]
    what = [contender["build"], contender["engine"], contender["preset"]]
    what += [each for each in (contender["table_options"], contender["cores"]) if each]
    several = f", {len(column['ids'])} repeats" if len(column["ids"]) > 1 else ""
    failed = f", {count_text(column['failed_steps'], 'failed step')}" if column["failed_steps"] else ""
    lines = [shown.name, ", ".join(what), f"{column['sequence']} on {column['target']}{several}"]
    lines.append(f"{column['state']}{failed}, {shown.n}")
    return "\n".join([*lines, "The base" if shown.is_base else "Click to make it the base"])
