"""What the charts of Live draw: a session, and beside it an earlier one or the others of its round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle

from app.comparison.charts.points import Cell, ChartNumbers, numbers
from app.core.names import short_names
from app.core.units import unit_text
from app.history.lists.sessions import SessionEntry, began_text
from app.history.steps.series import SeriesEntry
from app.protocol.plan import Step
from app.protocol.series import role_series_name
from ui.core.theme import Theme
from ui.widgets.charts.heat_track import HeatTrack
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.pyramid import GrowingTimeSeries

from .curves import QPS, GhostCurves, SessionCurves
from .round import OtherContenderCurves
from .thread_states import CLIENT_STATES, thread_state_areas
from .written import WRITTEN, written_lines

LATENCY = "load.latency_p95_ms"
ROWS = "server.handler_reads"  # what a scan is doing while it has no query to show for it
_OF_ROLES = ("warn", "muted", "bad", "accent", "good", "text")  # colours
GHOST = "ghost "  # in front of the name of a series
OTHER = "other "  # in front of a session of the round: its QPS


@dataclass(frozen=True)
class AlwaysDrawnCurve:
    """A curve that is always drawn."""

    series: str
    label: str
    role: str  # of its colour

    def line(self, theme: Theme) -> ChartLine:
        return ChartLine(self.series, self.label, theme.colour(self.role))


SERVER_CPU = "server.cpu_pct"
CPU = (
    AlwaysDrawnCurve("host.cpu_pct", "machine (% of all)", "muted"),
    AlwaysDrawnCurve(SERVER_CPU, "server", "accent"),
    AlwaysDrawnCurve("sysbench.cpu_pct", "sysbench", "warn"),
    AlwaysDrawnCurve("others.cpu_pct", "others", "bad"),
)
DISK = (
    AlwaysDrawnCurve("disk.read_kb", "read", "accent"),
    AlwaysDrawnCurve("disk.write_kb", "written", "warn"),
)


@dataclass(frozen=True)
class ShownCurves:
    """The curves of a session, and those beside them."""

    curves: SessionCurves
    session: SessionEntry
    choice: SeriesEntry | None = None  # of the person
    ghost: GhostCurves | None = None
    earlier: SessionEntry | None = None  # of the ghost
    round_curves: OtherContenderCurves | None = None
    only_drives: bool = False  # its machine: the server is on another one

    @property
    def caption(self) -> str:
        """`duel-innodb-1 on shelf, 2026-11-24 14:35`."""
        name = f"{self.session['name']} on {self.session['target']}"
        return ", ".join(filter(None, (name, began_text(self.session))))

    def advance(self) -> None:
        """Advance what is beside the session to its time."""
        if self.ghost is not None:
            self.ghost.advance(self.curves.bounds, self.curves.t)
        if self.round_curves is not None:
            self.round_curves.advance()

    def tracks(self) -> dict[str, GrowingTimeSeries]:
        """By key of their lines."""
        tracks = dict(self.curves.tracks)
        if self.ghost is not None:
            tracks |= {GHOST + name: track for name, track in self.ghost.tracks.items()}
        if self.round_curves is not None:
            tracks |= {OTHER + session: track for session, track in self.round_curves.tracks.items()}
        return tracks

    def heats(self) -> dict[str, HeatTrack]:
        """The latencies by second, by key of their lines."""
        earlier = {GHOST + LATENCY: self.ghost.heat} if self.ghost else {}
        return {LATENCY: self.curves.heat, **earlier}

    def numbers(self, units: Mapping[str, str]) -> ChartNumbers:
        """What is behind the charts."""
        drawn = [(self.session["name"], self.curves.tracks)]
        if self.round_curves is not None:
            names = {each["id"]: each["name"] for each in self.round_curves.entries}
            drawn += [(names[session], {QPS: track}) for session, track in self.round_curves.tracks.items()]
        if self.earlier is not None and self.ghost is not None:
            drawn.append((self.earlier["name"], self.ghost.tracks))
        return session_numbers(self.curves, drawn, units)

    # lines

    def own(self, theme: Theme) -> ChartLine:
        """The line of the session, without a series."""
        name = self.session["contender"]["name"]
        return ChartLine("", name, theme.contender(self.session["colour"]), contender=name)

    def rate_lines(self, theme: Theme, rates: str) -> list[ChartLine]:
        """Of sessions by their names without that of the plan."""
        name = self.session["name"]
        own = replace(self.own(theme), label=name.removeprefix(f"{self.curves.plan.name}-"), full=name)
        first, *ghost = self._and_earlier(theme, replace(own, key=rates), f"{self._earlier_name}, earlier")
        return [*self._of_round(theme, first), *ghost, *self._of_roles(theme, rates)]

    def _of_roles(self, theme: Theme, series: str) -> list[ChartLine]:
        """The lines of roles and kinds of events beside the figure of a step, which is the session's.

        Kinds of a figure come first: where there are many, a legend has room for some.
        """
        steps = self.curves.plan.steps
        figures = {each for step in steps if not step.beside for each in (step.figure_key, step.role)}
        beside = sorted((step for step in steps if step.beside), key=lambda step: _rank(step, figures))
        roles = dict.fromkeys(step.series_key for step in beside)
        keys = {role: role_series_name(series, role) for role in roles}
        shown = [role for role in roles if keys[role] in self.curves.tracks]
        return [
            ChartLine(keys[role], role, theme.colour(colour))
            for role, colour in zip(shown, cycle(_OF_ROLES), strict=False)
        ]

    def latency_lines(self, theme: Theme) -> list[ChartLine]:
        """Of the session, its roles and kinds of events, and the earlier session."""
        first, *earlier = self.compared_lines(theme, LATENCY)
        return [first, *earlier, *self._of_roles(theme, LATENCY)]

    def cpu_lines(self, theme: Theme) -> list[ChartLine]:
        """Of the machine; that of a server on another one is not known."""
        shown = [each for each in CPU if each.series != SERVER_CPU or not self.only_drives]
        return [each.line(theme) for each in shown]

    def compared_lines(self, theme: Theme, series: str) -> list[ChartLine]:
        """The line of the session, and that of the earlier session."""
        return self._and_earlier(theme, replace(self.own(theme), key=series), "earlier")

    def choice_lines(self, theme: Theme, states: Sequence[str]) -> list[ChartLine]:
        """Of the person's choice; the states of client threads that were seen."""
        if self.choice is None:
            return []
        if self.choice["name"] == CLIENT_STATES:
            return thread_state_areas(theme, states)
        if self.choice["name"] == WRITTEN["name"]:
            return list(written_lines(theme, self.own(theme), self.curves.plan))
        return self.compared_lines(theme, self.choice["name"])

    @property
    def _earlier_name(self) -> str:
        return self.earlier["name"] if self.earlier else ""

    def _and_earlier(self, theme: Theme, line: ChartLine, label: str) -> list[ChartLine]:
        if self.earlier is None or self.ghost is None:
            return [line]
        colour, whose = theme.contender(self.earlier["colour"]), GHOST + self._earlier_name
        return [line, ChartLine(GHOST + line.key, label, colour, faint=True, contender=whose)]

    def _of_round(self, theme: Theme, shown: ChartLine) -> list[ChartLine]:
        """The lines of contenders that alternate; of two with one colour the second is dashed."""
        if self.round_curves is None or shown.key != QPS:
            return [shown]
        lines, seen = list[ChartLine](), set[int]()
        shorts = short_names([entry["name"] for entry in self.round_curves.entries]).names
        for entry, short in zip(self.round_curves.entries, shorts, strict=True):
            colour, whose = theme.contender(entry["colour"]), entry["contender"]["name"]
            line = ChartLine(OTHER + entry["id"], short, colour, full=entry["name"], contender=whose)
            key = line.key if entry["id"] in self.round_curves.tracks else shown.key
            lines.append(replace(line, key=key, dashed=entry["colour"] in seen))
            seen.add(entry["colour"])
        return lines


def _rank(step: Step, figures: Collection[str]) -> int:
    """0: the kind that is a figure; 1: another kind of its role; 2: all others."""
    if step.series_key in figures:
        return 0
    return 1 if step.event_kind and step.role in figures else 2


_Shown = tuple[str, Mapping[str, GrowingTimeSeries]]  # the name of a session, and its curves by series


def session_numbers(curves: SessionCurves, drawn: Sequence[_Shown], units: Mapping[str, str]) -> ChartNumbers:
    """Numbers of all drawn sessions, with units; each second at the time where it is drawn."""
    series = [name for name, track in curves.tracks.items() if len(track)]
    heads = [f"{name} ({unit_text(units[name])})" if units.get(name) else name for name in series]
    return numbers(
        ("session", "time (s)", "step", *heads),
        (
            (name, *row)
            for name, tracks in drawn
            for row in _rows(curves, [tracks.get(each, GrowingTimeSeries()) for each in series])
        ),
    )


def _rows(curves: SessionCurves, tracks: Sequence[GrowingTimeSeries]) -> Iterator[tuple[Cell, ...]]:
    values = [track.samples() for track in tracks]
    for t in sorted({t for each in values for t in each}):
        step = curves.at(t)
        yield round(t, 3), step.label if step else None, *(each.get(t) for each in values)
