"""The results of one session, step by step, as they come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Qt

from app.core.names import short_names
from app.core.units import bytes_text, figure_text, with_unit
from app.history.steps.figures import StepEntry
from app.history.steps.step_text import HAS_MARKS, named, remarks_of, remarks_text
from app.history.steps.timeline import SessionResults
from app.protocol.plan import PREPARING, Step, step_key
from app.protocol.states import StepState
from ui.core.theme import Theme

from .heads import LEFT, RIGHT, ROLE, FlatModel

QUERIES = "queries/s"


@dataclass(frozen=True)
class ResultColumn:
    key: str
    title: str
    tip: str
    is_text: bool = False

    @property
    def side(self) -> Qt.AlignmentFlag:
        return LEFT if self.is_text else RIGHT


_SHORT = {"transaction": "tx"}  # as in the cells
COLUMNS = (
    ResultColumn("step", "step", "Name in the sequence, with coordinates", is_text=True),
    ResultColumn("threads", "threads", "Client threads"),
    ResultColumn("value", "QPS", "Queries per second over the measured seconds; other units are named"),
    ResultColumn("relative", "ratio", ""),
    ResultColumn("p95", "p95 ms", "95 % of latencies are at or below this"),
    ResultColumn("p99", "p99 ms", "99 % of latencies are at or below this"),
    ResultColumn("cpu", "CPU us/query", "CPU time of the server per query, in microseconds"),
    ResultColumn("written", "KiB/query", "KiB that the server wrote to storage per query"),
    ResultColumn("size", "size", "Size of tables and indexes after the step"),
    ResultColumn("errors", "errors", "Queries that returned an error; not counted"),
    ResultColumn("remarks", "remarks", "Why there is no result, or what limits it", is_text=True),
)  # fmt: skip


class ResultsModel(FlatModel):
    """A line for each step from the beginning, so that nothing jumps when results come."""

    columns: ClassVar[tuple[ResultColumn, ...]] = COLUMNS

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._steps: list[StepEntry] = []
        self._base: Mapping[tuple[str, str], StepEntry] = {}
        self._base_name = self._base_short = ""
        self._active: tuple[int, str] = (-1, "")
        theme.changed.connect(self._tell_all)

    def set_overview(self, overview: SessionResults | None) -> None:
        """Set the steps and the base's; reports only changed lines."""
        steps = overview.steps if overview else []
        base_steps = overview.base_steps if overview else []
        base = {step_key(each["name"], each["coordinates"]): each for each in base_steps}
        name = overview.base["name"] if overview and overview.base else ""
        before = self._steps
        is_other_base = (base, name) != (self._base, self._base_name)
        is_other = [step["name"] for step in steps] != [step["name"] for step in before]
        if is_other:
            self.beginResetModel()
        self._steps, self._base, self._base_name = steps, base, name
        self._base_short = _short_base_name(overview)
        if is_other:
            self.endResetModel()
        elif is_other_base:
            self._tell_all()
        else:
            self._tell_rows([row for row, step in enumerate(steps) if step != before[row]])

    def set_active(self, position: int, text: str) -> None:
        """Set the running step and its progress."""
        before, self._active = self._active, (position, text)
        if before != self._active:
            self._tell_rows({before[0], position})

    def size(self) -> tuple[int, int]:
        return len(self._steps), len(COLUMNS)

    def head(self, column: int, role: int) -> object:
        shown = COLUMNS[column]
        if role == ROLE.DisplayRole:
            return self._title(shown)
        if role == ROLE.ToolTipRole:
            return self._tip(shown)
        return shown.side if role == ROLE.TextAlignmentRole else None

    def cell_data(self, row: int, column: int, role: int) -> object:
        step, shown = self._steps[row], COLUMNS[column]
        match role:
            case ROLE.DisplayRole:
                return self._text(row, step, shown)
            case ROLE.TextAlignmentRole:
                return shown.side
            case ROLE.ForegroundRole:
                return self._colour(row, step)
            case ROLE.ToolTipRole:
                return self._about(step, shown) or None
        return None

    # ---- words and figures

    def _title(self, column: ResultColumn) -> str:
        if column.key == "relative" and self._base_name:
            return f"/ {self._base_short}"
        if column.key in ("p95", "p99") and (per := self._latency_per()):
            return f"{column.title}/{_SHORT.get(per, per)}"
        return column.title

    def _tip(self, column: ResultColumn) -> str:
        if column.key == "relative":
            if not self._base_name:
                return "This repeat has no other session to compare with so far"
            return f"Relative to {self._base_name}: n = 1, so the noise is unknown"
        if column.key in ("p95", "p99"):
            return f"Latency: {column.tip}; too few events carry none. {self._latency_tip()}"
        return column.tip

    def _latency_per(self) -> str:
        """What one latency is of, if it is the same in all steps."""
        found = {step["latency_per"] for step in self._steps if step["kind"] == "drive"}
        return found.pop() if len(found) == 1 else ""

    def _latency_tip(self) -> str:
        per = self._latency_per()
        return f"Of one {per}" if per else "Of one transaction where it is marked tx, else of one query"

    def _text(self, row: int, step: StepEntry, column: ResultColumn) -> str:
        if column.key == "step":
            return named(step["name"], step["coordinates"])
        if column.key == "threads":
            return str(step["coordinates"].get("threads", ""))
        if column.key == "value":
            return self._value_text(row, step)
        if column.key == "remarks":
            return remarks_of(step)
        if step["state"] != "completed":
            return ""
        return self._figure(step, column)

    def _value_text(self, row: int, step: StepEntry) -> str:
        if row == self._active[0] and step["state"] in ("waiting", "active"):
            return self._active[1]
        if step["state"] != "completed":
            return step["state"]
        if step["value"] is None:
            return "no result"
        is_plain = step["unit"] == QUERIES
        text = figure_text(step["value"]) if is_plain else with_unit(step["value"], step["unit"])
        return "  ".join([*[HAS_MARKS] * bool(step["marks"]), *["cut"] * bool(step["cut"]), text])

    def _figure(self, step: StepEntry, column: ResultColumn) -> str:
        match column.key:
            case "relative":
                ratio = self._relative(step)
                base = self._base.get(step_key(step["name"], step["coordinates"]))
                sign = f"{HAS_MARKS}  " if base and base["marks"] else ""
                return "" if ratio is None else f"{sign}{ratio:.2f}"
            case "p95" | "p99":
                tx = " tx" if not self._latency_per() and step["latency_per"] == "transaction" else ""
                value = step["latency_ms"][column.key]
                return "" if value is None else f"{figure_text(value)}{tx}"
            case "cpu":
                return _optional(step["per_query"]["cpu_us"])
            case "written":
                return _optional(step["per_query"]["server_written_kb"])
            case "size":
                return "" if step["data_bytes"] is None else bytes_text(step["data_bytes"])
            case _:
                return "" if step["errors"] is None else f"{step['errors']:,.0f}"

    def _about(self, step: StepEntry, column: ResultColumn) -> str:
        """Remarks on the step; with a ratio also those on the base's step."""
        base = self._base.get(step_key(step["name"], step["coordinates"]))
        about = remarks_text(base) if base and column.key == "relative" else ""
        of_base = "\n".join(f"{self._base_name}: {line}" for line in about.splitlines())
        return "\n".join(filter(None, (remarks_text(step), of_base)))

    def _relative(self, step: StepEntry) -> float | None:
        base = self._base.get(step_key(step["name"], step["coordinates"]))
        if base is None or base["unit"] != step["unit"] or not base["value"] or step["value"] is None:
            return None
        return None if step["warm"] else step["value"] / base["value"]

    def _colour(self, row: int, step: StepEntry) -> object:
        if row == self._active[0] and step["state"] in ("waiting", "active"):
            return self._theme.colour("accent")
        roles = {"completed": "text", "failed": "bad"}
        return self._theme.colour(roles.get(step["state"], "muted"))

    def _tell_rows(self, rows: Iterable[int]) -> None:
        for row in rows:
            if 0 <= row < len(self._steps):
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))

    def _tell_all(self) -> None:
        self._tell_rows(range(len(self._steps)))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)


def _short_base_name(overview: SessionResults | None) -> str:
    """The base's name without what all sessions of the plan share."""
    if overview is None or overview.base is None:
        return ""
    name, names = overview.base["name"], [each["name"] for each in overview.siblings]
    return short_names(names).names[names.index(name)] if overview.base in overview.siblings else name


def step_moment_text(progress: StepState, planned: Step) -> str:
    """The progress of a step in a few letters."""
    if progress.state != "active":
        return progress.state
    if planned.seconds and progress.s is not None:
        return "warming up" if progress.s < 0 else f"{progress.s + 1} of {planned.seconds} s"
    shown = progress.progress
    if shown is not None and shown.total and planned.kind in (*PREPARING, "scan"):
        return f"{shown.done / shown.total:.0%}"
    if shown is not None and planned.kind == "settle":
        return f"{shown.done:,.0f} s"
    return "active"


def _optional(value: float | None) -> str:
    return "" if value is None else figure_text(value)
