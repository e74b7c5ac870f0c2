"""The run panel: estimate, checks, the plan itself, and the button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QTabWidget, QVBoxLayout, QWidget

from app.planner.starting.choices import NO_SURVEY, Choices
from app.planner.starting.draft import Draft, Outcome
from app.protocol.answers import FAIL, Check, Survey
from ui.core.page import HEAD
from ui.core.plain import Label
from ui.core.tasks import Tasks
from ui.core.theme import SPACE, Theme

from .plan.approval import ApprovalView
from .plan.check_list import WAITING, CheckList
from .plan.estimate import EstimateCard
from .plan.plan_text import PlanText
from .plan.recent import RecentPlans
from .plan.run_button import RunBar
from .presets.picker import PresetView


class RunPanel(QWidget):
    """The right side of the page."""

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.estimate, self.checks = EstimateCard(), CheckList(theme)
        self.plan, self.presets, self.approval = PlanText(), PresetView(theme), ApprovalView()
        self.run_bar, self.recent = RunBar(), RecentPlans(tasks, self)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Checks, plan and presets")
        self.tabs.tabBar().setAccessibleName("Checks, plan and presets")
        self.tabs.setDocumentMode(True)
        for page, title in (
            (self.checks, "Checks"),
            (self.plan, "Plan"),
            (self.presets, "Preset"),
            (self.approval, "Approve"),
        ):
            self.tabs.addTab(page, title)
        self._build_layout()
        self.tabs.setTabVisible(self.tabs.indexOf(self.approval), False)

    def show_choices(self, choices: Choices, survey: Survey | None) -> None:
        self.presets.show_choices(choices, survey)

    def show_draft(self, draft: Draft) -> None:
        self.plan.show_draft(draft)
        self.presets.show_draft(draft)
        self.run_bar.busy.setChecked(draft.request.allow_busy)
        self.run_bar.small_disk.setChecked(draft.request.allow_small_disk)
        self.run_bar.quiet.setChecked(draft.request.quiet_wait > 0)
        self.run_bar.show_load(draft.request.load)
        self.run_bar.repeat.setChecked(draft.request.repeat_if_disturbed)

    def show_outcome(self, outcome: Outcome, failed: Sequence[Check] = ()) -> None:
        """Show an outcome; `failed`: failed checks of the latest start that still apply."""
        self.estimate.show_outcome(outcome)
        known = {(each.name, each.contender) for each in failed}
        others = [each for each in outcome.checks if (each.name, each.contender) not in known]
        self.checks.show_checks([*failed, *(others or _obstacle(outcome))])
        self.approval.show_unapproved(outcome.unapproved)
        self.run_bar.show_obstacle(outcome.obstacle)
        at = self.tabs.indexOf(self.approval)
        is_new = bool(outcome.unapproved) and not self.tabs.isTabVisible(at)
        self.tabs.setTabVisible(at, bool(outcome.unapproved))
        if is_new:
            self.tabs.setCurrentIndex(at)

    def look_at_preset(self, engine: str, name: str, build: str) -> None:
        self.tabs.setCurrentWidget(self.presets)
        self.presets.look_at(engine, name, build)

    def _build_layout(self) -> None:
        heading = Label("Before you run")
        heading.setProperty("role", "heading")
        heading.setMinimumHeight(HEAD)
        head = QHBoxLayout()
        head.addWidget(heading, 1)
        head.addWidget(self.recent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addLayout(head)
        layout.addWidget(self.estimate)
        layout.addWidget(self.tabs, 1)
        layout.addWidget(self.run_bar)


def _obstacle(outcome: Outcome) -> list[Check]:
    """What is in the way of a plan, and all that is missing."""
    texts = [outcome.problem.text] if outcome.problem else []
    found = dict.fromkeys([*texts, *outcome.lacking])
    return [Check("plan", WAITING if text == NO_SURVEY else FAIL, text) for text in found]
