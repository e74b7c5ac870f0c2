"""The Run button with what is ticked for it, the reason why it is disabled, the progress of a start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QProgressBar, QSizePolicy, QWidget

from app.planner.request.request import PlanRequest
from app.planner.starting.choices import NO_SURVEY
from app.planner.starting.launch import LaunchStage
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE
from ui.widgets.actions import action, action_button
from ui.widgets.layouts import in_column
from ui.widgets.wrapping_row import WrappingRow

QUIET_WAIT_S = 600


class OnOffField(NamedTuple):
    """A field of the request that is on or off."""

    text: str
    help: str
    on: object = True
    off: object = False


TICKS = {
    "quiet_wait": OnOffField(
        "Wait until quiet",
        f"Before each session, wait up to {QUIET_WAIT_S // 60} minutes for other programs to become idle",
        QUIET_WAIT_S,
        0,
    ),
    "allow_busy": OnOffField(
        "Allow a busy target",
        "Start while a plan of another directory runs on the target; this distorts the results",
    ),
    "repeat_if_disturbed": OnOffField(
        "Repeat if disturbed",
        "Repeat read-only steps and sessions that other programs disturbed, up to three times",
    ),
    "allow_small_disk": OnOffField(
        "Allow a small disk", "Start although the plan may fill the disk of the target"
    ),
}


class RunBar(QWidget):
    """The Run button and its texts; the page carries out its actions."""

    ticked = Signal(str, object)  # field of the request, value

    def __init__(self) -> None:
        super().__init__()
        self._obstacle, self._is_busy, self._at_work = NO_SURVEY, False, ""
        self.reason = PlainTextLabel(role="muted", wraps=True)
        self.progress = QProgressBar()
        self.progress.setAccessibleName("Progress of the start")
        self.progress.setTextVisible(False)
        self.options = QWidget()  # ticks and buttons that the page shows elsewhere
        self.ticks = {name: self._make_tick(name, tick) for name, tick in TICKS.items()}
        self.run = action(
            self, "Run", "run", "Check all, start each server once on an empty directory, then measure"
        )
        tip = "Check all and start each server once on an empty directory; nothing is measured"
        self.rehearse = action(self, "Rehearse", "rehearse", tip)
        tip = "Add the plan to the queue of the target, with or without a start time"
        self.queue = action(self, "Queue plan…", "queue plan", tip)
        tip = "Set up a count of the instructions of what is ticked: work, not speed"
        self.count = action(self, "Count the work", "count work", tip)
        tip = "Run the same work on several targets; Dyno checks all before any starts"
        self.several = action(self, "Several targets…", "", tip)
        tip = "Let other targets drive the load, so that the server has its machine to itself"
        self.load = action(self, "Load from…", "", tip)
        self.cancel = action(self, "Cancel", "stop", "Cancel the start and clean up")
        self._tip = self.run.toolTip()
        self.button = action_button(self.run)
        self.button.setProperty("accent", True)
        self._build_layout()
        self.show_stage(None)

    def show_obstacle(self, text: str) -> None:
        """Show why it cannot run; '' if it can."""
        self._obstacle = text
        self._refresh()

    def show_busy(self, text: str) -> None:
        """Show that a plan is at work on the target; '' if none is."""
        self._at_work = text
        self._refresh()

    def offer_several(self, is_offered: bool) -> None:
        """Offer several targets, or load from others, if there are any."""
        self._several_button.setVisible(is_offered)
        self._load_button.setVisible(is_offered)

    def show_request(self, request: PlanRequest) -> None:
        for name, box in self.ticks.items():
            box.setChecked(bool(getattr(request, name)))
        self.load.setText(f"Load from {_listed(request.load)}…" if request.load else "Load from…")

    def show_stage(self, stage: LaunchStage | None) -> None:
        """Show the stage of a start; None without one."""
        self._is_busy = stage is not None
        if stage is not None:
            self.progress.setMaximum(stage.total)
            self.progress.setValue(stage.done)
            self.progress.setAccessibleDescription(stage.next)
            self.reason.setText(f"{stage.next}…")
        self._refresh()

    def _make_tick(self, name: str, tick: OnOffField) -> QCheckBox:
        box = QCheckBox(tick.text)
        box.setToolTip(as_tip(tick.help))
        box.clicked.connect(lambda is_on: self.ticked.emit(name, tick.on if is_on else tick.off))
        return box

    def _build_layout(self) -> None:
        self._rehearse_button, self._cancel_button = map(action_button, (self.rehearse, self.cancel))
        count = action_button(self.count)
        queue = action_button(self.queue)  # always shown: Run would grow over its place
        self.button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        buttons = WrappingRow(self.button, queue, count, self._cancel_button)
        self._several_button, self._load_button = map(action_button, (self.several, self.load))
        for button in (self._several_button, self._load_button):
            button.hide()
        parts = (*self.ticks.values(), self._rehearse_button, self._several_button, self._load_button)
        self.options.setLayout(in_column(*parts, spacing=SPACE // 2))
        self.setLayout(in_column(self.reason, self.progress, buttons))

    def _refresh(self) -> None:
        """Refresh; the focus stays here, on Cancel during a start."""
        can = not self._obstacle and not self._is_busy
        cancelling = self._cancel_button
        if self._is_busy:
            cancelling.setVisible(True)
            self.cancel.setEnabled(True)
            if self.button.hasFocus() or self._rehearse_button.hasFocus():
                cancelling.setFocus()
        self.run.setEnabled(can)
        self.rehearse.setEnabled(can)
        self.queue.setEnabled(can)
        self.several.setEnabled(can)
        self.run.setToolTip(as_tip(self._obstacle or self._at_work or self._tip))
        if not self._is_busy:
            if cancelling.hasFocus():
                self.button.setFocus()
            self.cancel.setEnabled(False)
            cancelling.setVisible(False)
        self.progress.setVisible(self._is_busy)
        if not self._is_busy:
            self.reason.setText(self._obstacle or self._at_work)
        self.reason.setVisible(bool(self.reason.text()))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{len(names)} targets"
