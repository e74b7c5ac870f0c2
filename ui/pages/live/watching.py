"""Which session the page shows: read from the store, then kept up with what its follower brings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.errors import InputError
from app.following.progress import PlanProgress, stored_progress
from app.following.under_way import session_under_way
from app.history.lists.sessions import SessionEntry, sessions
from app.history.steps.figures import plan_of
from app.history.steps.series import SeriesEntry, series_of_roles
from app.history.steps.timeline import (
    SessionResults,
    SessionTimeline,
    ghosts,
    load_step_series,
    overview,
    timeline,
)
from app.history.store.decoding import Line
from app.history.store.history import History
from app.protocol.plan import SLICES, Plan, step_key
from app.protocol.series import COMMITTED
from ui.core.bus import PlanNewEvents
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner

from .curves import QPS, EventBatchChanges, GhostCurves, SessionCurves
from .lines import CPU, DISK, LATENCY, ROWS
from .round import OtherContenderCurves
from .thread_states import series_of_choice, with_thread_states
from .written import WRITTEN, with_written_rows, written_series

GHOSTLY = (QPS, LATENCY, ROWS, COMMITTED.name)
DRAWN = (*GHOSTLY, *(each.series for each in (*CPU, *DISK)))
FIGURES_MS = 200  # between a change and the reading of what it brought
MUCH = 60  # samples at once: a backlog is caught up with
NO_STEP = -1
StepWanted = int | tuple[str, str]  # its place in the plan, or its key: nobody else knows the places


@dataclass(frozen=True)
class ViewRequest:
    """What to show: a session, an extra series, an earlier session behind it."""

    session: str
    series: str = ""
    ghost: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*DRAWN, *series_of_choice(self.series)]))


@dataclass(frozen=True)
class LoadedSession:
    """What was read of a session."""

    request: ViewRequest
    timeline: SessionTimeline
    curves: SessionCurves
    ghost: GhostCurves | None
    ghosts: list[SessionEntry]
    progress: PlanProgress
    round: OtherContenderCurves | None  # of a plan of slices

    @property
    def choices(self) -> list[SeriesEntry]:
        """What the last chart can show."""
        return with_written_rows(self.curves.plan, with_thread_states(self.timeline.series))

    def place_of(self, step: StepWanted) -> int:
        """The place of a step in the plan; the first of those with this key, as comparisons have it."""
        if isinstance(step, int):
            return step
        keys = [
            None if each["warm"] else step_key(each["name"], each["coordinates"])
            for each in self.timeline.overview.steps
        ]
        return keys.index(step) if step in keys else NO_STEP

    def take(self, events: Mapping[str, Iterable[Line]]) -> EventBatchChanges:
        """Take events of this session and of those that alternate with it."""
        applied = self.curves.take(events.get(self.request.session, ()))
        if self.round is not None:
            applied.values += self.round.take(events)
            applied.is_stale = applied.is_stale or not self.round.awaited.isdisjoint(events)
        return applied


def load_live_session(history: History, request: ViewRequest) -> LoadedSession:
    """Load everything; runs on a pool thread."""
    of_roles = (series_of_roles(history, request.session, name) for name in (QPS, LATENCY, COMMITTED.name))
    names = (*request.names, *chain.from_iterable(of_roles))
    if request.series == WRITTEN["name"]:
        names += tuple(written_series(Plan.from_json(plan_of(history, request.session))))
    found = timeline(history, request.session, names, request.ghost, has_latencies=True)
    earlier = ghosts(history, request.session)
    curves, progress = SessionCurves(found, names), stored_progress(history, found.overview.plan)
    curves.heat.prepare()
    round_curves = _round(history, curves, found.overview)
    ghost = _ghost(history, request, curves.gap_s)
    return LoadedSession(request, found, curves, ghost, earlier, progress, round_curves)


def _ghost(history: History, request: ViewRequest, gap_s: float) -> GhostCurves | None:
    if not request.ghost:
        return None
    series = (*GHOSTLY, *series_of_choice(request.series))
    return GhostCurves(request.ghost, load_step_series(history, request.ghost, series), series, gap_s)


def _round(history: History, shown: SessionCurves, overview: SessionResults) -> OtherContenderCurves | None:
    """The contenders that alternate with the shown one, as far as they are."""
    plan = overview.plan
    if plan.order != SLICES:
        return None
    repeat = plan.turn_of(shown.session).repeat
    turns = sorted((turn.contender, turn.session) for turn in plan.turns if turn.repeat == repeat)
    known = {each["id"]: each for each in overview.siblings}
    entries = [known[session] for _, session in turns if session in known]
    others = [each["id"] for each in entries if each["id"] != shown.session]
    read = [SessionCurves(timeline(history, other, (QPS,)), (QPS,)) for other in others]
    awaited = {session for _, session in turns if session not in known}
    found = OtherContenderCurves(shown, read, entries, awaited)
    found.advance()  # here, where all that is stored may take its time
    return found


class Watching(QObject):
    """Reports news to the views, which then ask for what they draw."""

    shown = Signal()  # another session, or the same read anew
    extended = Signal(int)  # so many samples have come
    bounded = Signal()  # steps began or ended; notes and marks
    remarked = Signal(object)  # tuple[Remark, ...]
    figured = Signal()  # the results are others
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._reads = NewestAnswerRunner(context.tasks, self)
        self._overviews = NewestAnswerRunner(context.tasks, self)
        self._waiting: dict[str, list[Line]] | None = None  # events that come while the store is read
        self.request: ViewRequest | None = None
        self.loaded: LoadedSession | None = None
        self.overview: SessionResults | None = None
        self._soon = QTimer(self, singleShot=True, interval=FIGURES_MS)
        self._soon.timeout.connect(self._read_figures)
        context.bus.arrived.connect(self._on_arrived)

    @property
    def progress(self) -> PlanProgress | None:
        """Progress of the session's plan; of a followed one from its follower."""
        followed = self._context.plans.of_session(self.request.session) if self.request else None
        if followed is not None and followed.progress.sessions:
            return followed.progress
        return self.loaded.progress if self.loaded else None

    def show(self, request: ViewRequest) -> None:
        """Read and show a session; events that arrive meanwhile wait."""
        self.request = request
        self._waiting = {}
        self._reads.read(
            lambda history: load_live_session(history, request), self._on_loaded, self._on_failed
        )

    def show_latest(self, series: str) -> None:
        """Show the running session, else the latest that has begun."""

        def show(found: str) -> None:
            if found:
                self.show(ViewRequest(found, series))

        self._reads.read(_latest, show, self._on_failed)

    def reload(self) -> None:
        """Read results again, once for all changes together; events update the curves."""
        if not self._soon.isActive():
            self._soon.start()

    def _read_figures(self) -> None:
        request = self.request
        if request is None or self._waiting is not None:
            return

        def failed(error: Exception) -> None:
            if not self._is_awaited(error):
                self.failed.emit(error)

        self._overviews.read(
            lambda history: overview(history, request.session, request.ghost), self._on_overview, failed
        )

    def _on_loaded(self, loaded: LoadedSession) -> None:
        waiting, self._waiting = self._waiting or {}, None
        self.loaded, self.overview = loaded, loaded.timeline.overview
        is_stale = loaded.take(waiting).is_stale
        self.shown.emit()
        if is_stale and self.request is not None:
            self.show(self.request)

    def _on_overview(self, found: SessionResults) -> None:
        if self.request is not None and found.session["id"] == self.request.session:
            self.overview = found
            self.figured.emit()

    def _on_failed(self, error: Exception) -> None:
        """Reading failed; a session that has just started is read when it arrives."""
        self._waiting = None
        if self._is_awaited(error):
            self.loaded = self.overview = None
            self.shown.emit()
        else:
            self.failed.emit(error)

    def _is_awaited(self, error: Exception) -> bool:
        """Whether the session is missing only because nothing of it has arrived."""
        is_followed = (
            self.request is not None and self._context.plans.of_session(self.request.session) is not None
        )
        return is_followed and isinstance(error, InputError)

    def _on_arrived(self, arrival: PlanNewEvents) -> None:
        events = {session: each.lines for session, each in arrival.update.events.items()}
        if self._waiting is not None:
            for session, lines in events.items():
                self._waiting.setdefault(session, []).extend(lines)
        elif self.loaded is not None:
            self._tell(self.loaded.take(events))
        elif self.request is not None and self.request.session in events:
            self.show(self.request)

    def _tell(self, applied: EventBatchChanges) -> None:
        if applied.is_stale and self.request is not None:
            self.show(self.request)
            return
        if applied.values >= MUCH and self._soon.isActive():
            self._soon.start()  # a backlog comes: its figures are read at its end
        if applied.values:
            self.extended.emit(applied.values)
        if applied.bounds:
            self.bounded.emit()
        if applied.remarks:
            self.remarked.emit(applied.remarks)


def _latest(history: History) -> str:
    """The id of the running session, else of the latest that began; empty without one."""
    if under_way := session_under_way(history):
        return under_way
    found = [each["id"] for each in sessions(history, limit=20) if each["started_at"]]
    return found[-1] if found else ""
