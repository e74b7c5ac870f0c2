"""The charts of one session: QPS, latency, CPU, disk and one of the person's choice, on one time axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.units import capitalised, count_text, unit_text
from app.history.lists.sessions import SessionEntry
from app.history.steps.figures import StepCutEntry, StepEntry
from app.history.steps.stretches import WHY_NONE
from app.history.steps.written_rows import NamedStall
from app.protocol.plan import PREPARING
from app.protocol.series import COMMITTED
from ui.core.plain import as_tip
from ui.core.theme import Theme
from ui.widgets.charts.heat_chart import HeatChart
from ui.widgets.charts.hidden import HiddenChartLines
from ui.widgets.charts.latency_chart import LatencyChart
from ui.widgets.charts.lines import Span
from ui.widgets.charts.time_axis import TimeAxis
from ui.widgets.charts.time_chart import TimeChart
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import boxed, in_column, in_row
from ui.widgets.table import tabular

from .curves import QPS, SessionCurves, StepOnAxis
from .heat import HEAT
from .lines import DISK, ROWS, ShownCurves
from .round import FALSE_SHARE, OtherContenderCurves, Ratio
from .thread_states import CLIENT_STATES, seen_states, thread_state_areas
from .written import TIP as STALL_TIP
from .written import WRITTEN, stall_marks, stall_spans

_MARGIN_S = 1.0  # shown before and after a step that is looked at
_HIGH, _LOW = 5, 3  # parts of the height
_HEAD_ROWS = 2  # of a chart's legend: with roles and kinds of events it has tens of entries
_LEAST = 110  # pixels of a lower chart, in the smallest usual window too
Chart = TypeVar("Chart", bound=TimeChart)
_QPS = ("QPS", "queries/s")  # title and unit
_CPU = ("CPU", "Server, sysbench and other programs: 100 is one core; machine: 100 is all of its cores")
_CPU_OF_DRIVER = (  # title and tip
    "CPU of the machine that drives",
    "sysbench and other programs: 100 is one core; machine: 100 is all of its cores. What the server takes"
    " is not known",
)
_OF_A_CORE = "% of a core"
_OPEN_S = 1e7  # the end of a step that has not ended: beyond any axis


class SessionCharts(QWidget):
    """Draws curves; `refresh` paints what was added to them."""

    looked_at = Signal(object)  # t under the cursor, None: nowhere
    saved = Signal(object, str)  # Path of a picture, one line about it
    failed = Signal(object)  # Exception

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: ShownCurves | None = None
        self._cuts: dict[int, StepCutEntry] = {}  # by position of the step
        self._rates = (QPS, *_QPS)  # the series, the title and the unit of the first chart
        self._stalls: list[NamedStall] = []  # of the rows that are written
        self._states: tuple[str, ...] = ()  # of client threads, as far as they were seen
        self.axis = TimeAxis(self)
        self._hidden = HiddenChartLines(self)  # a contender is hidden in all charts
        self.qps = self._chart(*_QPS, TimeChart)
        self.latency = self._chart("Latency p95", "ms", LatencyChart)
        self.cpu = self._chart(_CPU[0], _OF_A_CORE, TimeChart)
        self.disk = self._chart("Disk", "KiB/s", TimeChart)
        self.choice = self._chart("Your choice", "", TimeChart)
        self.heat = self._chart(HEAT["label"], "ms", HeatChart)
        self.heat.nothing = f"No latencies by second: {WHY_NONE}."
        self.heat.hide()
        self.ratio = LiveRatioLabel(self)
        self._arrange()
        self.axis.cursor_moved.connect(self._on_cursor_moved)
        self.axis.range_changed.connect(self._on_range_changed)
        theme.changed.connect(self._set_lines)

    def _chart(self, title: str, unit: str, kind: type[Chart]) -> Chart:
        chart = kind(self._theme, title, unit, self)
        chart.head.most_rows = _HEAD_ROWS
        self.axis.add(chart)
        chart.share_hidden(self._hidden)
        chart.menu.caption = self.caption
        chart.menu.saved.connect(self.saved)
        chart.menu.failed.connect(self.failed)
        return chart

    def _arrange(self) -> None:
        # layouts alone would keep their places while their charts are hidden
        upper = boxed(in_row(self.latency, self.cpu))
        lower = boxed(in_row(self.disk, self.choice, self.heat))
        self._column = in_column(self.ratio, (self.qps, _HIGH), (upper, _LOW), (lower, _LOW))
        self.setLayout(self._column)
        for chart in (self.latency, self.cpu):
            chart.set_times_shown(False)
        for chart in (*self.charts, self.heat):
            chart.setMinimumHeight(_LEAST)

    @property
    def charts(self) -> Sequence[TimeChart]:
        disk = () if self._only_drives else (self.disk,)
        return (self.qps, self.latency, self.cpu, *disk, self.heat if self._is_heat else self.choice)

    @property
    def _only_drives(self) -> bool:
        """Whether the disk of this machine is not the server's."""
        return self._shown is not None and self._shown.only_drives

    @property
    def _is_heat(self) -> bool:
        """Whether the chart of the person's choice is the heat map."""
        return self._choice == HEAT["name"]

    @property
    def _choice(self) -> str:
        """The series of the person's choice."""
        return self._shown.choice["name"] if self._shown and self._shown.choice else ""

    def caption(self) -> str:
        """Of a picture."""
        return self._shown.caption if self._shown else ""

    # ---- what is drawn

    @property
    def _curves(self) -> SessionCurves | None:
        return self._shown.curves if self._shown else None

    def show_curves(self, shown: ShownCurves) -> None:
        """Show other curves, or the same read again; the same session keeps the axis."""
        before, self._shown = self._shown, shown
        choice = shown.choice
        title = (choice["label"] or choice["name"], choice["unit"]) if choice else ("Your choice", "")
        self.choice.set_title(capitalised(title[0]), unit_text(title[1]))
        self.choice.setToolTip(as_tip(STALL_TIP) if self._choice == WRITTEN["name"] else "")
        self._column.setStretch(self._column.count() - 1, _HIGH if self._choice == WRITTEN["name"] else _LOW)
        self.choice.setVisible(not self._is_heat)
        self.heat.setVisible(self._is_heat)
        self._name_machine()
        self._set_lines()
        for chart in self.charts:
            chart.set_tracks(shown.tracks())
        self.mark()
        self.advance()
        if before is None or before.curves.session != shown.curves.session:
            self.axis.set_cursor(None)
            self.axis.show_all()
        else:
            self.axis.refresh()

    def _name_machine(self) -> None:
        """Whose CPU it is; there is no disk where the machine only drives."""
        title, tip = _CPU_OF_DRIVER if self._only_drives else _CPU
        self.cpu.set_title(title, _OF_A_CORE)
        self.cpu.setToolTip(as_tip(tip))
        self.disk.setVisible(not self._only_drives)

    def csv(self, units: Mapping[str, str]) -> str:
        """The numbers behind the charts as CSV, with units by series."""
        return self._shown.numbers(units).to_csv() if self._shown else ""

    def advance(self) -> None:
        """Advance the earlier session, and other contenders in slices, to the session's time."""
        if self._shown is not None:
            self._shown.advance()
            if self._shown.round_curves is not None:
                self._mark_warm_up()
        self._show_states()
        self._show_ratio()

    def _mark_warm_up(self) -> None:
        """Shade a warm-up in slices as far as it is: it lasts as long as the turns of the others take."""
        current = self._curves.current if self._curves else None
        if current is not None and current.measured_t is None and current.ended_t is None:
            self.mark()

    def mark(self) -> None:
        """Draw steps, warm-up, gaps and notes again."""
        if self._curves is None:
            return
        self.latency.set_aside(_prepared(self._curves))
        spans = [*_spans(self._curves), *_left_out(self._curves, self._cuts)]
        for chart in self.charts:
            is_named = chart is self.qps
            chart.set_spans([span if is_named else Span(span.first, span.last, span.kind) for span in spans])
            chart.set_marks([(t, text if is_named else "") for t, text in self._curves.marks])
        if self._choice == WRITTEN["name"]:
            self.choice.set_spans([*stall_spans(self._stalls), *self.choice.ground.spans])
            self.choice.set_marks(stall_marks(self._stalls))
        self._name_latency(self.axis.cursor)
        self._show_rates()

    def set_stalls(self, stalls: list[NamedStall]) -> None:
        """Name the stalls of the rows that are written."""
        if stalls != self._stalls:
            self._stalls = stalls
            self.mark()

    def set_cuts(self, steps: Sequence[StepEntry]) -> None:
        """Shade seconds that do not count, like the warm-up."""
        cuts = {at: step["cut"] for at, step in enumerate(steps) if step["cut"]}
        if cuts != self._cuts:
            self._cuts = cuts
            self.mark()

    def look_at(self, bounds: StepOnAxis) -> None:
        """Show one step and stay there, with the numbers of its measured part."""
        first = bounds.began_t
        last = max(bounds.ended_t or (self._curves.t if self._curves else first), first + _MARGIN_S)
        self.axis.look_at(first - _MARGIN_S, last + _MARGIN_S, (bounds.measured_t or first, last))

    def _set_lines(self) -> None:
        shown, theme = self._shown, self._theme
        if shown is None:
            return
        self.qps.set_lines(shown.rate_lines(theme, self._rates[0]))
        self.latency.set_lines(shown.latency_lines(theme))
        self.latency.set_heats(shown.heats())
        self.heat.show_heat(shown.curves.heat, replace(shown.own(theme), key=HEAT["name"]))
        self.cpu.set_lines(shown.cpu_lines(theme))
        self.disk.set_lines([each.line(theme) for each in DISK])
        self.choice.set_lines(shown.choice_lines(theme, self._states))

    # ---- what is shown of a scan, what one latency is of, and the ratio depend on the step

    def _on_range_changed(self) -> None:
        self._show_rates()
        self._show_ratio()

    def _show_rates(self) -> None:
        """Show the rate: rows of a scan, what committed where that is the figure, else queries."""
        curves, rates = self._curves, (QPS, *_QPS)
        if curves is not None and any(len(curves.tracks[each]) for each in (ROWS, COMMITTED.name)):
            seen = curves.seen(self.axis.range, self.axis.is_growing)
            step = curves.plan.steps[seen.position] if seen else None
            if step and step.kind == "scan":
                rates = (ROWS, "Rows read by the server", "rows/s")
            elif step and step.figure_kind:
                rates = (COMMITTED.name, COMMITTED.label, step.unit)
        if rates != self._rates:
            self._rates = rates
            self.qps.set_title(*rates[1:])
            self._set_lines()

    def _show_states(self) -> None:
        """Name the states of client threads as they are seen."""
        if self._choice != CLIENT_STATES or self._curves is None:
            return
        found = seen_states(self._curves.tracks)
        if found != self._states:
            self._states = found
            self.choice.set_lines(thread_state_areas(self._theme, found))

    def _show_ratio(self) -> None:
        """Show the ratio of the step under the cursor, else of the visible one."""
        curves, cursor = self._curves, self.axis.cursor
        if curves is None:
            return
        seen = curves.seen(self.axis.range, self.axis.is_growing) if cursor is None else None
        step = seen or curves.at(cursor)
        self.ratio.show_step(self._shown.round_curves if self._shown else None, step)

    def _on_cursor_moved(self, t: float | None) -> None:
        self._name_latency(t)
        self._show_ratio()
        self.looked_at.emit(t)

    def _name_latency(self, t: float | None) -> None:
        bounds = self._curves.at(t) if self._curves else None
        unit = f"ms per {bounds.latency_per}" if bounds is not None else "ms"
        self.latency.set_title("Latency p95", unit)
        self.heat.set_title(HEAT["label"], unit)


def _spans(curves: SessionCurves) -> list[Span]:
    spans: list[Span] = []
    for bounds in curves.bounds.values():
        last = bounds.began_t + _OPEN_S if bounds.ended_t is None else bounds.ended_t
        spans.append(Span(bounds.began_t, last, "step", bounds.label))
        step = curves.plan.steps[bounds.position]
        if step.warmup:
            usual = max(bounds.began_t + step.warmup, curves.t if step.sliced else 0.0)
            measured = usual if bounds.measured_t is None else bounds.measured_t
            spans.append(Span(bounds.began_t, min(measured, last), "warmup"))
    return spans + [Span(first, last, "gap") for first, last in curves.gaps]


def _prepared(curves: SessionCurves) -> list[tuple[float, float]]:
    """When tables were loaded and indexes built."""
    its = [each for each in curves.bounds.values() if each.kind in PREPARING]
    return [(each.began_t, each.began_t + _OPEN_S if each.ended_t is None else each.ended_t) for each in its]


def _left_out(curves: SessionCurves, cuts: Mapping[int, StepCutEntry]) -> Iterator[Span]:
    """Spans before and after the seconds that count."""
    for position, cut in cuts.items():
        bounds = curves.bounds.get(position)
        if bounds is not None:
            for first, last in ((0, cut["first_s"]), (cut["last_s"] + 1, cut["seconds"])):
                yield Span(curves.moment(bounds, first), curves.moment(bounds, last), "warmup")


# the ratio so far of contenders that take turns in slices, in one line above their curves


TIP = (
    "The turns of the same second give one ratio of QPS. The line shows the geometric mean of the ratios and"
    f" its {1 - FALSE_SHARE:.0%} interval (Student's t), without turns that ran no queries. Other repeats may"
    " differ by more than this interval: only Compare judges repeats."
)
_WHOLE = "the servers ran one after the other"


class LiveRatioLabel(ElidedLabel):
    """A line that is hidden if no contenders alternate; in a round it stays, so that no chart moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(tabular(self.font()))
        self.setAccessibleName("Ratio so far")
        self.hide()

    def show_step(self, round_curves: OtherContenderCurves | None, step: StepOnAxis | None) -> None:
        """Show the ratio of a step's slices so far."""
        text = ratio_text(round_curves, step) if round_curves and step else ""
        if text != self.text():
            self.setText(text)
            self.setAccessibleDescription(text)
        self.setVisible(round_curves is not None)

    def _tell(self) -> None:
        self.setToolTip(as_tip(f"{self.text()}\n\n{TIP}" if self.text() else ""))


def ratio_text(round_curves: OtherContenderCurves, step: StepOnAxis) -> str:
    """`point-query so far, repeat 2 alone, not judged: b 0.713 (0.632 to 0.811, 24 turns) of a's QPS`.

    The line above this one has all rounds: this one always says that it has not.
    """
    if not round_curves.plan.steps[step.position].sliced:
        return f"{step.label}: {_WHOLE}"
    ratios = round_curves.ratios(step.position)
    if not ratios:
        missing = "no ratio yet" if step.ended_t is None else "no ratio, as no turns were measured"
        return f"{step.label}, {_round_text(round_curves)}: {missing}"
    base = round_curves.entries[0]["contender"]["name"]
    if step.ended_t is not None and all(ratio.slices == 1 for _, ratio in ratios):
        parts = ", ".join(f"{entry['contender']['name']} {ratio.value:.3f}" for entry, ratio in ratios)
        where = f"{_round_text(round_curves)}, one turn of each"
        return f"{step.label}, {where}, not judged: {parts} of {base}'s QPS"
    so_far = " so far" if step.ended_t is None else ""
    counts = list(dict.fromkeys(_count_text(ratio) for _, ratio in ratios))
    is_once = len(counts) == 1 < len(ratios)  # three or four contenders seldom have room for it in each
    parts = ", ".join(_one(*each, has_count=not is_once) for each in ratios)
    once = f" in {counts[0]}" if is_once else ""
    where = f"{so_far}, {_round_text(round_curves)}, not judged"
    return f"{step.label}{where}: {parts} of {base}'s QPS{once}"


def _round_text(round_curves: OtherContenderCurves) -> str:
    if round_curves.plan.repeats == 1:
        return "one repeat"
    return f"repeat {round_curves.plan.turn_of(round_curves.shown.session).repeat} alone"


def _one(entry: SessionEntry, ratio: Ratio, has_count: bool) -> str:
    missing = "no interval yet" if ratio.slices == 1 else "interval too wide"
    interval = "{:.3f} to {:.3f}".format(*ratio.interval) if ratio.interval else missing
    count = f", {_count_text(ratio)}" if has_count else ""
    return f"{entry['contender']['name']} {ratio.value:.3f} ({interval}{count})"


def _count_text(ratio: Ratio) -> str:
    left_out = f", {ratio.left_out} left out" if ratio.left_out else ""
    return f"{count_text(ratio.slices, 'turn')}{left_out}"
