"""The rows that a session writes, with the longest response of each second: a choice for the last chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import cycle

from PySide6.QtCore import QObject, QTimer, Signal

from app.history.steps.series import SeriesEntry
from app.history.steps.timeline import StepOnTimeline
from app.history.steps.written_rows import (
    STALL_RULE,
    NamedStall,
    longest_of_seconds,
    longest_responses,
    longest_series,
    rows_series,
    writers,
    written_rows,
)
from app.history.store.decoding import SampleLine
from app.history.store.distributions import decode_distributions
from app.history.store.history import History
from app.protocol.plan import Plan, Step
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner
from ui.core.theme import Theme
from ui.widgets.charts.lines import ChartLine, Span
from ui.widgets.charts.pyramid import GrowingTimeSeries, Values

WRITTEN: SeriesEntry = {
    "name": "rows written",
    "unit": "rows/s",
    "kind": "",
    "direction": "",
    "label": "Rows and longest response",
}
_ROWS, _LONGEST = "rows written", "longest response"  # of the keys of lines
_COLOURS = ("warn", "bad")  # of longest responses
MOST_NAMED = 100  # stalls
_STALLS_MS = 5000  # between two readings of a running step
TIP = f"{STALL_RULE} The {MOST_NAMED} longest have their names."
NAN = float("nan")


def with_written_rows(plan: Plan, series: Sequence[SeriesEntry]) -> list[SeriesEntry]:
    """The choices: first the rows that are written, if a step of the plan has them as its figure."""
    return [*([WRITTEN] if any(_writers_of(plan)) else []), *series]


def _writers_of(plan: Plan) -> list[list[Step]]:
    return [writers(plan, at) for at in range(len(plan.steps))]


def written_series(plan: Plan) -> list[str]:
    """The series that the choice is drawn from."""
    every = [step for its in _writers_of(plan) for step in its]
    return [*filter(None, dict.fromkeys([*map(rows_series, every), *map(longest_series, every)]))]


def _keys(plan: Plan) -> list[tuple[str, str]]:
    """Of the lines: a pair for each writer of the step that has most of them."""
    most = max(map(len, _writers_of(plan)), default=0)
    return [(f"{_ROWS} {at}", f"{_LONGEST} {at}") for at in range(1, most + 1)]


class WrittenTracks:
    """The values of the lines, which are of another series in each step."""

    def __init__(self, plan: Plan, gap_s: float) -> None:
        self._plan, self._keys = plan, _keys(plan)
        self.tracks = {key: GrowingTimeSeries(gap_s) for pair in self._keys for key in pair}

    def take_stretch(self, stretch: StepOnTimeline) -> None:
        """Add what was read of a step."""
        for pair, step in zip(self._keys, writers(self._plan, stretch.position), strict=False):
            if (rows := stretch.values.get(rows_series(step))) is not None:
                self._extend(pair, stretch.t, (rows, longest_responses(step, stretch)))

    def take_samples(self, samples: Sequence[SampleLine], places: dict[str, int]) -> None:
        """Add samples of one step as they come; `places` says where a series is in them."""
        times = [sample.t for sample in samples]
        for pair, step in zip(self._keys, writers(self._plan, samples[0].step), strict=False):
            if rows_series(step) in places:
                rows = [sample.values[places[rows_series(step)]] for sample in samples]
                self._extend(pair, times, (rows, _longest(step, samples, places)))

    def _extend(
        self,
        pair: tuple[str, str],
        times: Sequence[float] | Values,
        values: Sequence[Sequence[float | None] | Values],
    ) -> None:
        for key, its in zip(pair, values, strict=True):
            self.tracks[key].extend(times, its)


def _longest(
    step: Step, samples: Sequence[SampleLine], places: dict[str, int]
) -> Sequence[float | None] | Values:
    name = longest_series(step)
    if not name:
        return longest_of_seconds(decode_distributions([sample.latency for sample in samples]))
    return [sample.values[places[name]] if name in places else NAN for sample in samples]


def written_lines(theme: Theme, own: ChartLine, plan: Plan) -> Iterator[ChartLine]:
    """The lines of rows, then those of responses, which have an axis of their own."""
    keys = _keys(plan)
    roles = [[its[at].role for its in _writers_of(plan) if len(its) > at] for at in range(len(keys))]
    names = [", ".join(filter(None, dict.fromkeys(each))) if len(keys) > 1 else "rows" for each in roles]
    rows = [ChartLine(pair[0], name, own.colour, dashed=at > 0)
            for at, (pair, name) in enumerate(zip(keys, names, strict=True))]  # fmt: skip
    yield from rows
    for pair, name, colour in zip(keys, names, cycle(_COLOURS), strict=False):
        of = f" of {name}" if len(keys) > 1 else ""
        label = f"longest{of}, ms (right)"
        yield ChartLine(pair[1], label, theme.colour(colour), is_right=True)


def stall_spans(stalls: Sequence[NamedStall]) -> list[Span]:
    return [Span(each.began_t, each.ended_t, "stall") for each in stalls]


def stall_marks(stalls: Sequence[NamedStall]) -> list[tuple[float, str]]:
    """Their names; of very many those of the longest, as each is painted in every frame."""
    named = nlargest(MOST_NAMED, stalls, key=lambda each: each.seconds)
    return [(each.began_t, each.label) for each in named]


class StallReader(QObject):
    """Reads the stalls of a session; while it runs, every few seconds."""

    found = Signal(object)  # list[NamedStall]
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._latest = NewestAnswerRunner(context.tasks, self)
        self._session = ""
        self._later = QTimer(self, singleShot=True, interval=_STALLS_MS)
        self._later.timeout.connect(self.read)

    def show(self, session: str) -> None:
        """Read those of this session; '' reads none."""
        if session != self._session:
            self.found.emit([])
        self._session = session
        self.read()

    def request(self) -> None:
        """More seconds have come."""
        if self._session and not self._later.isActive():
            self._later.start()

    def read(self) -> None:
        session = self._session
        if session:
            self._latest.read(lambda history: _stalls(history, session), self._on_read, self.failed.emit)

    def _on_read(self, found: tuple[str, list[NamedStall]]) -> None:
        session, stalls = found
        if session == self._session:  # else another is shown by now
            self.found.emit(stalls)


def _stalls(history: History, session: str) -> tuple[str, list[NamedStall]]:
    return session, [stall for each in written_rows(history, session) for stall in each.stalls]
