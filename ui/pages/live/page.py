"""The Live page: strip, charts, results, log, and what can be asked of the plan at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.history.steps.series import SeriesEntry
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.followed_plan import FollowedPlan
from ui.core.page import Page
from ui.widgets.actions import action
from ui.widgets.empty import EmptyPage

from .body import LiveBody
from .charts import SessionCharts
from .chosen_step import StepSelectionSync
from .heat import HEAT
from .lines import ShownCurves
from .status_updater import LiveStatusUpdater
from .watching import MUCH, NO_STEP, LoadedSession, StepWanted, ViewRequest, Watching
from .written import WRITTEN, StallReader


class LivePage(Page):
    title = "Live"

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._step_wanted: StepWanted = NO_STEP
        self._series: list[SeriesEntry] = []  # that the last chart can show
        self.watching = Watching(context, self)
        self.body = LiveBody(context, self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._make_empty())
        self._stack.addWidget(self.body)
        self.painting = ChartRepaintTimer(self.body.charts, self)
        self.status = LiveStatusUpdater(context, self.watching, self.body, self)
        self.step = StepSelectionSync(context, self.watching, self.body, self)
        self.stalls = StallReader(context, self)
        self._connect()

    # ---- building

    def _make_empty(self) -> EmptyPage:
        bus = self.context.bus
        bench = action(
            self,
            "Set up a plan",
            "",
            "Open the Bench page",
            lambda: bus.wanted.emit(ShowPageRequest("bench")),
        )
        return EmptyPage(
            "No sessions yet",
            "This page shows a session while it runs: QPS, latency, CPU and disk second by second,"
            " and the results as steps end.",
            bench,
        )

    def _connect(self) -> None:
        watching, body = self.watching, self.body
        watching.shown.connect(self._on_shown)
        watching.extended.connect(self.painting.request)
        watching.extended.connect(self.stalls.request)
        self.stalls.found.connect(body.charts.set_stalls)
        watching.bounded.connect(self.painting.request_marks)
        watching.remarked.connect(body.remarks.add_remarks)
        watching.figured.connect(self._on_figured)
        for part in (
            watching,
            body.steering,
            body.choices,
            body.charts,
            body.waits,
            body.so_far,
            self.step.cutting,
            self.stalls,
        ):
            part.failed.connect(body.message.show_failure)
        body.charts.saved.connect(self.context.bus.saved)
        body.choices.ghost_chosen.connect(lambda ghost: self._change(ghost=ghost))
        body.choices.series_chosen.connect(lambda series: self._change(series=series))
        body.header.strip.chosen.connect(self._on_block_chosen)
        body.plans.chosen.connect(self._on_plan_chosen)
        body.charts.axis.following_changed.connect(self._on_following_changed)
        self.context.plans.changed.connect(self._on_plan_changed)

    def first_focus(self) -> QWidget:
        return self.body.table

    def page_actions(self) -> Sequence[QAction | None]:
        of_plan, choices = self.body.steering.actions_of_plan, self.body.choices
        of_plan = [*of_plan, self.body.queue.open, self.body.so_far.compare]
        of_view = (choices.follow, choices.whole, self.step.choose_seconds)
        return (*of_plan, None, *of_view, None, choices.save, choices.copy)

    # ---- which session

    def reload(self) -> None:
        if self.watching.request is None:
            self._show_newest()
        else:
            self.watching.reload()

    def open(self, wanted: ShowPageRequest) -> None:
        if wanted.sessions:
            self._show(wanted.sessions[0], NO_STEP if wanted.step is None else wanted.step)

    def _show_newest(self) -> None:
        """Show the running session, else the latest of the history."""
        active = self.context.plans.active()
        if active:
            self._show_plan(active[-1])
        else:
            self.watching.show_latest(self.body.choices.series)

    def _show_plan(self, plan: FollowedPlan) -> None:
        request = self.watching.request
        session = plan.progress.after(request.session if request else "")
        if session is not None or plan.sessions:
            self._show(session.id if session else plan.sessions[0])

    def _show(self, session: str, step: StepWanted = NO_STEP) -> None:
        """Show a session; follow it if it is the running one and no step was requested."""
        plan = self.context.plans.of_session(session)
        next_one = plan.progress.after(session) if plan else None
        is_at_hand = plan is not None and (next_one is None or next_one.id == session)
        self.body.charts.axis.set_following(is_at_hand and step == NO_STEP)
        self._step_wanted = step
        self._stack.setCurrentWidget(self.body)  # there is a session, which is being read
        self.body.message.clear()
        self.body.waits.forget()
        self.status.forget_problem()
        self.watching.show(ViewRequest(session, self.body.choices.series))

    def _change(self, **changes: str) -> None:
        """Show the same session with another earlier one or series."""
        if self.watching.request is not None:
            self.watching.show(replace(self.watching.request, **changes))

    # ---- what the watching tells

    def _on_shown(self) -> None:
        self._stack.setCurrentIndex(1)
        loaded = self.watching.loaded
        self._show_figures()
        if loaded is not None:
            session, request = loaded.timeline.overview.session, loaded.request
            ghost = next((each for each in loaded.ghosts if each["id"] == request.ghost), None)
            choice = self._choice_of(loaded)
            self.body.choices.show_ghosts(session, loaded.ghosts, request.ghost)
            beside = (loaded.ghost, ghost, loaded.round)
            shown = ShownCurves(loaded.curves, session, choice, *beside, loaded.timeline.overview.only_drives)
            self.body.charts.show_curves(shown)
            self.stalls.show(session["id"] if choice and choice["name"] == WRITTEN["name"] else "")
            self.body.remarks.set_remarks(loaded.curves.remarks)
            self.body.header.strip.look_at(session["id"])
            self.step.look_at(loaded.place_of(self._step_wanted))
            self._step_wanted = NO_STEP
            self.step.follow_running()
            self.step.show_engine()
        self.status.update()

    def _choice_of(self, loaded: LoadedSession) -> SeriesEntry | None:
        """The series of the last chart; a session that has declared none yet keeps that of the one before."""
        if loaded.timeline.series or not self._series:
            self._series = [HEAT, *loaded.choices]
            self.body.choices.show_series(self._series)
        return next((each for each in self._series if each["name"] == loaded.request.series), None)

    def _on_figured(self) -> None:
        self._show_figures()
        self.stalls.read()
        self.step.show_engine()
        self.status.update()

    def _show_figures(self) -> None:
        overview = self.watching.overview
        self.body.results.set_overview(overview)
        self.body.charts.set_cuts(overview.steps if overview else ())
        self.step.show_waits()
        self.body.so_far.show_plan(overview)

    def _on_plan_changed(self, _plan: str) -> None:
        if self.isVisible():
            self._go_along()
            if not self.status.isActive():
                self.status.update()

    def _on_following_changed(self, is_following: bool) -> None:
        """Return to the running step."""
        if is_following:
            self._go_along()
            self.step.return_to_running()
        self.status.update()

    def _go_along(self) -> None:
        """Go on to the next session or plan, unless the person looks elsewhere."""
        request, active = self.watching.request, self.context.plans.active()
        if request is None:
            self._show_newest()
            return
        followed = self.context.plans.of_session(request.session)
        plan = active[-1] if active and (followed is None or followed.is_over) else followed
        next_one = plan.progress.after(request.session) if plan else None
        is_following = self.body.charts.axis.is_following
        if is_following and next_one is not None and next_one.id != request.session:
            self._show(next_one.id)

    # ---- what is looked at

    def _on_block_chosen(self, session: str, step: int) -> None:
        if self.watching.request is not None and session == self.watching.request.session:
            self.step.look_at(step)
        else:
            self._show(session, step)

    def _on_plan_chosen(self, plan: str) -> None:
        followed = self.context.plans.get(plan)
        if followed is not None:
            self._show_plan(followed)

    # ---- painting, never while hidden

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._go_along()
        self.status.update()
        self.painting.paint()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.painting.stop()
        self.status.stop()


FRAME_MS = 100  # between two paints of the curves
CALM_MS = 150  # without more of them it is over
PATIENCE_MS = 2000  # the longest that nothing is painted meanwhile


class ChartRepaintTimer(QTimer):
    def __init__(self, charts: SessionCharts, page: QWidget) -> None:
        super().__init__(page, singleShot=True)
        self._charts, self._page = charts, page
        self._painted = QElapsedTimer()
        self._is_marked = True  # bounds and notes are drawn as they are known
        self.timeout.connect(self.paint)

    def request(self, samples: int) -> None:
        """Paint now if the last paint is long ago, else as soon as possible.

        Where a lot comes together more is to come: painting waits for the end of it, for the thread that
        takes it in and the paint would keep each other waiting.
        """
        gone = self._painted.elapsed() if self._painted.isValid() else PATIENCE_MS
        if not self._page.isVisible() or (self.isActive() and samples < MUCH):
            return
        wait = FRAME_MS - gone if samples < MUCH else min(CALM_MS, PATIENCE_MS - gone)
        self.start(max(0, wait))

    def request_marks(self) -> None:
        """Steps or notes have changed."""
        self._is_marked = False
        self.request(1)

    def paint(self) -> None:
        self._painted.start()
        if not self._is_marked:
            self._is_marked = True
            self._charts.mark()
        self._charts.advance()
        self._charts.axis.refresh()
