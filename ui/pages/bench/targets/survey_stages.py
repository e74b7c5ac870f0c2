"""The way to a target, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from ui.core.plain import Label, as_tip, fitted
from ui.core.theme import SPACE

_TITLES = {
    "resolve": "Resolve the name",
    "connect": "Connect",
    "host key": "Check the host key",
    "log in": "Log in",
    "deploy": "Upload the agent",
    "survey": "Survey",
}
_MARKS = {"waiting": "·", "active": "▸", "done": "✓", "failed": "✗"}
_ROLES = {"waiting": "muted", "active": "heading", "done": "good", "failed": "bad"}


class StagesView(QFrame):
    """A line for each stage with its subject and duration."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName("Stages of the connection")
        self._clock = QElapsedTimer()
        self._lines: dict[str, _Line] = {}
        self._active = ""
        self._layout = QGridLayout(self)
        self._layout.setContentsMargins(SPACE, SPACE, SPACE, SPACE)
        self._layout.setHorizontalSpacing(SPACE)
        self._layout.setVerticalSpacing(SPACE // 2)
        self._layout.setColumnStretch(2, 1)
        for row, stage in enumerate(_TITLES):
            self._lines[stage] = _Line(self._layout, row, _TITLES[stage])
        self.hide()

    def begin(self, stages: Sequence[str]) -> None:
        """Begin a way with these stages."""
        self._active = ""
        for stage, line in self._lines.items():
            line.set_visible(stage in stages)
            line.set("waiting", "")
        self.show()

    def advance(self, stage: str, what: str) -> None:
        """A stage begins, so earlier ones are done; each host on the way repeats them."""
        self._end("done")
        at = list(self._lines).index(stage)
        lines = list(self._lines.values())
        for line in lines[at + 1 :]:
            line.set("waiting", "")
        for line in lines[:at]:
            if line.state == "waiting":  # a way that had begun before somebody looked
                line.set("done", "")
        self._active = stage
        self._lines[stage].set("active", what)
        self._clock.start()

    def finish(self) -> None:
        self._end("done")

    def fail(self) -> None:
        self._end("failed")

    def state_of(self, stage: str) -> str:
        return self._lines[stage].state

    def _end(self, state: str) -> None:
        if self._active:
            self._lines[self._active].end(state, self._clock.elapsed())
        self._active = ""


class _Elided(Label):
    """Muted text that is cut, so that long host names do not widen the page."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "muted")
        self.setMinimumWidth(1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        shown = fitted(self.fontMetrics(), self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        QPainter(self).drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, shown)


class _Line:
    def __init__(self, layout: QGridLayout, row: int, title: str) -> None:
        self.state = "waiting"
        self._mark, self._title, self._what, self._took = Label(), Label(title), _Elided(), Label()
        self._mark.setFixedWidth(2 * SPACE)
        self._took.setProperty("role", "muted")
        self._took.setAlignment(Qt.AlignmentFlag.AlignRight)
        for column, label in enumerate(self._labels()):
            layout.addWidget(label, row, column)

    def set_visible(self, is_visible: bool) -> None:
        for label in self._labels():
            label.setVisible(is_visible)

    def set(self, state: str, what: str) -> None:
        self.state = state
        self._mark.setText(_MARKS[state])
        self._mark.setAccessibleName(state)
        self._mark.setProperty("role", _ROLES[state])
        self._mark.style().polish(self._mark)
        self._what.setText(what)
        self._what.setToolTip(as_tip(what))
        self._took.setText("")

    def end(self, state: str, took_ms: int) -> None:
        self.set(state, self._what.text())
        self._took.setText(f"{took_ms} ms" if took_ms < 1000 else f"{took_ms / 1000:.1f} s")

    def _labels(self) -> tuple[QLabel, QLabel, QLabel, QLabel]:
        return self._mark, self._title, self._what, self._took
