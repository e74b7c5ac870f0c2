"""Which session the page shows: read from the store, then kept up with what its follower brings."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.errors import InputError
from app.following.progress import PlanProgress, stored_progress
from app.following.under_way import session_under_way
from app.history.decoding import Line
from app.history.history import History
from app.history.sessions import SessionEntry, sessions
from app.history.timeline import Overview, Timeline, ghosts, overview, stretches, timeline
from ui.core.bus import Arrival
from ui.core.context import Context
from ui.core.tasks import Latest

from .curves import GhostCurves, SessionCurves, Taken

DRAWN = (
    "load.queries", "server.handler_reads", "load.latency_p95_ms",
    "host.cpu_pct", "server.cpu_pct", "sysbench.cpu_pct",
    "disk.read_kb", "disk.write_kb",
)  # fmt: skip
FIGURES_MS = 200  # between a change and the reading of what it brought
MUCH = 60  # samples at once: a backlog is caught up with
GHOSTLY = ("load.queries", "load.latency_p95_ms", "server.handler_reads")


@dataclass(frozen=True)
class Wish:
    """What is to be shown: a session, a further series, an earlier session behind it."""

    session: str
    series: str = ""
    ghost: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*DRAWN, self.series] if self.series else DRAWN))


@dataclass(frozen=True)
class Seen:
    """What was read of it."""

    wish: Wish
    timeline: Timeline
    curves: SessionCurves
    ghost: GhostCurves | None
    ghosts: list[SessionEntry]
    progress: PlanProgress


def see(history: History, wish: Wish) -> Seen:
    """Everything, on a thread where it may take its time."""
    found = timeline(history, wish.session, wish.names, wish.ghost)
    earlier = ghosts(history, wish.session)
    series = (*GHOSTLY, wish.series) if wish.series else GHOSTLY
    ghost = GhostCurves(wish.ghost, stretches(history, wish.ghost, series), series) if wish.ghost else None
    progress = stored_progress(history, found.overview.plan)
    return Seen(wish, found, SessionCurves(found, wish.names), ghost, earlier, progress)


class Watching(QObject):
    """Tells the views what is new; they ask here for what they draw."""

    shown = Signal()  # another session, or the same read anew
    extended = Signal(int)  # so many samples have come
    bounded = Signal()  # steps began or ended; notes and marks
    remarked = Signal(object)  # tuple[Remark, ...]
    figured = Signal()  # the results are others
    failed = Signal(object)  # Exception

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._reads = Latest(context.tasks, self)
        self._overviews = Latest(context.tasks, self)
        self._waiting: list[Line] | None = None  # events that come while the store is read
        self.wish: Wish | None = None
        self.seen: Seen | None = None
        self.overview: Overview | None = None
        self._soon = QTimer(self, singleShot=True, interval=FIGURES_MS)
        self._soon.timeout.connect(self._read_figures)
        context.bus.arrived.connect(self._on_arrived)

    @property
    def progress(self) -> PlanProgress | None:
        """Of the plan of the session; of one that is followed as its follower tells it."""
        followed = self._context.plans.of_session(self.wish.session) if self.wish else None
        if followed is not None and followed.progress.sessions:
            return followed.progress
        return self.seen.progress if self.seen else None

    def show(self, wish: Wish) -> None:
        """Read it; what comes meanwhile is kept for afterwards."""
        self.wish = wish
        self._waiting = []
        self._reads.read(lambda history: see(history, wish), self._on_seen, self._on_failed)

    def show_latest(self, series: str) -> None:
        """The session at hand, or else the latest that has begun, where there is any."""

        def show(found: str) -> None:
            if found:
                self.show(Wish(found, series))

        self._reads.read(_latest, show, self._on_failed)

    def reload(self) -> None:
        """Read the figures anew, once for all that changes together; the curves are kept up by events."""
        if not self._soon.isActive():
            self._soon.start()

    def _read_figures(self) -> None:
        wish = self.wish
        if wish is None or self._waiting is not None:
            return

        def failed(error: Exception) -> None:
            if not self._is_awaited(error):
                self.failed.emit(error)

        self._overviews.read(
            lambda history: overview(history, wish.session, wish.ghost), self._on_overview, failed
        )

    def _on_seen(self, seen: Seen) -> None:
        waiting, self._waiting = self._waiting or [], None
        self.seen, self.overview = seen, seen.timeline.overview
        seen.curves.take(waiting)
        self.shown.emit()

    def _on_overview(self, found: Overview) -> None:
        if self.wish is not None and found.session["id"] == self.wish.session:
            self.overview = found
            self.figured.emit()

    def _on_failed(self, error: Exception) -> None:
        """A session that has only just been started is not in the store yet: it is read when it arrives."""
        self._waiting = None
        if self._is_awaited(error):
            self.seen = self.overview = None
            self.shown.emit()
        else:
            self.failed.emit(error)

    def _is_awaited(self, error: Exception) -> bool:
        """Whether the session is not there only because nothing of it has come yet."""
        is_followed = self.wish is not None and self._context.plans.of_session(self.wish.session) is not None
        return is_followed and isinstance(error, InputError)

    def _on_arrived(self, arrival: Arrival) -> None:
        events = arrival.update.events.get(self.wish.session) if self.wish else None
        if events is None:
            return
        if self._waiting is not None:
            self._waiting.extend(events.lines)
        elif self.seen is None and self.wish is not None:
            self.show(self.wish)
        elif self.seen is not None:
            self._tell(self.seen.curves.take(events.lines))

    def _tell(self, taken: Taken) -> None:
        if taken.series and self.wish is not None:
            self.show(self.wish)  # what can be chosen from is read anew
            return
        if taken.values >= MUCH and self._soon.isActive():
            self._soon.start()  # a backlog comes: its figures are read at its end
        if taken.values:
            self.extended.emit(taken.values)
        if taken.bounds:
            self.bounded.emit()
        if taken.remarks:
            self.remarked.emit(taken.remarks)


def _latest(history: History) -> str:
    """The id of the session at hand, or else of the one that began last; empty where none has."""
    if under_way := session_under_way(history):
        return under_way
    found = [each["id"] for each in sessions(history, limit=20) if each["started_at"]]
    return found[-1] if found else ""
