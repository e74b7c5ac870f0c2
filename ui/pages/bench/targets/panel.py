"""The targets of the Bench page: which there are, their state, what the latest survey has found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QModelIndex, QTimer, Signal
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget

from app.core.errors import DynoError
from app.core.settings import read_settings
from app.protocol.answers import Survey
from app.remote.target import LOCAL, Target
from app.targets.surveys import DatedSurvey
from ui.core.context import WindowContext
from ui.core.page import HEAD
from ui.core.plain import PlainTextLabel
from ui.dialogs.questions import ask_before
from ui.widgets.actions import action, action_button, short_button
from ui.widgets.layouts import in_column
from ui.widgets.message import Banner
from ui.widgets.wrapping_row import WrappingRow

from .builds import BuildActions
from .editor import TargetEditor
from .known import TargetListUpdater
from .list import TargetList
from .machine_commands import TargetActions
from .surveying import ConnectionProgress
from .view import TargetView, scrolled

STALE_S = 300.0  # age from which a survey is renewed when a person turns to the window
SOON_MS = 300  # moving through the list by keyboard surveys no machine on the way
TICK_MS = 30_000  # of the ages
CHOSEN = "bench/target"  # as the window remembers it


class TargetsPanel(QWidget):
    """The list of targets, and below it the chosen one: its way and survey, or its form."""

    target_chosen = Signal(str)  # its name

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._chosen: str = _wanted(context.home) or context.memory.value(CHOSEN, LOCAL)
        self._was_shown = False
        self.known = TargetListUpdater(context, self)
        self.list = TargetList(self.known.model, context.theme)
        self.message = Banner(self)
        self._stack = QStackedWidget(self)
        self.view = TargetView(self._stack)
        self.editor = TargetEditor(context, self._stack)
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._make_actions()
        self._build_layout()
        self._connect()
        self.reload()

    # what others ask for

    @property
    def chosen(self) -> Target:
        """The target of plans."""
        state = self.known.state_of(self._chosen) or self.known.model.all()[0]
        return state.target

    def all(self) -> list[Target]:
        return [state.target for state in self.known.model.all()]

    def choose(self, name: str) -> None:
        """Choose this target; an old survey is renewed in the background."""
        self.list.select(name)

    def survey_of(self, name: str) -> Survey | None:
        """The latest survey, also of an earlier day; None without one."""
        survey = self.known.survey_of(name)
        return survey.content if survey else None

    def panel_actions(self) -> Sequence[QAction | None]:
        """The actions for the page's menu, which makes their shortcuts work."""
        return (
            self._add, self._edit, self._survey, self._remove, *self.machine.all(), *self.builds.all(),
        )  # fmt: skip

    def reload(self) -> None:
        """Read targets.toml again; targets that stay the same keep their state."""
        self.message.clear()
        self.known.reload()
        self.editor.taken = frozenset(state.target.name for state in self.known.model.all())
        if self.known.state_of(self._chosen) is None:
            self.choose(LOCAL)
        self.list.select(self._chosen)
        self._show_chosen()

    # what a person does

    def survey_chosen(self) -> None:
        """Survey it visibly, with questions for secrets and host keys."""
        self.known.reload()  # the command line may have named a build there meanwhile
        self.view.begin(self.chosen)
        self.known.survey(self.chosen.name, is_asking=True)
        self._context.looking.look()

    def add(self) -> None:
        """Show the form of a new target."""
        self._set_editing(True)
        self.editor.begin(None)

    def edit(self) -> None:
        """Show the form of the chosen target."""
        self._set_editing(True)
        self.editor.begin(self.chosen)

    def remove(self) -> None:
        """Remove the chosen target, after a question."""
        name, state = self.chosen.name, self.known.state_of(self.chosen.name)
        going = (
            "The plan there continues, but Dyno will not find it again. " if state and state.has_plan else ""
        )
        text = f"{going}Nothing on the machine changes, and its sessions stay in the history."
        ask_before(self, f"Remove the target {name}?", text, lambda: self.known.remove(name))

    # making it

    def _make_actions(self) -> None:
        self._add = action(self, "&Add a target…", "add", "Add another machine over SSH", self.add)
        self._edit = action(self, "&Edit the target…", "edit target", "Change the chosen target", self.edit)
        tip = "Test the connection and survey the target again"
        self._survey = action(self, "S&urvey the target", "look again", tip, self.survey_chosen)
        self.builds = BuildActions(self._context, self.view.card.builds, lambda: self.chosen, self)
        self.machine = TargetActions(self._context, lambda: self.chosen, self)
        self.machine.snapshots_closed.connect(lambda name: self.known.survey(name, is_asking=False))
        self._remove = action(
            self, "&Remove the target…", "remove target", "Remove the chosen target from Dyno", self.remove
        )

    def _build_layout(self) -> None:
        shorts = {self._add: "Add", self._edit: "Edit", self._survey: "Survey", self._remove: "Remove"}
        for each in (self.builds.install, self.machine.snapshots):
            self.view.card.add_button(action_button(each))
        self._stack.addWidget(self.view)
        self._stack.addWidget(scrolled("Target", self.editor))
        self.setLayout(in_column(_head(self.list, shorts), self.list, (self._stack, 1)))

    def _connect(self) -> None:
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self.known.advanced.connect(self._on_advanced)
        self.known.ended.connect(self._on_ended)
        self.known.troubled.connect(self.message.show_failure)
        self.known.removed.connect(lambda _: self.reload())
        self.builds.changed.connect(lambda name: self.known.survey(name, is_asking=False))
        self.builds.targets_changed.connect(self.known.report_changed)
        self.builds.failed.connect(self.message.show_failure)
        self.view.log_in.triggered.connect(self.survey_chosen)
        self.view.look.triggered.connect(lambda: self.known.look_at_key(self._chosen))
        self.view.directory.chosen.connect(lambda each: self.known.use_directory(self._chosen, each))
        self.known.changed.connect(self._on_changed)
        self.editor.saved.connect(self._on_saved)
        self.editor.cancelled.connect(lambda: self._set_editing(False))
        self._soon.timeout.connect(lambda: self.known.survey_if_old(self._chosen))
        self._context.plans.looked.connect(self._on_looked)
        tick = QTimer(self, interval=TICK_MS)
        tick.timeout.connect(self._on_tick)
        tick.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self._soon.start()

    def _show_chosen(self) -> None:
        state = self.known.state_of(self._chosen)
        if state is not None:
            self.view.show_state(state)
            self._remove.setEnabled(self.list.isEnabled() and not state.target.is_local)

    def _set_editing(self, is_editing: bool) -> None:
        """Disable the list while a target is edited, so that no click loses the input."""
        self._stack.setCurrentIndex(1 if is_editing else 0)
        for part in (self.list, self._add, self._edit, self._survey, self.machine.snapshots):
            part.setEnabled(not is_editing)
        self.builds.set_enabled(not is_editing)
        self._remove.setEnabled(not is_editing and not self.chosen.is_local)
        if not is_editing:
            self.list.setFocus()

    # what comes

    def _on_current_changed(self, current: QModelIndex) -> None:
        if not current.isValid() or current.data() == self._chosen:
            return
        self._chosen = current.data()
        self._context.memory.keep(CHOSEN, self._chosen)
        self.view.stages.hide()
        self._show_chosen()
        self.target_chosen.emit(self._chosen)
        self._soon.start()

    def _on_advanced(self, advance: ConnectionProgress) -> None:
        if advance.target.name == self._chosen:
            self.view.advance(advance)

    def _on_ended(self, name: str) -> None:
        state = self.known.state_of(name)
        if name == self._chosen and state is not None:
            self.view.end(state)

    def _on_saved(self, target: Target, survey: DatedSurvey | None) -> None:
        self._set_editing(False)
        self.known.report_changed()
        self.reload()
        if target.name == self._chosen:
            self.target_chosen.emit(target.name)  # it may be another machine now
        self.choose(target.name)
        if survey is not None:
            self.known.take(target, survey)
        else:
            self.survey_chosen()

    def _on_changed(self, name: str) -> None:
        """The target has a new address: drop what is known of the old one."""
        if name == self._chosen:
            self._show_chosen()
            self.target_chosen.emit(name)
            self.survey_chosen()

    def _on_looked(self, target: Target) -> None:
        """Somebody has turned to the window, and a plan that is at work there is known by now."""
        if target.name == self._chosen and self.view.isVisible():
            self.known.survey_if_old(target.name, STALE_S)

    def _on_tick(self) -> None:
        self.known.model.update_time()
        self.view.card.update_time()


def _head(targets: TargetList, shorts: Mapping[QAction, str]) -> WrappingRow:
    """The heading of the list with its buttons."""
    heading = PlainTextLabel("&Target", "heading", buddy=targets)
    heading.setMinimumHeight(HEAD)
    heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    head = WrappingRow(heading, gap=0)
    for each, text in shorts.items():
        head.addWidget(short_button(each, text))
    return head


def _wanted(home: Path) -> str:
    """The target to choose at the start, by the settings."""
    try:
        return read_settings(home).target
    except DynoError:  # shown where the settings are needed
        return ""
