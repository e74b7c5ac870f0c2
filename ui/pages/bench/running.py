"""Run: one button, the reason where it cannot be pressed, the way to the start where it was."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.choices import NO_SURVEY
from app.starting import Stage, Start

from ...plain import Label, as_tip
from ...tasks import Tasks
from ...theme import SPACE
from ...widgets.actions import action, action_button

TICK_MS = 100


class Starter(QObject):
    """Carries a start out off the GUI thread, one at a time."""

    advanced = Signal(object)  # Stage; None: over
    started = Signal(object)  # Started
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._start: Start | None = None
        self._clock = QTimer(self, interval=TICK_MS)
        self._clock.timeout.connect(self._on_tick)

    @property
    def is_busy(self) -> bool:
        return self._start is not None

    def carry_out(self, start: Start) -> None:
        self._start = start
        self._clock.start()
        self._on_tick()
        started, failed = self.started.emit, self.failed.emit
        self._tasks.run(self, start.carry_out, self._ending(start, started), self._ending(start, failed))

    def cancel(self) -> bool:
        """Nothing is started; False where it is too late for that."""
        if self._start is None or not self._start.cancel():
            return False
        self._end()
        return True

    def _ending(self, start: Start, tell: Callable[[object], None]) -> Callable[[object], None]:
        """What was cancelled ends by itself, and is not heard of again."""

        def end(value: object) -> None:
            if start is self._start:
                self._end()
                tell(value)

        return end

    def _end(self) -> None:
        self._start = None
        self._clock.stop()
        self.advanced.emit(None)

    def _on_tick(self) -> None:
        if self._start is not None:
            self.advanced.emit(self._start.stage)


class RunBar(QWidget):
    """The button and what it has to say."""

    run_wanted = Signal()
    rehearsal_wanted = Signal()
    cancel_wanted = Signal()
    busy_allowed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._obstacle, self._is_busy = NO_SURVEY, False
        self.reason = Label()
        self.reason.setWordWrap(True)
        self.reason.setProperty("role", "muted")
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Way to the start")
        self.progress.setTextVisible(False)
        self.busy = QCheckBox("Allow a busy target")
        self.busy.setToolTip(
            "Start although another plan is carried out on the target: the figures will suffer"
        )
        self.busy.clicked.connect(self.busy_allowed)
        self.run = action(self, "Run", "Ctrl+R", "Check, rehearse and start the plan", self.run_wanted.emit)
        tip = "Check and start each contender once on an empty directory; nothing is measured"
        self.rehearse = action(self, "Rehearse", "Ctrl+Shift+R", tip, self.rehearsal_wanted.emit)
        self.cancel = action(
            self, "Cancel", "Ctrl+.", "Give the start up; nothing is left behind", self.cancel_wanted.emit
        )
        self._tip = self.run.toolTip()
        self.button = action_button(self.run)
        self.button.setProperty("accent", True)
        self._lay_out()
        self.show_stage(None)

    def show_obstacle(self, text: str) -> None:
        """Why it cannot be run; '' if it can."""
        self._obstacle = text
        self._refresh()

    def show_stage(self, stage: Stage | None) -> None:
        """How far a start is; None: none is on its way."""
        self._is_busy = stage is not None
        if stage is not None:
            self.progress.setMaximum(stage.total)
            self.progress.setValue(stage.done)
            self.progress.setAccessibleDescription(stage.text)
            self.reason.setText(f"{stage.text}…")
        self._refresh()

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(SPACE)
        buttons.addWidget(self.button, 1)
        self._rehearse_button, self._cancel_button = (
            action_button(each) for each in (self.rehearse, self.cancel)
        )
        buttons.addWidget(self._rehearse_button)
        buttons.addWidget(self._cancel_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.busy)
        layout.addWidget(self.reason)
        layout.addWidget(self.progress)
        layout.addLayout(buttons)

    def _refresh(self) -> None:
        can = not self._obstacle and not self._is_busy
        self.run.setEnabled(can)
        self.rehearse.setEnabled(can)
        self.run.setToolTip(as_tip(self._obstacle or self._tip))
        self.cancel.setEnabled(self._is_busy)
        self._cancel_button.setVisible(self._is_busy)
        self._rehearse_button.setVisible(not self._is_busy)
        self.progress.setVisible(self._is_busy)
        if not self._is_busy:
            self.reason.setText(self._obstacle)
        self.reason.setVisible(bool(self.reason.text()))
