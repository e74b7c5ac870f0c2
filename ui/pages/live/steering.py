"""Stop, skip, stop after this step, profile, note: asked of the agent that carries out the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QWidget

from app.protocol.events import MAX_NOTE
from ui.core.context import WindowContext
from ui.core.followed_plan import FollowedPlan
from ui.core.theme import SPACE
from ui.dialogs.questions import ask
from ui.widgets.actions import action, action_button
from ui.widgets.layouts import in_row


class Steering(QWidget):
    """Buttons that are disabled without a running plan; the status bar confirms requests."""

    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, page: QWidget) -> None:
        super().__init__(page)
        self._context = context
        self._plan: FollowedPlan | None = None
        tip = "End the current session; the plan continues"
        self.stop_session = action(page, "Stop session…", "stop", tip, self._ask_session)
        self.stop_plan = action(page, "Stop plan…", "stop plan", "End the whole plan", self._ask_plan)
        tip = "End the session after the current step"
        self.stop_after = action(page, "Stop after this step…", "stop after step", tip, self._ask_after_step)
        tip = "End the current step without a result"
        self.skip = action(page, "Skip step…", "skip", tip, self._ask_skip)
        tip = "Sample where the server spends its time, until the step ends: its stacks are in History then"
        self.profile = action(page, "Profile this step", "profile step", tip, self._profile)
        tip = "Add a note at this moment; the charts show it"
        self.write_note = action(page, "Note", "note", tip, self._begin_note)
        self.note = QLineEdit(placeholderText="Note at this moment", maxLength=MAX_NOTE)
        self._arrange()
        self.show_plan(None)

    @property
    def actions_of_plan(self) -> list[QAction]:
        return [self.write_note, self.profile, self.skip, self.stop_after, self.stop_session, self.stop_plan]

    def _arrange(self) -> None:
        self.note.setAccessibleName("Note at this moment")
        self.note.setToolTip(self.write_note.toolTip())
        self.note.setMinimumWidth(22 * SPACE)
        self.note.returnPressed.connect(self._send_note)
        buttons = map(action_button, (self.profile, self.skip, self.stop_after, self.stop_session))
        self.setLayout(in_row(self.note, *buttons))

    def show_plan(self, plan: FollowedPlan | None) -> None:
        """Enable what can be done with this plan; a note that was begun for another goes with that."""
        before, self._plan = self._plan, plan if plan is not None and not plan.is_over else None
        if before is not None and before is not self._plan:
            self.note.clear()
        is_active = self._plan is not None
        for each in self.actions_of_plan:
            each.setEnabled(is_active)
        self.note.setEnabled(is_active)
        self.setVisible(is_active)

    # ---- what is asked

    def _ask_session(self) -> None:
        plan = self._plan
        if plan is None:
            return
        sessions = plan.progress.sessions.values()
        active = [plan.progress.name(each.id) for each in sessions if each.state == "active"]
        waiting = any(each.state == "waiting" for each in sessions)
        after = ", and the next session of the plan begins" if waiting else ""
        answers = {"Stop &session": lambda: self._stop("session", "the session ends")}
        if waiting:
            answers["Stop &plan"] = lambda: self._stop("plan", "the plan ends")
        self._confirm(
            f"Stop {' and '.join(active) or 'the current session'}?",
            "The current step ends without a result, and the steps after it do not start."
            f" What was measured so far stays{after}.",
            answers,
        )

    def _ask_skip(self) -> None:
        if self._plan is not None:
            self._confirm(
                f"Skip {self._step_text(self._plan)}?",
                "It ends without a result, and its measurements are lost. The next step begins.",
                {"&Skip step": self._skip},
            )

    @staticmethod
    def _step_text(plan: FollowedPlan) -> str:
        """`update-index threads=2 of innodb`, or that it is the current step."""
        at_hand = plan.progress.at_hand
        if not at_hand or at_hand[0].step < 0:
            return "the current step"
        names = " and ".join(plan.progress.name(each.id) for each in at_hand)
        return f"{plan.progress.step(at_hand[0].step).label} of {names}"

    def _ask_after_step(self) -> None:
        if self._plan is not None:
            self._confirm(
                "Stop the session after the current step?",
                "The current step finishes with a result. The steps after it do not start.",
                {"Stop &after step": lambda: self._stop("step", "the session ends after the current step")},
            )

    def _ask_plan(self) -> None:
        if self._plan is not None:
            self._confirm(
                f"Stop the plan {self._plan.name}?",
                "The current step ends without a result; no further step or session starts. What was"
                " measured so far stays. Plans that wait in the queue are held.",
                {"Stop &plan": lambda: self._stop("plan", "the plan ends")},
            )

    def _confirm(self, question: str, text: str, answers: Mapping[str, Callable[[], None]]) -> None:
        title = next(iter(answers)).replace("&", "")
        ask(self.window(), title, question, text, answers, "Keep &running")

    def _stop(self, what: str, said: str) -> None:
        if self._plan is not None:
            self._context.plans.stop(self._plan.id, what, self, self.failed.emit)
            self._context.bus.said.emit(f"Requested: {said}")

    def _skip(self) -> None:
        if self._plan is not None:
            self._context.plans.skip(self._plan.id, self, self.failed.emit)
            self._context.bus.said.emit("Requested: the current step ends, the next step begins")

    def _profile(self) -> None:
        if self._plan is not None:
            self._context.plans.profile(self._plan.id, self, self.failed.emit)
            self._context.bus.said.emit("Requested: stacks of the server until the current step ends")

    def _begin_note(self) -> None:
        self.note.setFocus()
        self.note.selectAll()

    def _send_note(self) -> None:
        text = self.note.text().strip()

        def failed(error: Exception) -> None:
            if not self.note.text():
                self.note.setText(text)  # to be sent once the link is back
            self.failed.emit(error)

        if text and self._plan is not None:
            self._context.plans.note(self._plan.id, text, self, failed)
            self._context.bus.said.emit("Note sent: the log and the charts show it in a moment")
            self.note.clear()
