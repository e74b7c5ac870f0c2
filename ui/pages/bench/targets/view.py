"""What is shown of the chosen target: its state, the way to it, its survey."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.remote.hostkeys import HostKeyChangedError, HostKeyError
from app.remote.secrets import SecretNeededError
from app.remote.target import Target
from ui.core.plain import Label, error_lines
from ui.core.theme import SPACE
from ui.widgets.message import Message

from .state import TargetState
from .survey_card import SurveyCard
from .survey_stages import StagesView
from .surveying import Advance, stages_of


class TargetView(QWidget):
    """Shows one target."""

    login_wanted = Signal()
    key_wanted = Signal()  # the host key is to be looked at
    directory_wanted = Signal(str)  # plans are to be carried out in this one

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message = Message()
        self.stages = StagesView(self)
        self.card = SurveyCard(self)
        self.directory = DirectoryChoice()
        self.directory.chosen.connect(self.directory_wanted)
        self._log_in = QAction("Log in…", self)
        self._log_in.triggered.connect(lambda: self.login_wanted.emit())
        self._look = QAction("Look at the key…", self)
        self._look.triggered.connect(lambda: self.key_wanted.emit())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.message)
        layout.addWidget(self.directory)
        layout.addWidget(scrolled("Survey", self.stages, self.card), 1)

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
        self.stages.begin(stages_of(target))

    def advance(self, advance: Advance) -> None:
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
                self.message.show_warning(f"{name} needs the {error.what}", self._log_in)
            case HostKeyChangedError():
                self.message.show_error(f"THE HOST KEY OF {_refused(error, 'HAS CHANGED')}", "", self._look)
            case HostKeyError():
                self.message.show_warning(f"The host key of {_refused(error, 'is unknown')}", self._look)
            case _:
                self.message.show_error(*error_lines(error))


class DirectoryChoice(QWidget):
    """Chooses the directory for plans, on a target with several; default: the first."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QComboBox()
        self._box.setAccessibleName("Data directory")
        self._box.setToolTip("Plans run here: Dyno surveys, checks and measures its disk")
        self._box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._box.textActivated.connect(self._on_activated)
        label = Label("&Directory")
        label.setProperty("role", "muted")
        label.setBuddy(self._box)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(label)
        layout.addWidget(self._box, 1)
        self.hide()

    def show_directories(self, directories: Sequence[str]) -> None:
        self.setVisible(len(directories) > 1)
        if [self._box.itemText(at) for at in range(self._box.count())] != sorted(directories):
            self._box.clear()
            self._box.addItems(sorted(directories))
        self._box.setCurrentText(directories[0])

    def _on_activated(self, directory: str) -> None:
        self.chosen.emit(directory)


def _refused(error: HostKeyError, how: str) -> str:
    return f"{error.host} port {error.port} {how}: nothing was sent to it"


def scrolled(name: str, *widgets: QWidget) -> QScrollArea:
    """Widgets in a column that scrolls if it is too high."""
    area = QScrollArea(widgets[0].parentWidget())  # from the outside in: what is taken over is styled again
    content = QWidget()
    area.setWidget(content)
    layout = QVBoxLayout(content)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(SPACE)
    for widget in widgets:
        layout.addWidget(widget)
    layout.addStretch(1)
    area.setAccessibleName(name)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    return area
