"""From Run to a plan that is followed, that waits in the queue, or that is refused with what failed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.core.errors import LinkError
from app.planner import PlanRequest
from app.planner.draft import Outcome
from app.planner.launch import STARTED, Later, Launch, Stage, still_failed
from app.protocol.answers import Check
from app.protocol.plan import Plan
from app.remote.hostkeys import HostKeyError
from app.remote.reach import reached
from app.remote.target import Target
from app.targets.queue import place_text
from ui.core.bus import Wanted
from ui.core.context import Context
from ui.widgets.message import Message

from .plan.check_list import problem_text
from .plan.draft_controller import DraftController
from .plan.run_button import Starter
from .plan.several import SeveralDialog
from .run_panel import RunPanel
from .targets.panel import TargetsPanel


class Starting(QObject):
    """What it comes to is said in the page and its panel."""

    def __init__(
        self,
        context: Context,
        controller: DraftController,
        targets: TargetsPanel,
        panel: RunPanel,
        message: Message,
    ) -> None:
        super().__init__(controller)
        self._context, self._controller, self._targets = context, controller, targets
        self._panel, self._message = panel, message
        self._target = targets.chosen
        self.refused: Stage | None = None  # the latest start, where a check of it failed
        self._starter = Starter(context.tasks, self)
        self._starter.advanced.connect(panel.run_bar.show_stage)
        self._starter.ended.connect(self._on_ended)
        self._starter.failed.connect(self._on_failed)

    def start(self, last: str = STARTED, later: Later | None = None) -> None:
        if self._starter.is_busy:
            return
        target, request = self._targets.chosen, self._controller.draft.request
        self._target = target  # another may be chosen before it is started
        self.refused = None
        self._message.clear()
        self._controller.keep()
        self._starter.run(self._launch(target, request, last, later))

    def ask_targets(self, window: QWidget) -> None:
        """Several of them, the chosen one ticked."""
        request, chosen = self._controller.draft.request, self._targets.chosen
        others = [each for each in self._targets.all() if each.name != chosen.name]
        self._controller.keep()

        def launch(target: Target, is_queued: bool) -> Launch:
            later = Later(self._targets.survey_of(target.name)) if is_queued else None
            return self._launch(target, replace(request, target=target.name), STARTED, later)

        SeveralDialog(self._context, [chosen, *others], launch, window).open()

    def cancel(self) -> None:
        if self._starter.cancel():
            self._message.show_info("Cancelled: nothing was started.")
        else:
            self._message.show_info(
                "Too late: the target is already starting the plan. Stop it on the Live page."
            )

    def still_failed(self, outcome: Outcome) -> list[Check]:
        """At the latest start, and about the same as it is now."""
        return still_failed(self.refused, outcome.plan) if self.refused else []

    def forget_machine(self) -> None:
        """It was looked at anew; its builds were not asked."""
        if self.refused:
            of_builds = tuple(each for each in self.refused.checks if each.contender)
            self.refused = replace(self.refused, checks=of_builds)

    def _launch(self, target: Target, request: PlanRequest, last: str, later: Later | None = None) -> Launch:
        from app.history.calibration import noise_at

        way, noise = reached(target, self._context.secrets.ask), partial(noise_at, self._context.home)
        return Launch(lambda _: request, way, target.search_paths, last, noise, request.allow_busy, later)

    # what comes of it

    def _on_ended(self, stage: Stage) -> None:
        if stage.name == STARTED and stage.plan:
            self._follow(stage, stage.plan)
        elif stage.queue and stage.plan:
            self._context.queues.take(self._target, stage.queue)
            self._message.show_info(f"{place_text(stage.queue, stage.plan, self._target.name)}.")
        elif stage.failed and stage.plan is None:  # the target is at work and was asked nothing else
            self._panel.run_bar.offer_queue(True)
            queue = self._panel.run_bar.queue
            self._message.show_error(f"Nothing was started: {problem_text(stage.failed)}", action=queue)
        else:
            self._show_checks(stage)

    def _show_checks(self, stage: Stage) -> None:
        self._panel.checks.show_checks(stage.checks)
        self._panel.tabs.setCurrentWidget(self._panel.checks)
        self.refused = stage if stage.failed else None
        if stage.failed:
            self._message.show_error(f"Nothing was started: {problem_text(stage.failed)}")
        else:
            self._message.show_info("The rehearsal passed: every contender starts. Nothing was measured.")

    def _on_failed(self, error: Exception) -> None:
        """A host key that nobody has looked at is looked at now; what a lost link has started is followed."""
        if isinstance(error, HostKeyError):
            self._message.show_warning("Nothing was started: accept the host key, then press Run again.")
            self._targets.known.tell_key(self._target, error)
            return
        self._message.show_failure(error)
        if isinstance(error, LinkError):
            self._context.plans.adopt_from(self._target)

    def _follow(self, stage: Stage, plan: Plan) -> None:
        sessions = tuple(turn.session for turn in plan.turns)
        self._context.plans.follow(self._target, stage.directory, plan.id, stage.sha, sessions)
        self._context.bus.wanted.emit(Wanted("live", sessions))
