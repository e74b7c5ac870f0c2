"""What is shown of the chosen target: its state, the way to it, its survey."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QElapsedTimer, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QScrollArea,
    QWidget,
)

from app.remote.hostkeys import HostKeyChangedError, HostKeyError
from app.remote.secrets import SecretNeededError
from app.remote.target import Target
from ui.core.plain import PlainTextLabel, as_tip, error_with_details, fitted
from ui.core.theme import SPACE
from ui.widgets.layouts import in_column, in_grid, in_row
from ui.widgets.message import MessageBar

from .list import TargetState
from .survey_card import SurveyCard
from .surveying import ConnectionProgress, survey_stages

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


class TargetView(QWidget):
    """Shows one target."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = MessageBar()
        self.stages = StagesView(self)
        self.card = SurveyCard(self)
        self.directory = DirectoryChoice()
        self.log_in, self.look = QAction("Log in…", self), QAction("Look at the key…", self)
        survey = scrolled("Survey", self.stages, self.card)
        self.setLayout(in_column(self.message, self.directory, (survey, 1)))

    def show_state(self, state: TargetState) -> None:
        """Show its survey, and why there is no newer one."""
        self.directory.show_directories(state.target.directories)
        if state.survey:
            self.card.show_survey(state.survey)
        else:
            self.card.clear()
        if state.error is None:
            self.message.clear()
        else:
            self._show_problem(state.target.name, state.error)

    def begin(self, target: Target) -> None:
        """Show that a way to the target begins."""
        self.message.clear()
        self.stages.begin(survey_stages(target))

    def advance(self, advance: ConnectionProgress) -> None:
        self.stages.advance(advance.stage, advance.what)

    def end(self, state: TargetState) -> None:
        """The way has ended, with or without success."""
        if state.error is None:
            self.stages.finish()
        else:
            self.stages.fail()
        self.show_state(state)

    def _show_problem(self, name: str, error: Exception) -> None:
        match error:
            case SecretNeededError():
                self.message.show_warning(f"{name} needs the {error.what}", self.log_in)
            case HostKeyChangedError():
                self.message.show_error(f"THE HOST KEY OF {_refused(error, 'HAS CHANGED')}", "", self.look)
            case HostKeyError():
                self.message.show_warning(f"The host key of {_refused(error, 'is unknown')}", self.look)
            case _:
                self.message.show_error(*error_with_details(error))


class DirectoryChoice(QWidget):
    """Chooses the directory for plans, on a target with several; default: the first."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._box = QComboBox()
        self._box.setAccessibleName("Data directory")
        self._box.setToolTip("Plans run here: Dyno surveys, checks and measures its disk")
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._box.textActivated.connect(self.chosen)
        self.setLayout(in_row(PlainTextLabel("&Directory", "muted", buddy=self._box), (self._box, 1)))
        self.hide()

    def show_directories(self, directories: Sequence[str]) -> None:
        self.setVisible(len(directories) > 1)
        if [self._box.itemText(at) for at in range(self._box.count())] != sorted(directories):
            self._box.clear()
            self._box.addItems(sorted(directories))
        self._box.setCurrentText(directories[0])


def _refused(error: HostKeyError, how: str) -> str:
    return f"{error.host} port {error.port} {how}: nothing was sent to it"


def scrolled(name: str, *widgets: QWidget) -> QScrollArea:
    """Widgets in a column that scrolls if it is too high."""
    area = QScrollArea(widgets[0].parentWidget())  # from the outside in: what is taken over is styled again
    content = QWidget()
    area.setWidget(content)
    content.setLayout(in_column(*widgets, 1))
    area.setAccessibleName(name)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    return area


class StagesView(QFrame):
    """The way to a target: a line for each stage with its subject and duration."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName("Stages of the connection")
        self._clock = QElapsedTimer()
        self._lines: dict[str, _Line] = {}
        self._active = ""
        grid = in_grid(SPACE, SPACE // 2, margins=(SPACE,) * 4)
        grid.setColumnStretch(2, 1)
        self.setLayout(grid)
        for row, stage in enumerate(_TITLES):
            self._lines[stage] = _Line(grid, row, _TITLES[stage])
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


class _Elided(PlainTextLabel):
    """Muted text that is cut, so that long host names do not widen the page."""

    def __init__(self) -> None:
        super().__init__(role="muted")
        self.setMinimumWidth(1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        shown = fitted(self.fontMetrics(), self.text(), Qt.TextElideMode.ElideMiddle, self.width())
        QPainter(self).drawText(self.rect(), Qt.AlignmentFlag.AlignVCenter, shown)


class _Line:
    def __init__(self, layout: QGridLayout, row: int, title: str) -> None:
        self.state = "waiting"
        self._mark, self._title = PlainTextLabel(), PlainTextLabel(title)
        self._what, self._took = _Elided(), PlainTextLabel(role="muted")
        self._mark.setFixedWidth(2 * SPACE)
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
        self._mark.set_role(_ROLES[state])
        self._what.setText(what)
        self._what.setToolTip(as_tip(what))
        self._took.setText("")

    def end(self, state: str, took_ms: int) -> None:
        self.set(state, self._what.text())
        self._took.setText(f"{took_ms} ms" if took_ms < 1000 else f"{took_ms / 1000:.1f} s")

    def _labels(self) -> tuple[QLabel, QLabel, QLabel, QLabel]:
        return self._mark, self._title, self._what, self._took
