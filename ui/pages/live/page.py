"""The Live page: strip, charts, results, log, and what can be asked of the plan at hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QElapsedTimer, QModelIndex, Qt, QTimer
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedLayout, QVBoxLayout, QWidget

from ...bus import Wanted
from ...context import Context
from ...models.results import ResultsModel, moment_text
from ...plans import FollowedPlan
from ...theme import SPACE
from ...widgets.actions import action
from ...widgets.empty import EmptyPage
from ...widgets.message import Message
from ...widgets.table import Table
from ..page import Page
from .charts import SessionCharts
from .choices import ChartChoices
from .header import PlanHeader
from .plans_row import PlansRow
from .remarks import RemarksPanel
from .steering import Steering
from .watching import Watching, Wish

FRAME_MS = 100  # between two paints of the curves
CATCHING_UP_MS = 500  # and while much arrives at once
MUCH = 60  # samples at once
TEXT_MS = 1000
WIDTHS = (19, 8, 14, 10, 13, 13, 13, 10, 10, 7)  # of the results, until a person changes them


class LivePage(Page):
    title = "Live"

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._goes_along = True  # with the plan, from session to session
        self._step_wanted = -1
        self._watching = Watching(context, self)
        self._plans = PlansRow(context.theme)
        self._header = PlanHeader(context.theme)
        self._steering = Steering(context, self)
        self._charts = SessionCharts(context.theme)
        self._choices = ChartChoices(context, self._charts.axis, self._charts, self)
        self._results = ResultsModel(context.theme)
        self._table = Table("Results, step by step")
        self._remarks = RemarksPanel(context.theme)
        self._message = Message()
        self._arrange()
        self._frame = QTimer(self, singleShot=True)
        self._painted = QElapsedTimer()
        self._texts = QTimer(self, interval=TEXT_MS)
        self._connect()

    # ---- building

    def _arrange(self) -> None:
        self._table.setModel(self._results)
        self._table.horizontalHeader().setStretchLastSection(False)
        self._header.buttons.addWidget(self._steering)
        below = QSplitter(Qt.Orientation.Horizontal)
        below.addWidget(self._table)
        below.addWidget(self._remarks)
        below.setSizes([120 * SPACE, 36 * SPACE])
        below.setStretchFactor(0, 3)
        below.setStretchFactor(1, 1)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self._charts)
        split.addWidget(below)
        split.setStretchFactor(0, 5)
        split.setStretchFactor(1, 2)
        split.setSizes([52 * SPACE, 24 * SPACE])
        for each in (split, below):
            each.setChildrenCollapsible(False)
            each.setHandleWidth(SPACE)
        self._filled = QWidget()
        layout = QVBoxLayout(self._filled)
        layout.setContentsMargins(2 * SPACE, SPACE, 2 * SPACE, SPACE)
        layout.setSpacing(SPACE)
        for widget in (self._plans, self._message, self._header, self._choices):
            layout.addWidget(widget)
        layout.addWidget(split, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._make_empty())
        self._stack.addWidget(self._filled)
        memory = self.context.memory
        memory.restore_splitter(split, "live/split")
        memory.restore_splitter(below, "live/below")
        for at, width in enumerate(WIDTHS):
            self._table.setColumnWidth(at, width * SPACE)
        memory.restore_header(self._table.horizontalHeader(), "live/results")

    def _make_empty(self) -> EmptyPage:
        bench = action(
            self,
            "Set up a plan",
            "",
            "To the Bench page",
            lambda: self.context.bus.wanted.emit(Wanted("bench")),
        )
        return EmptyPage(
            "Nothing has been carried out yet",
            "A session is watched here while it runs: its QPS, latency, CPU and disk second by second,"
            " and the results as its steps end.",
            bench,
        )

    def _connect(self) -> None:
        watching = self._watching
        watching.shown.connect(self._on_shown)
        watching.extended.connect(self._on_extended)
        watching.bounded.connect(self._on_bounded)
        watching.remarked.connect(self._remarks.add_remarks)
        watching.figured.connect(self._on_figured)
        for source in (watching.failed, self._steering.failed, self._choices.failed):
            source.connect(self._message.show_failure)
        self._choices.ghost_chosen.connect(lambda ghost: self._wish(ghost=ghost))
        self._choices.series_chosen.connect(lambda series: self._wish(series=series))
        self._header.strip.chosen.connect(self._on_block_chosen)
        self._plans.chosen.connect(self._on_plan_chosen)
        self._table.clicked.connect(self._on_row_chosen)
        self._table.activated.connect(self._on_row_chosen)
        self._frame.timeout.connect(self._paint)
        self._texts.timeout.connect(self._tell)
        self.context.plans.changed.connect(self._on_plan_changed)

    def page_actions(self) -> Sequence[QAction | None]:
        of_plan, choices = self._steering.actions_of_plan, self._choices
        return (*of_plan, None, choices.follow, choices.whole, None, choices.save, choices.copy)

    # ---- which session

    def reload(self) -> None:
        if self._watching.wish is None:
            self._show_newest()
        else:
            self._watching.reload()

    def open(self, wanted: Wanted) -> None:
        if wanted.sessions:
            self._show(wanted.sessions[0])

    def _show_newest(self) -> None:
        """What is carried out now, or else the latest session of the history."""
        active = self.context.plans.active()
        if active:
            self._show_plan(active[-1])
        else:
            self._watching.show_latest(self._choices.series)

    def _show_plan(self, plan: FollowedPlan) -> None:
        session = plan.progress.current
        if session is not None or plan.sessions:
            self._show(session.id if session else plan.sessions[0])

    def _show(self, session: str, step: int = -1) -> None:
        """Another session; going along where it is the one at hand and no step of it is asked for."""
        plan = self.context.plans.of_session(session)
        current = plan.progress.current if plan else None
        self._goes_along = plan is not None and step < 0 and (current is None or current.id == session)
        self._step_wanted = step
        self._message.clear()
        self._watching.show(Wish(session, self._choices.series))

    def _wish(self, **changes: str) -> None:
        """The same session with another ghost or series."""
        if self._watching.wish is not None:
            self._watching.show(replace(self._watching.wish, **changes))

    # ---- what the watching tells

    def _on_shown(self) -> None:
        self._stack.setCurrentIndex(1)
        seen, overview = self._watching.seen, self._watching.overview
        self._results.set_overview(overview)
        if seen is not None:
            session = seen.timeline.overview.session
            ghost = next((each for each in seen.ghosts if each["id"] == seen.wish.ghost), None)
            choice = next((each for each in seen.timeline.series if each["name"] == seen.wish.series), None)
            self._choices.show_ghosts(session, seen.ghosts, seen.wish.ghost)
            self._choices.show_series(seen.timeline.series)
            self._charts.show_curves(seen.curves, seen.ghost, (session, ghost), choice)
            self._remarks.set_remarks(seen.curves.remarks)
            self._look_at(self._step_wanted)
            self._step_wanted = -1
        self._tell()

    def _on_extended(self, samples: int) -> None:
        """Paint at once where the last paint is long ago, else as soon as it may be."""
        if not self.isVisible() or self._frame.isActive():
            return
        wait = FRAME_MS if samples < MUCH else CATCHING_UP_MS
        gone = self._painted.elapsed() if self._painted.isValid() else wait
        self._frame.start(max(0, wait - gone))

    def _on_bounded(self) -> None:
        self._charts.mark()
        self._on_extended(1)

    def _on_figured(self) -> None:
        self._results.set_overview(self._watching.overview)
        self._tell()

    def _on_plan_changed(self, _plan: str) -> None:
        if self.isVisible():
            self._go_along()
            if not self._texts.isActive():
                self._tell()

    def _go_along(self) -> None:
        """With the plan to its next session, or to a new plan, unless a person looks at something else."""
        wish, active = self._watching.wish, self.context.plans.active()
        if wish is None:
            self._show_newest()
            return
        followed = self.context.plans.of_session(wish.session)
        plan = active[-1] if active and (followed is None or followed.is_over) else followed
        current = plan.progress.current if plan else None
        if self._goes_along and current is not None and current.id != wish.session:
            self._show(current.id)

    # ---- what is looked at

    def _on_block_chosen(self, session: str, step: int) -> None:
        if self._watching.wish is not None and session == self._watching.wish.session:
            self._look_at(step)
        else:
            self._show(session, step)

    def _on_row_chosen(self, index: QModelIndex) -> None:
        self._look_at(index.row())

    def _on_plan_chosen(self, plan: str) -> None:
        followed = self.context.plans.get(plan)
        if followed is not None:
            self._show_plan(followed)

    def _look_at(self, step: int) -> None:
        """A step that began; the one at hand goes on being followed."""
        seen = self._watching.seen
        bounds = seen.curves.bounds.get(step) if seen else None
        if seen is None or bounds is None:
            return
        self._goes_along = bounds is seen.curves.current and bounds.ended_t is None
        if self._goes_along:
            self._charts.axis.follow()
        else:
            self._charts.look_at(bounds)
        self._header.strip.select(seen.wish.session, step)
        self._table.selectRow(step)

    # ---- painting, never while hidden

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._go_along()
        self._tell()
        self._paint()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._frame.stop()
        self._texts.stop()

    def _paint(self) -> None:
        self._painted.start()
        self._charts.advance()
        self._charts.axis.refresh()

    def _tell(self) -> None:
        """Texts and the strip: once a second while a plan is carried out."""
        if not self.isVisible():
            return
        plans, wish = self.context.plans, self._watching.wish
        followed = plans.of_session(wish.session) if wish else None
        progress, overview = self._watching.progress, self._watching.overview
        colours = {each["id"]: each["colour"] for each in overview.siblings} if overview else {}
        self._header.show_plan(progress, followed, colours)
        self._steering.show_plan(followed)
        self._plans.show_plans(plans.all(), followed.id if followed else "")
        session = progress.sessions.get(wish.session) if progress and wish else None
        if progress and session and not session.is_over:
            at = session.step
            text = moment_text(session.steps[at], progress.step(at)) if at >= 0 else ""
            self._results.set_active(at, text)
        is_active = any(not plan.is_over for plan in plans.all())
        if is_active != self._texts.isActive():
            self._texts.start() if is_active else self._texts.stop()
