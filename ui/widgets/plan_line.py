"""A plan in one line: how it is reached, what it does, a small line of its latest QPS."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.following.follower import FollowerLinkState
from app.following.progress import RECENT, PlanProgress
from ui.core.plain import as_tip
from ui.core.theme import SPACE, Theme

from .charts.lines import runs
from .elided import ElidedLabel
from .focus_frame import FocusFrame
from .layouts import in_row
from .table import tabular


class PlanLineData(Protocol):
    """The data that a line needs of a followed plan."""

    @property
    def name(self) -> str: ...
    @property
    def target(self) -> ShownTarget: ...
    @property
    def progress(self) -> PlanProgress: ...
    @property
    def link(self) -> FollowerLinkState: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def problem(self) -> str: ...


class ShownTarget(Protocol):
    @property
    def name(self) -> str: ...


class Sparkline(QWidget):
    """QPS of the latest seconds, from zero to their maximum, with gaps."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._values: list[float | None] = []
        self.setFixedSize(QSize(9 * SPACE, 2 * SPACE))
        self.setAccessibleName("QPS of the last minute")

    def set_values(self, values: Sequence[float | None]) -> None:
        if list(values) != self._values:
            self._values = list(values)
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(self._theme.colour("accent"), 1))
        for run in runs(self._points()):
            painter.drawPolyline(run)
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()

    def _points(self) -> Iterator[QPointF | None]:
        """The newest is at the right edge."""
        top = max((value for value in self._values if value is not None), default=0.0) or 1.0
        area = QRectF(self.rect()).adjusted(0, 1, -1, -2)
        for at, value in enumerate(self._values, RECENT - len(self._values)):
            x = area.left() + at / (RECENT - 1) * area.width()
            yield None if value is None else QPointF(x, area.bottom() - value / top * area.height())


class PlanLine(FocusFrame):
    """A line; a click or Enter shows its plan."""

    clicked = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._text = ElidedLabel()
        self._text.setFont(tabular(self._text.font()))
        self._line = Sparkline(theme)
        self.setLayout(in_row(self._line, self._text, margins=(SPACE // 2, 0, SPACE // 2, 0)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def text(self) -> str:
        return self._text.text()

    def set_chosen(self, is_chosen: bool) -> None:
        """Show it in bold if its plan is on view."""
        font = self._text.font()
        if font.bold() != is_chosen:
            font.setBold(is_chosen)
            self._text.setFont(font)

    def show_plan(self, plan: PlanLineData) -> None:
        """Show the plan."""
        self._line.set_values(list(plan.progress.recent_qps))
        text = line_text(plan)
        if text != self._text.text():
            self._text.setText(text)
            self.setAccessibleName(f"Plan {text}")
        self.setToolTip(as_tip(f"{plan.progress.line}\n{plan.problem or link_state_text(plan.link)}".strip()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self.clicked.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.is_framed:
            painter = QPainter(self)
            painter.setPen(QPen(self.palette().accent().color(), 1))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            painter.end()


_TROUBLES = {"down": "link lost", "busy": "history locked"}


def line_text(plan: PlanLineData) -> str:
    """`duel on nuc-i3  52,310 QPS  about 3 min left`."""
    parts = [f"{plan.name} on {plan.target.name}"]
    if plan.problem or plan.link.state in _TROUBLES:
        parts.append("cannot be followed" if plan.problem else _TROUBLES[plan.link.state])
    elif plan.is_over:
        parts.append(plan.progress.ending or "over")
    elif plan.link.state == "connecting":
        parts.append("connecting")
    else:
        parts += _pace(plan.progress)
    return "  ".join(parts)


def _pace(progress: PlanProgress) -> list[str]:
    qps = progress.qps_text
    return [*filter(None, (f"{qps} QPS" if qps else "", progress.left_text()))]


def link_state_text(link: FollowerLinkState) -> str:
    """The state of the link, if it matters."""
    if link.state in _TROUBLES:
        why = link.window_text or link.text
        return f"{_TROUBLES[link.state]}, the plan continues; next try in {link.retry_s:.0f} s: {why}"
    return "connecting" if link.state == "connecting" else ""
