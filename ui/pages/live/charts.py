"""The charts of one session: QPS, latency, CPU, disk and one of the person's choice, on one time axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.names import short_names
from app.core.units import unit_text
from app.history.figures import CutEntry, StepEntry
from app.history.series import SeriesEntry
from app.history.sessions import SessionEntry, began_text
from app.history.stretches import WHY_NONE
from ui.core.theme import SPACE, Theme
from ui.widgets.charts.heat_chart import HeatChart
from ui.widgets.charts.hidden import Hidden
from ui.widgets.charts.latency_chart import LatencyChart
from ui.widgets.charts.lines import Line, Span
from ui.widgets.charts.pyramid import Track
from ui.widgets.charts.time_axis import TimeAxis
from ui.widgets.charts.time_chart import TimeChart

from .curves import QPS, Bounds, GhostCurves, SessionCurves
from .heat import HEAT
from .numbers import session_numbers
from .ratio_line import RatioLine
from .round import RoundCurves
from .thread_states import CLIENT_STATES, seen_states, state_lines

LATENCY = "load.latency_p95_ms"
ROWS = "server.handler_reads"  # what a scan is doing while it has no query to show for it
GHOST = "ghost "  # in front of the name of a series
OTHER = "other "  # in front of a session of the round: its QPS
_MARGIN_S = 1.0  # shown before and after a step that is looked at
_LEAST = 110  # pixels of a lower chart, in the smallest usual window too
Chart = TypeVar("Chart", bound=TimeChart)
_OPEN_S = 1e7  # the end of a step that has not ended: beyond any axis


@dataclass(frozen=True)
class Drawn:
    """A curve that is always drawn."""

    series: str
    label: str
    role: str  # of its colour


CPU = (
    Drawn("host.cpu_pct", "machine (% of all)", "muted"),
    Drawn("server.cpu_pct", "server", "accent"),
    Drawn("sysbench.cpu_pct", "sysbench", "warn"),
    Drawn("others.cpu_pct", "others", "bad"),
)
DISK = (Drawn("disk.read_kb", "read", "accent"), Drawn("disk.write_kb", "written", "warn"))


class SessionCharts(QWidget):
    """Draws curves; `refresh` paints what was added to them."""

    looked_at = Signal(object)  # t under the cursor, None: nowhere
    saved = Signal(object, str)  # Path of a picture, one line about it
    failed = Signal(object)  # Exception

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._curves: SessionCurves | None = None
        self._ghost: GhostCurves | None = None
        self._round: RoundCurves | None = None
        self._entries: tuple[SessionEntry | None, SessionEntry | None] = (None, None)
        self._cuts: dict[int, CutEntry] = {}  # by position of the step
        self._rates = QPS  # or ROWS
        self._states: tuple[str, ...] = ()  # of client threads, as far as they were seen
        self._choice: SeriesEntry | None = None
        self.axis = TimeAxis(self)
        self._hidden = Hidden(self)  # a contender is hidden in all charts
        self.qps = self._chart("QPS", "queries/s", TimeChart)
        self.latency = self._chart("Latency p95", "ms", LatencyChart)
        self.cpu = self._chart("CPU", "% of a core", TimeChart)
        self.cpu.setToolTip(
            "Server, sysbench and other programs: 100 is one core; machine: 100 is all of its cores"
        )
        self.disk = self._chart("Disk", "KiB/s", TimeChart)
        self.choice = self._chart("Your choice", "", TimeChart)
        self.heat = self._chart(HEAT["label"], "ms", HeatChart)
        self.heat.nothing = f"No latencies by second: {WHY_NONE}."
        self.heat.hide()
        self.ratio = RatioLine(self)
        self._arrange()
        self.axis.cursor_moved.connect(self._on_cursor_moved)
        self.axis.range_changed.connect(self._on_range_changed)
        theme.changed.connect(self._set_lines)

    def _chart(self, title: str, unit: str, kind: type[Chart]) -> Chart:
        chart = kind(self._theme, title, unit, self)
        self.axis.add(chart)
        chart.share_hidden(self._hidden)
        chart.menu.caption = self.caption
        chart.menu.saved.connect(self.saved)
        chart.menu.failed.connect(self.failed)
        return chart

    def _arrange(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.ratio)
        layout.addWidget(self.qps, 5)
        for charts in ((self.latency, self.cpu), (self.disk, self.choice, self.heat)):
            row = QWidget()  # a layout alone would keep its place while its charts are hidden
            line = QHBoxLayout(row)
            line.setContentsMargins(0, 0, 0, 0)
            line.setSpacing(SPACE)
            layout.addWidget(row, 3)
            for chart in charts:
                line.addWidget(chart)
        for chart in (self.latency, self.cpu):
            chart.set_times_shown(False)
        for chart in (*self.charts, self.heat):
            chart.setMinimumHeight(_LEAST)

    @property
    def charts(self) -> Sequence[TimeChart]:
        return (self.qps, self.latency, self.cpu, self.disk, self.heat if self._is_heat else self.choice)

    @property
    def _is_heat(self) -> bool:
        """Whether the chart of the person's choice is the heat map."""
        return self._choice is not None and self._choice["name"] == HEAT["name"]

    def caption(self) -> str:
        """Of a picture: `duel-innodb-1 on shelf, 2026-11-24 14:35`."""
        session, _ = self._entries
        if session is None:
            return ""
        return ", ".join(filter(None, (f"{session['name']} on {session['target']}", began_text(session))))

    # ---- what is drawn

    def show_curves(
        self,
        curves: SessionCurves,
        ghost: GhostCurves | None,
        entries: tuple[SessionEntry, SessionEntry | None],
        choice: SeriesEntry | None,
        its_round: RoundCurves | None = None,
    ) -> None:
        """Show other curves, or the same read again; the same session keeps the axis."""
        is_other = self._curves is None or self._curves.session != curves.session
        self._curves, self._ghost, self._entries, self._choice = curves, ghost, entries, choice
        self._round = its_round
        title = (choice["label"] or choice["name"], choice["unit"]) if choice else ("Your choice", "")
        self.choice.set_title(_sentence(title[0]), unit_text(title[1]))
        self.choice.setVisible(not self._is_heat)
        self.heat.setVisible(self._is_heat)
        self._set_lines()
        for chart in self.charts:
            chart.set_tracks(self._tracks())
        self.mark()
        self.advance()
        if is_other:
            self.axis.set_cursor(None)
            self.axis.show_all()
        else:
            self.axis.refresh()

    def csv(self, units: Mapping[str, str]) -> str:
        """The numbers behind the charts as CSV, with units by series."""
        if self._curves is None:
            return ""
        shown, earlier = self._entries
        drawn = [(shown["name"], self._curves.tracks)] if shown else []
        if self._round is not None:
            names = {each["id"]: each["name"] for each in self._round.entries}
            drawn += [(names[session], {QPS: track}) for session, track in self._round.tracks.items()]
        if earlier is not None and self._ghost is not None:
            drawn.append((earlier["name"], self._ghost.tracks))
        return session_numbers(self._curves, drawn, units).to_csv()

    def advance(self) -> None:
        """Advance the earlier session, and other contenders in slices, to the session's time."""
        if self._curves is not None and self._ghost is not None:
            self._ghost.advance(self._curves.bounds, self._curves.t)
        if self._round is not None:
            self._round.advance()
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
        spans = [*_spans(self._curves), *_left_out(self._curves, self._cuts)]
        for chart in self.charts:
            is_named = chart is self.qps
            chart.set_spans([span if is_named else Span(span.first, span.last, span.kind) for span in spans])
            chart.set_marks([(t, text if is_named else "") for t, text in self._curves.marks])
        self._name_latency(self.axis.cursor)
        self._show_rates()

    def set_cuts(self, steps: Sequence[StepEntry]) -> None:
        """Shade seconds that do not count, like the warm-up."""
        cuts = {at: step["cut"] for at, step in enumerate(steps) if step["cut"]}
        if cuts != self._cuts:
            self._cuts = cuts
            self.mark()

    def look_at(self, bounds: Bounds) -> None:
        """Show one step and stay there, with the numbers of its measured part."""
        first = bounds.began_t
        last = max(bounds.ended_t or (self._curves.t if self._curves else first), first + _MARGIN_S)
        self.axis.look_at(first - _MARGIN_S, last + _MARGIN_S, (bounds.measured_t or first, last))

    def _tracks(self) -> Mapping[str, Track]:
        tracks = dict(self._curves.tracks) if self._curves else dict[str, Track]()
        if self._ghost is not None:
            tracks |= {GHOST + name: track for name, track in self._ghost.tracks.items()}
        if self._round is not None:
            tracks |= {OTHER + session: track for session, track in self._round.tracks.items()}
        return tracks

    def _set_lines(self) -> None:
        session, _ = self._entries
        if session is None:
            return
        name = session["contender"]["name"]
        own = Line("", name, self._theme.contender(session["colour"]), contender=name)
        first, *ghost = self._beside(self._rates, self._by_session(own, session["name"]))
        self.qps.set_lines([*self._of_round(first), *ghost])
        self.latency.set_lines(self._beside(LATENCY, own))
        if self._curves is not None:
            ghost_heat = {GHOST + LATENCY: self._ghost.heat} if self._ghost else {}
            self.latency.set_heats({LATENCY: self._curves.heat, **ghost_heat})
            self.heat.show_heat(self._curves.heat, replace(own, key=HEAT["name"]))
        self.cpu.set_lines([self._line(each) for each in CPU])
        self.disk.set_lines([self._line(each) for each in DISK])
        self.choice.set_lines(self._of_choice(own))

    def _by_session(self, own: Line, name: str) -> Line:
        """The line with the name of the session, without that of its plan."""
        plan = self._curves.plan.name if self._curves else ""
        return replace(own, label=name.removeprefix(f"{plan}-"), full=name)

    def _of_choice(self, own: Line) -> list[Line]:
        if self._choice is None:
            return []
        if self._choice["name"] == CLIENT_STATES:
            return state_lines(self._theme, self._states)
        return self._beside(self._choice["name"], own)

    def _line(self, drawn: Drawn) -> Line:
        return Line(drawn.series, drawn.label, self._theme.colour(drawn.role))

    def _beside(self, series: str, own: Line) -> list[Line]:
        """The line of the session, and that of the earlier session."""
        line, (_, ghost) = replace(own, key=series), self._entries
        if ghost is None or self._ghost is None:
            return [line]
        name = f"{ghost['name']}, earlier" if series == self._rates else "earlier"
        colour, whose = self._theme.contender(ghost["colour"]), GHOST + ghost["name"]
        return [line, Line(GHOST + series, name, colour, faint=True, contender=whose)]

    def _of_round(self, shown: Line) -> list[Line]:
        """The lines of contenders that alternate; of two with one colour the second is dashed."""
        if self._round is None or self._rates != QPS:
            return [shown]
        lines, seen = list[Line](), set[int]()
        shorts = short_names([entry["name"] for entry in self._round.entries]).names
        for entry, short in zip(self._round.entries, shorts, strict=True):
            colour, whose = self._theme.contender(entry["colour"]), entry["contender"]["name"]
            line = Line(OTHER + entry["id"], short, colour, full=entry["name"], contender=whose)
            key = line.key if entry["id"] in self._round.tracks else shown.key
            lines.append(replace(line, key=key, dashed=entry["colour"] in seen))
            seen.add(entry["colour"])
        return lines

    # ---- what is shown of a scan, what one latency is of, and the ratio depend on the step

    def _on_range_changed(self) -> None:
        self._show_rates()
        self._show_ratio()

    def _show_rates(self) -> None:
        """Show the rate: rows for a scan, else queries."""
        curves, rates = self._curves, QPS
        if curves is not None and len(curves.tracks[ROWS]):
            seen = curves.seen(self.axis.range, self.axis.is_growing)
            rates = ROWS if seen and seen.kind == "scan" else QPS
        if rates != self._rates:
            self._rates = rates
            self.qps.set_title(
                *(("Rows read by the server", "rows/s") if rates == ROWS else ("QPS", "queries/s"))
            )
            self._set_lines()

    def _show_states(self) -> None:
        """Name the states of client threads as they are seen."""
        if self._choice is None or self._choice["name"] != CLIENT_STATES or self._curves is None:
            return
        found = seen_states(self._curves.tracks)
        if found != self._states:
            self._states = found
            self.choice.set_lines(state_lines(self._theme, found))

    def _show_ratio(self) -> None:
        """Show the ratio of the step under the cursor, else of the visible one."""
        curves, cursor = self._curves, self.axis.cursor
        if curves is None:
            return
        seen = curves.seen(self.axis.range, self.axis.is_growing) if cursor is None else None
        step = seen or curves.at(cursor)
        self.ratio.show_step(self._round, step)

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


def _left_out(curves: SessionCurves, cuts: Mapping[int, CutEntry]) -> Iterator[Span]:
    """Spans before and after the seconds that count."""
    for position, cut in cuts.items():
        bounds = curves.bounds.get(position)
        if bounds is not None:
            for first, last in ((0, cut["first_s"]), (cut["last_s"] + 1, cut["seconds"])):
                yield Span(curves.moment(bounds, first), curves.moment(bounds, last), "warmup")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
