"""The header of Live: the plan, its progress, the strip."""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from app.core.units import clock_text, seconds_text
from app.following.progress import PlanProgress
from ui.core.followed_plan import FollowedPlan
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import NATIVE, boxed, in_column, in_row
from ui.widgets.plan_line import PlanLine, link_state_text
from ui.widgets.strip import PlanStrip, StripLegend
from ui.widgets.table import tabular


class PlanHeader(QWidget):
    """The header, updated once a second."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.strip = PlanStrip(theme)
        self._legend = StripLegend(theme)
        self._title, self._state = ElidedLabel(role="title"), ElidedLabel(role="muted")
        self._times = PlainTextLabel()
        self._state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._state.setMinimumWidth(24 * SPACE)
        for label in (self._state, self._times):
            label.setFont(tabular(label.font()))
        self.buttons = in_row()
        above = in_row(self._title, (self._state, 1), self.buttons, spacing=2 * SPACE)
        below = in_row((self._legend, 1), self._times, spacing=NATIVE)
        self.setLayout(in_column(above, self.strip, below, spacing=SPACE // 2))

    @property
    def text(self) -> str:
        return "  ".join(filter(None, (self._title.text(), self._state.text(), self._times.text())))

    def show_plan(
        self,
        progress: PlanProgress | None,
        followed: FollowedPlan | None,
        colours: Mapping[str, int],
        unsteady: Mapping[tuple[str, int], str],
    ) -> None:
        """Show the plan; one that is not followed is over, or known only in part."""
        if progress is None or progress.plan is None:
            _set(self._title, followed.name if followed else "")
            _set(self._state, _state_text(None, followed))
            _set(self._times, "")
        else:
            _set(self._title, f"{progress.plan.name} on {progress.plan.target}")
            _set(self._state, _state_text(progress, followed))
            _set(self._times, _times_text(progress, followed))
        self._state.set_role("warn" if _is_out_of_touch(followed) else "muted")
        self.strip.show_progress(progress, colours, unsteady)
        self._legend.show_steps(progress.plan.steps if progress and progress.plan else ())


def _set(label: QLabel, text: str) -> None:
    if text != label.text():
        label.setText(text)


def _is_out_of_touch(followed: FollowedPlan | None) -> bool:
    return followed is not None and (bool(followed.problem) or followed.link.state in ("down", "busy"))


def _state_text(progress: PlanProgress | None, followed: FollowedPlan | None) -> str:
    if followed is not None and followed.problem:
        return followed.problem
    link = link_state_text(followed.link) if followed is not None else ""
    if link and followed is not None and followed.link.state != "connecting":
        return link
    return ", ".join(filter(None, (progress.line if progress else "", link)))


def _times_text(progress: PlanProgress, followed: FollowedPlan | None) -> str:
    """Times elapsed, left and of the end; for a plan that is over its duration and date."""
    silent = _silent_s(progress, followed)
    elapsed = seconds_text(progress.elapsed_s + silent)
    if progress.is_over or followed is None:
        return f"took {elapsed}" if progress.is_over else elapsed
    finish_at, is_most = progress.finish_at, progress.plan is not None and progress.plan.until_decided
    if finish_at is None:
        return ""
    offset = followed.link.clock_offset_s or 0.0
    finish = max(finish_at - offset, time.time())
    done = f"done {'by' if is_most else 'at'} {clock_text(finish, time.time())}"
    left = progress.left_text(silent) or f"about {seconds_text(0)} left"
    return ", ".join((f"{elapsed} elapsed", left, done))


def _silent_s(progress: PlanProgress, followed: FollowedPlan | None) -> float:
    """Seconds since the latest event; a starting server sends none for long."""
    current, link = progress.current, followed.link if followed else None
    if current is None or current.state != "active" or link is None or link.state != "up":
        return 0.0
    heard_at = progress.heard_at or current.at
    return 0.0 if link.clock_offset_s is None else max(0.0, time.time() + link.clock_offset_s - heard_at)


class RunningPlansBar(QScrollArea):
    """A row of plans, hidden while there is only one."""

    chosen = Signal(str)  # plan id

    def __init__(self, theme: Theme) -> None:
        super().__init__()
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
