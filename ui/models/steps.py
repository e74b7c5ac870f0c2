"""The steps of one session and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject

from app.core.units import figure_text, unit_text
from app.history.steps.figures import StepEntry
from app.history.steps.step_text import named, remarks_of, remarks_text
from ui.core.theme import Theme

from .heads import LEFT, RIGHT, ROLE, FlatModel, head_data

_TONES = {"failed": "bad", "stopped": "warn", "skipped": "muted", "waiting": "muted", "active": "accent"}


@dataclass(frozen=True)
class _Column:
    title: str
    text: Callable[[StepEntry], str]
    is_figure: bool = False
    about: str = ""
    is_first_shown: bool = True
    gives_way: int = 0  # the place in which it is left out of a narrow table; 0: it stays
    width: int = 100


def _name(step: StepEntry) -> str:
    name = named(step["name"], step["coordinates"])
    return f"{name} (warm-up)" if step["warm"] else name


def _latency(name: str) -> Callable[[StepEntry], str]:
    return lambda step: _given(step["latency_ms"].get(name))


def _per_query(name: str) -> Callable[[StepEntry], str]:
    return lambda step: _given(step["per_query"].get(name))


def _given(value: float | None) -> str:
    return "" if value is None else figure_text(value)


def _latency_per(step: StepEntry) -> str:
    return step["latency_per"] if step["latency_ms"].get("p50") is not None else ""


def _size(name: Literal["data_bytes", "size_bytes"]) -> Callable[[StepEntry], str]:
    def read(step: StepEntry) -> str:
        size = step[name]
        return "" if size is None else f"{size / 2**20:,.1f}"

    return read


def _errors(step: StepEntry) -> str:
    return "" if step["errors"] is None else f"{step['errors']:,.0f}"


def _seconds(step: StepEntry) -> str:
    text = f"{step['seconds']:,.1f}" if step["seconds"] else ""
    cut = step["cut"]
    return f"{cut['last_s'] + 1 - cut['first_s']} of {text}" if cut else text


def _figure(step: StepEntry) -> str:
    text = "" if step["value"] is None else figure_text(step["value"], step["unit"])
    return f"cut  {text}" if step["cut"] else text


def _settled(step: StepEntry) -> str:
    return "" if step["settled"] is None else f"{step['settled']['seconds']:,.1f}"


COLUMNS = (
    _Column("Step", _name, width=190),
    _Column("Group", lambda step: step["group"], width=90, gives_way=5),
    _Column("Threads", lambda step: str(step["coordinates"].get("threads", "")), True, width=66),
    _Column("State", lambda step: step["state"], width=84),
    _Column("Result", _figure, True, "Result in the unit of the next column, n = 1", width=100),
    _Column("Unit", lambda step: unit_text(step["unit"]), width=80),
    _Column("Remarks", remarks_of, False, "Why there is no result, or what limits it", width=130),
    _Column(
        "Seconds", _seconds, True, "Measured seconds; for a step with a cut, the seconds that count",
        width=76, gives_way=8,
    ),
    _Column("p50 ms", _latency("p50"), True, "50 % of latencies are at or below this", width=70, gives_way=9),
    _Column("p95 ms", _latency("p95"), True, "95 % of latencies are at or below this", width=70),
    _Column("p99 ms", _latency("p99"), True, "99 % of latencies are at or below this", width=70),
    _Column("Latency per", _latency_per, False, "The unit of work that a latency measures", width=92),
    _Column("CPU us/query", _per_query("cpu_us"), True, "CPU time of the server per query", width=104),
    _Column(
        "KiB read/query", _per_query("server_read_kb"), True,
        "KiB that the server read from storage per query", width=112, gives_way=6,
    ),
    _Column(
        "KiB written/query", _per_query("server_written_kb"), True,
        "KiB that the server wrote to storage per query", width=124, gives_way=11,
    ),
    _Column(
        "Device KiB read/query", _per_query("read_kb"), True,
        "KiB that all programs read from the disk per query", width=156, gives_way=1,
    ),
    _Column(
        "Device KiB written/query", _per_query("written_kb"), True,
        "KiB that all programs wrote to the disk per query", width=172, gives_way=2,
    ),
    _Column(
        "Tables MiB", _size("data_bytes"), True, "Size of tables and indexes after the step",
        width=86, gives_way=7,
    ),
    _Column(
        "Directory MiB", _size("size_bytes"), True,
        "Size of the data directory after the step, logs included", width=102, gives_way=4,
    ),
    _Column("Errors", _errors, True, width=60, gives_way=10),
    _Column(
        "Settled s", _settled, True, "Seconds that the writes up to this step took to settle",
        width=76, gives_way=3,
    ),
)  # fmt: skip
STATE, REMARKS = 3, 6


class StepModel(FlatModel):
    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._steps: Sequence[StepEntry] = ()

    def show(self, steps: Sequence[StepEntry]) -> None:
        self.beginResetModel()
        self._steps = steps
        self.endResetModel()

    def step(self, row: int) -> StepEntry | None:
        return self._steps[row] if 0 <= row < len(self._steps) else None

    def size(self) -> tuple[int, int]:
        return len(self._steps), len(COLUMNS)

    def head(self, column: int, role: int) -> object:
        return head_data(COLUMNS[column], role)

    def cell_data(self, row: int, column: int, role: int) -> object:
        step, shown = self._steps[row], COLUMNS[column]
        match role:
            case ROLE.DisplayRole:
                return shown.text(step)
            case ROLE.TextAlignmentRole:
                return RIGHT if shown.is_figure else LEFT
            case ROLE.ToolTipRole:
                return remarks_text(step) or None
            case ROLE.ForegroundRole if column == STATE and step["state"] in _TONES:
                return self._theme.colour(_TONES[step["state"]])
        return None
