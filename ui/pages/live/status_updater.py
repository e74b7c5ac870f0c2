"""Texts about the current plan: updated once a second while it runs, never while hidden."""

from __future__ import annotations

from PySide6.QtCore import QTimer

from ui.core.context import WindowContext
from ui.core.followed_plan import FollowedPlan
from ui.core.page import Page
from ui.models.results import step_moment_text
from ui.widgets.actions import action

from .body import LiveBody
from .watching import Watching

TEXT_MS = 1000


class LiveStatusUpdater(QTimer):
    """Updates header, steering, plans, the running step and link problems."""

    def __init__(self, context: WindowContext, watching: Watching, body: LiveBody, page: Page) -> None:
        super().__init__(page, interval=TEXT_MS)
        self._context, self._watching, self._body, self._page = context, watching, body, page
        self._problem = ""  # of the current plan, as it was shown last
        self._reconnect = action(
            page, "Connect again", "", "Follow the plan again; Dyno may ask for a passphrase", self._retry
        )
        self.timeout.connect(self.update)

    @property
    def _followed(self) -> FollowedPlan | None:
        request = self._watching.request
        return self._context.plans.of_session(request.session) if request else None

    def update(self) -> None:
        if not self._page.isVisible():
            return
        plans, followed, body = self._context.plans, self._followed, self._body
        overview = self._watching.overview
        colours = {each["id"]: each["colour"] for each in overview.siblings} if overview else {}
        unsteady = overview.unsteady if overview else {}
        body.header.show_plan(self._watching.progress, followed, colours, unsteady)
        body.steering.show_plan(followed)
        body.queue.show_target(followed.target if followed else None)
        body.plans.show_plans(plans.all(), followed.id if followed else "")
        self._update_problem(followed)
        self._update_step()
        is_active = any(not plan.is_over for plan in plans.all())
        body.choices.offer_follow(is_active)
        if is_active != self.isActive():
            self.start() if is_active else self.stop()

    def _update_step(self) -> None:
        """Show the progress of the running step in its results line."""
        progress, request = self._watching.progress, self._watching.request
        session = progress.sessions.get(request.session) if progress and request else None
        if progress is None or session is None or session.is_over:
            return
        at = session.step
        self._body.results.set_active(
            at, step_moment_text(session.steps[at], progress.step(at)) if at >= 0 else ""
        )
        if self._body.charts.axis.is_following:
            self._body.bring_in_sight(session.id, at)

    def _update_problem(self, followed: FollowedPlan | None) -> None:
        """Show why a plan cannot be followed, such as a passphrase; it runs on there."""
        problem, message = followed.problem if followed else "", self._body.message
        if problem and problem != self._problem:
            message.show_info(problem, self._reconnect)
        elif self._problem and not problem and message.text == self._problem:
            message.clear()
        self._problem = problem

    def forget_problem(self) -> None:
        """Show the problem again; only *Dismiss* silences it."""
        self._problem = ""

    def _retry(self) -> None:
        if (followed := self._followed) is not None:
            self._context.plans.retry(followed.id)
