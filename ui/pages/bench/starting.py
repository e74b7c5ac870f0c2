"""From Run to a plan that is followed, that waits in the queue, or that is refused with what failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QWidget

from app.catalog import Catalog
from app.core.errors import InputError, LinkError
from app.history.machines.measured import MachineHistory
from app.planner.checks.load_targets import reach_by_target_name
from app.planner.request.request import PlanRequest
from app.planner.starting.choices import NO_SURVEY
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import DraftOutcome, request_in_time
from app.planner.starting.launch import STARTED, Launch, LaunchStage, QueueInstead, still_failed_checks
from app.protocol.answers import Check, Survey
from app.protocol.plan import Plan
from app.remote.hostkeys import HostKeyError
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.queue import place_text
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.tasks import Tasks
from ui.widgets.message import MessageBar

from .plan.check_list import problem_text
from .plan.draft_controller import DraftController
from .plan.run_dialogs import SeveralTargetsDialog
from .run_panel import PlanPreviewPanel
from .targets.panel import TargetsPanel

SOON_S = 20.0  # to read and check what is run again: later nobody expects that it starts
T = TypeVar("T")


class PlanStartController(QObject):
    """Starts plans and shows the result in the page and its panel."""

    def __init__(
        self,
        context: WindowContext,
        controller: DraftController,
        targets: TargetsPanel,
        panel: PlanPreviewPanel,
        message: MessageBar,
    ) -> None:
        super().__init__(controller)
        self._context, self._controller, self._targets = context, controller, targets
        self._panel, self._message = panel, message
        self._target = targets.chosen
        self.refused: LaunchStage | None = None  # the latest start, where a check of it failed
        self._starter = PlanStartRunner(context.tasks, self)
        self._starter.advanced.connect(panel.run_bar.show_stage)
        self._starter.ended.connect(self._on_ended)
        self._starter.failed.connect(self._on_failed)
        self._said = ""  # of the latest start, in the message
        self._queued: Plan | None = None  # where it is about a plan in the queue
        controller.drafted.connect(self._on_drafted)
        context.plans.ended.connect(self._on_plan_ended)
        context.plans.changed.connect(self._on_plan_changed)
        context.queues.changed.connect(self._on_queue_changed)

    def start(self, last: str = STARTED, later: QueueInstead | None = None) -> None:
        if self._starter.is_busy:
            return
        target, draft = self._targets.chosen, self._controller.draft
        self._target = target  # another may be chosen before it is started
        self.refused = self._queued = None
        self._message.clear()
        self._controller.keep()
        self._starter.run(self._launch(target, draft, last, later))

    def ask_targets(self, window: QWidget) -> None:
        """Ask for several targets, with the chosen one ticked."""
        draft, chosen = self._controller.draft, self._targets.chosen
        others = [each for each in self._targets.all() if each.name != chosen.name]
        self._controller.keep()

        def launch(target: Target, is_queued: bool) -> Launch:
            later = QueueInstead(self._targets.survey_of(target.name)) if is_queued else None
            return self._launch(target, draft.with_options(target=target.name), STARTED, later)

        SeveralTargetsDialog(self._context, [chosen, *others], launch, window).open()

    def cancel(self) -> None:
        if self._starter.cancel():
            self._message.show_info("Cancelled: nothing was started.")
        else:
            self._message.show_info(
                "Too late: the target is already starting the plan. Stop it on the Live page."
            )

    def still_failed(self, outcome: DraftOutcome) -> list[Check]:
        """Failed checks of the latest start that still apply."""
        return still_failed_checks(self.refused, outcome.plan) if self.refused else []

    def forget_machine(self) -> None:
        """Forget the checks of a machine that was surveyed again, but keep those of its builds."""
        if self.refused and self.refused.plan:
            of_builds = tuple(each for each in self.refused.checks if each.contender)
            self.refused = replace(self.refused, checks=of_builds)

    def _launch(self, target: Target, draft: Draft, last: str, later: QueueInstead | None = None) -> Launch:
        from app.comparison.answers.self_test import machine_measures_from

        ask = self._context.secrets.ask
        way, known = reached(target, ask), partial(machine_measures_from, self._context.home)
        request, busy = _ready(draft, later, known), draft.request.allow_busy
        reach = reach_by_target_name(ask)
        can_queue = draft.request.can_wait
        return Launch(
            request, way, target.search_paths, last, known, busy, later, reach, ask=ask, can_queue=can_queue
        )

    # what comes of it

    def _on_ended(self, stage: LaunchStage) -> None:
        if stage.name == STARTED and stage.plan:
            self._controller.give_back()
            self._follow(stage, stage.plan)
        elif stage.queue and stage.plan:
            self._controller.give_back()
            self._context.queues.take(self._target, stage.queue)
            self._message.show_info(f"{place_text(stage.queue, stage.plan, self._target.name)}.")
            self._queued = stage.plan
        else:
            self._show_checks(stage)
        self._said = self._message.text

    def _show_checks(self, stage: LaunchStage) -> None:
        self._panel.tabs.setCurrentWidget(self._panel.checks)
        self.refused = stage if stage.failed else None
        if stage.plan is None:  # the target is at work and was asked nothing else
            self._controller.check()  # with its refusal
            self._context.looking.look_at(self._target)
        else:
            self._panel.checks.show_checks(stage.checks)
        if stage.failed:
            can_wait = stage.plan is None and self._controller.draft.request.can_wait
            queue = self._panel.run_bar.queue if can_wait else None
            self._message.show_error(f"Nothing was started: {problem_text(stage.failed)}", action=queue)
        else:
            self._message.show_info("The rehearsal passed: every server starts. Nothing was measured.")

    def _on_failed(self, error: Exception) -> None:
        """A start failed: show an unknown host key, or follow what a lost link has started."""
        if isinstance(error, HostKeyError):
            self._message.show_warning("Nothing was started: accept the host key, then press Run again.")
            self._targets.known.report_host_key(self._target, error)
            return
        self._message.show_failure(error)
        if isinstance(error, LinkError):
            self._context.plans.adopt_from(self._target)

    def _follow(self, stage: LaunchStage, plan: Plan) -> None:
        sessions = tuple(turn.session for turn in plan.turns)
        self._context.plans.follow(self._target, stage.directory, plan.id, stage.sha, sessions)
        self._context.bus.wanted.emit(ShowPageRequest("live", sessions, is_of_start=True))

    # until it is no longer true

    def _on_drafted(self, _draft: Draft) -> None:
        """Drop checks that do not apply to the new draft."""
        if self.refused and self.refused.plan is None:
            self.refused = None
        if self._queued is None:
            self._clear_said()

    def _on_plan_ended(self, plan: str) -> None:
        """A plan ended, so the busy target may be free."""
        followed = self._context.plans.get(plan)
        is_there = followed is not None and followed.target.name == self._target.name
        if is_there and self.refused and self.refused.plan is None:
            self.refused = None
            self._clear_said()
            self._controller.check()

    def _on_plan_changed(self, plan: str) -> None:
        if self._queued is not None and self._queued.id == plan:
            self._clear_said()  # it has begun

    def _on_queue_changed(self, target: str) -> None:
        """The queue changed: the plan may have moved or left."""
        if self._queued is None or target != self._target.name or self._message.text != self._said:
            return
        found = self._context.queues.of(self._target)
        if found and any(each.plan == self._queued.id for each in found[1].plans):
            self._said = f"{place_text(found[1], self._queued, target)}."
            self._message.show_info(self._said)
        else:
            self._clear_said()

    def _clear_said(self) -> None:
        if self._message.text == self._said:
            self._message.clear()


def _ready(
    draft: Draft, later: QueueInstead | None, known: Callable[[str], MachineHistory]
) -> Callable[[Survey], PlanRequest]:
    """The request of a draft, with what Dyno chooses for its time on the surveyed target."""

    def ready(survey: Survey) -> PlanRequest:
        if draft.by and later and later.in_s is None:
            raise InputError(
                f"until {draft.by} needs the start of the plan: queue it not before a time, or give a time"
                " such as 8 h"
            )
        in_s = later.in_s if later and later.in_s else 0.0
        return request_in_time(draft, survey, Catalog(), known, in_s).request

    return ready


class PlanStartRunner(QObject):
    """Runs a start off the GUI thread, one at a time."""

    advanced = Signal(object)  # Stage; None: over
    ended = Signal(object)  # the last Stage
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._launch: Launch | None = None

    @property
    def is_busy(self) -> bool:
        return self._launch is not None

    def run(self, launch: Launch) -> None:
        self._launch = launch
        self.advanced.emit(LaunchStage())  # the threads may have other things to do first
        self._tasks.run_long(
            self,
            lambda tell: _last_of(launch, tell),
            self._unless_cancelled(launch, self.advanced.emit),
            self._unless_cancelled(launch, lambda stage: self._end(self.ended, stage)),
            self._unless_cancelled(launch, lambda error: self._end(self.failed, error)),
        )

    def cancel(self) -> bool:
        """Cancel; False if it is too late."""
        if self._launch is None or not self._launch.cancel():
            return False
        self._launch = None
        self.advanced.emit(None)
        return True

    def _unless_cancelled(self, launch: Launch, tell: Callable[[T], None]) -> Callable[[T], None]:
        """Pass the answer on, unless the start was cancelled."""

        def deliver(value: T) -> None:
            if launch is self._launch:
                tell(value)

        return deliver

    def _end(self, signal: SignalInstance, value: object) -> None:
        self._launch = None
        self.advanced.emit(None)
        signal.emit(value)


def _last_of(launch: Launch, tell: Callable[[LaunchStage], None]) -> LaunchStage:
    """Run it on a pool thread and report each stage; the last one has the result."""
    for stage in launch.stages():
        tell(stage)
    return stage


class RunAgain(QObject):
    """Sets up sessions of the history again, and starts them on request."""

    start_wanted = Signal()
    warned = Signal(str)

    def __init__(self, controller: DraftController) -> None:
        super().__init__(controller)
        self._controller = controller
        self._until = 0.0
        self._draft = Draft()
        controller.set_up_again.connect(self._on_set_up)
        controller.concluded.connect(self._on_concluded)

    def open(self, sessions: tuple[str, ...], is_run: bool, steps: tuple[str, ...] = ()) -> None:
        self._until = time.monotonic() + SOON_S if is_run else 0.0
        self._controller.open_again(sessions, steps)

    def _on_set_up(self, draft: Draft, remark: str) -> None:
        self._draft = draft
        if remark:
            self._until = 0.0  # a person looks at it first
            self.warned.emit(f"{remark}\nReview the checks, then press Run.")

    def _on_concluded(self, outcome: DraftOutcome) -> None:
        if outcome.draft is not self._draft or time.monotonic() > self._until:
            return
        if outcome.problem and outcome.problem.text == NO_SURVEY:
            return  # it may still be read
        self._until = 0.0
        if obstacle := outcome.obstacle:
            self.warned.emit(f"Not started: {obstacle}")
        else:
            self.start_wanted.emit()
