"""The Run button, the reason why it is disabled, the progress of a start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.planner.starting.choices import NO_SURVEY
from app.planner.starting.launch import Launch, Stage
from ui.core.plain import Label, as_tip
from ui.core.tasks import Tasks
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button

T = TypeVar("T")
QUIET_WAIT_S = 600


class Starter(QObject):
    """Runs a start off the GUI thread, one at a time."""

    advanced = Signal(object)  # Stage; None: over
    ended = Signal(object)  # the last Stage
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._launch: Launch | None = None

    @property
    def is_busy(self) -> bool:
        return self._launch is not None

    def run(self, launch: Launch) -> None:
        self._launch = launch
        self.advanced.emit(Stage())  # the threads may have other things to do first
        self._tasks.run_long(
            self,
            lambda tell: _last_of(launch, tell),
            self._unless_cancelled(launch, self.advanced.emit),
            self._unless_cancelled(launch, lambda stage: self._end(self.ended, stage)),
            self._unless_cancelled(launch, lambda error: self._end(self.failed, error)),
        )

    def cancel(self) -> bool:
        """Cancel; False if it is too late."""
        if self._launch is None or not self._launch.cancel():
            return False
        self._launch = None
        self.advanced.emit(None)
        return True

    def _unless_cancelled(self, launch: Launch, tell: Callable[[T], None]) -> Callable[[T], None]:
        """Pass the answer on, unless the start was cancelled."""

        def deliver(value: T) -> None:
            if launch is self._launch:
                tell(value)

        return deliver

    def _end(self, signal: SignalInstance, value: object) -> None:
        self._launch = None
        self.advanced.emit(None)
        signal.emit(value)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} targets"


def _last_of(launch: Launch, tell: Callable[[Stage], None]) -> Stage:
    """Run it on a pool thread and report each stage; the last one has the result."""
    for stage in launch.stages():
        tell(stage)
    return stage


class RunBar(QWidget):
    """The Run button and its texts."""

    run_wanted = Signal()
    rehearsal_wanted = Signal()
    queue_wanted = Signal()
    cancel_wanted = Signal()
    several_wanted = Signal()
    load_wanted = Signal()
    busy_allowed = Signal(bool)
    small_disk_allowed = Signal(bool)
    quiet_wanted = Signal(bool)
    repeat_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._obstacle, self._is_busy = NO_SURVEY, False
        self.reason = Label()
        self.reason.setWordWrap(True)
        self.reason.setProperty("role", "muted")
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Progress of the start")
        self.progress.setTextVisible(False)
        self.busy = QCheckBox("Allow a busy target")
        self.busy.setToolTip(
            "Start while a plan of another directory runs on the target; this distorts the results"
        )
        self.busy.clicked.connect(self.busy_allowed)
        self.small_disk = QCheckBox("Allow a small disk")
        self.small_disk.setToolTip("Start although the plan may fill the disk of the target")
        self.small_disk.clicked.connect(self.small_disk_allowed)
        self.quiet = QCheckBox("Wait until quiet")
        minutes = QUIET_WAIT_S // 60
        self.quiet.setToolTip(
            as_tip(f"Before each session, wait up to {minutes} minutes for other programs to become idle")
        )
        self.quiet.clicked.connect(self.quiet_wanted)
        self.repeat = QCheckBox("Repeat if disturbed")
        self.repeat.setToolTip(
            as_tip("Repeat read-only steps and sessions that other programs disturbed, up to three times")
        )
        self.repeat.clicked.connect(self.repeat_wanted)
        self.run = action(self, "Run", "run", "Check, rehearse and start the plan", self.run_wanted.emit)
        tip = "Check and start each contender once on an empty directory; nothing is measured"
        self.rehearse = action(self, "Rehearse", "rehearse", tip, self.rehearsal_wanted.emit)
        tip = "Add the plan to the queue of the target, with or without a start time"
        self.queue = action(self, "Queue plan…", "queue plan", tip, self.queue_wanted.emit)
        tip = "Run the same work on several targets; Dyno checks all before any starts"
        self.several = action(self, "Several targets…", "", tip, self.several_wanted.emit)
        tip = "Let other targets drive the load, so that the server has its machine to itself"
        self.load = action(self, "Load from…", "", tip, self.load_wanted.emit)
        self.cancel = action(self, "Cancel", "stop", "Cancel the start and clean up", self.cancel_wanted.emit)
        self._tip = self.run.toolTip()
        self.button = action_button(self.run)
        self.button.setProperty("accent", True)
        self._build_layout()
        self.show_stage(None)

    def show_obstacle(self, text: str) -> None:
        """Show why it cannot run; '' if it can."""
        self._obstacle = text
        self._refresh()

    def offer_several(self, is_offered: bool) -> None:
        """Offer several targets, or load from others, if there are any."""
        self._several_button.setVisible(is_offered)
        self._load_button.setVisible(is_offered)

    def show_load(self, names: Sequence[str]) -> None:
        """Show which targets drive the load."""
        self.load.setText("Load from…" if not names else f"Load from {_listed(names)}…")

    def show_stage(self, stage: Stage | None) -> None:
        """Show the stage of a start; None without one."""
        self._is_busy = stage is not None
        if stage is not None:
            self.progress.setMaximum(stage.total)
            self.progress.setValue(stage.done)
            self.progress.setAccessibleDescription(stage.next)
            self.reason.setText(f"{stage.next}…")
        self._refresh()

    def _build_layout(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE)
        buttons.addWidget(self.button, 1)
        self._rehearse_button, self._cancel_button = map(action_button, (self.rehearse, self.cancel))
        buttons.addWidget(action_button(self.queue))  # always: Run would grow over its place
        buttons.addWidget(self._rehearse_button)
        buttons.addWidget(self._cancel_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        choices = QGridLayout()
        choices.setHorizontalSpacing(SPACE)
        choices.setVerticalSpacing(SPACE // 4)
        choices.addWidget(self.quiet, 0, 0)
        choices.addWidget(self.busy, 0, 1)
        choices.addWidget(self.repeat, 1, 0)
        choices.addWidget(self.small_disk, 1, 1)
        self._several_button = action_button(self.several)
        self._load_button = action_button(self.load)
        for column, button in enumerate((self._several_button, self._load_button)):
            button.hide()
            choices.addWidget(button, 2, column, Qt.AlignmentFlag.AlignLeft)
        choices.setColumnStretch(1, 1)
        layout.addLayout(choices)
        layout.addWidget(self.reason)
        layout.addWidget(self.progress)
        layout.addLayout(buttons)

    def _refresh(self) -> None:
        """Refresh; the focus stays here, on Cancel during a start."""
        can = not self._obstacle and not self._is_busy
        starting, cancelling = (self.button, self._rehearse_button), self._cancel_button
        if self._is_busy:
            cancelling.setVisible(True)
            self.cancel.setEnabled(True)
            if any(each.hasFocus() for each in starting):
                cancelling.setFocus()
        self.run.setEnabled(can)
        self.rehearse.setEnabled(can)
        self.queue.setEnabled(can)
        self.several.setEnabled(can)
        self.run.setToolTip(as_tip(self._obstacle or self._tip))
        if not self._is_busy:
            if cancelling.hasFocus():
                self.button.setFocus()
            self.cancel.setEnabled(False)
            cancelling.setVisible(False)
        self._rehearse_button.setVisible(not self._is_busy)
        self.progress.setVisible(self._is_busy)
        if not self._is_busy:
            self.reason.setText(self._obstacle)
        self.reason.setVisible(bool(self.reason.text()))
