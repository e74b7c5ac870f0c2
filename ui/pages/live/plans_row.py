"""The plans that are followed, side by side, each with the small line of its QPS."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from ui.core.followed_plan import FollowedPlan
from ui.core.theme import SPACE, Theme
from ui.widgets.layouts import boxed, in_row
from ui.widgets.plan_line import PlanLine


class PlansRow(QScrollArea):
    """A row of plans, hidden while there is only one."""

    chosen = Signal(str)  # plan id

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: dict[str, PlanLine] = {}
        self._layout = in_row(1, spacing=2 * SPACE)
        self.setWidget(boxed(self._layout))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFixedHeight(4 * SPACE)
        self.setAccessibleName("Running plans")
        self.hide()

    def show_plans(self, plans: list[FollowedPlan], shown: str) -> None:
        """Show the plans; `shown` is the one below."""
        for plan in plans:
            line = self._line(plan.id)
            line.show_plan(plan)
            line.set_chosen(plan.id == shown)
        self.setVisible(len(plans) > 1)

    def _line(self, plan: str) -> PlanLine:
        if plan not in self._lines:
            line = self._lines[plan] = PlanLine(self._theme)
            line.clicked.connect(lambda: self.chosen.emit(plan))
            self._layout.insertWidget(self._layout.count() - 1, line)
        return self._lines[plan]
