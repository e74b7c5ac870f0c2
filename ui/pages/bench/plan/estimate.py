"""What a plan takes: time and disk."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame

from app.core.units import bytes_text, clock_text, count_text
from app.following.progress_text import step_count
from app.planner.estimate.estimate import PlanEstimate
from app.planner.starting.draft_outcome import DraftOutcome
from app.protocol.plan import Plan
from app.stats.at_target.verdicts import LEAST
from ui.core.plain import PlainTextLabel, as_tip, first_lines
from ui.core.theme import SPACE
from ui.widgets.elided import ElidedLabel
from ui.widgets.layouts import in_column

NONE = "-"
TICK_MS = 10_000  # of the finish


class EstimateCard(QFrame):
    """Time and disk in large letters, with their parts in small ones."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._found: PlanEstimate | None = None
        self._tick = QTimer(self, interval=TICK_MS)
        self._tick.timeout.connect(self._tell_time)
        self.time, self.disk = ElidedLabel(role="title"), PlainTextLabel(role="heading")
        self.time.setText(NONE)
        self.work, self.parts = (
            PlainTextLabel(role="muted", wraps=True),
            PlainTextLabel(role="muted", wraps=True),
        )
        parts = (self.time, self.disk, self.work, self.parts)
        self.setLayout(in_column(*parts, spacing=2, margins=(12, SPACE, 12, SPACE)))

    def show_outcome(self, outcome: DraftOutcome | None) -> None:
        if outcome is None or outcome.plan is None or outcome.estimate is None:
            self._tick.stop()
            self.time.setText(NONE)
            for label in (self.disk, self.work, self.parts):
                label.setText("")
            return
        plan, found = outcome.plan, outcome.estimate
        self._found = found
        self._tell_time()
        self._tick.start()
        self.work.setText(", ".join(filter(None, (_work_text(plan), found.least_text or _look_text(plan)))))
        self.parts.setText("\n".join(filter(None, (found.repeating_text, _sizes_text(found)))))
        self.setToolTip(as_tip("\n".join([found.seconds_text, found.disk_text, *found.assumptions[1:]])))

    def _tell_time(self) -> None:
        """Update the time of the end, which moves with the clock."""
        found = self._found
        if found is None:
            return
        now = time.time()
        end = clock_text(now + found.longest_s, now)
        about, at_most = ("", " at most") if found.fewest_s else ("about ", "")
        disk = f"about {bytes_text(found.disk_bytes)} of disk"
        texts = f"{about}{found.time_text}", f"until {end}{at_most}, {disk}"
        for label, text in zip((self.time, self.disk), texts, strict=True):
            if text != label.text():
                label.setText(text)


def _work_text(plan: Plan) -> str:
    fewest = f"{LEAST} to " if plan.until_decided else ""
    steps, repeats = count_text(step_count(plan), "step"), fewest + count_text(plan.repeats, "repeat")
    return f"{steps}, {repeats}, {plan.tables} x {plan.rows:,} rows"


def _look_text(plan: Plan) -> str:
    """A remark for contenders that are measured once."""
    return "one repeat gives no verdict" if plan.repeats == 1 and len(plan.contenders) > 1 else ""


def _sizes_text(found: PlanEstimate) -> str:
    """Sizes of data and memory: whether the data fits causes most surprises."""
    texts = [
        f"{each.contender}: {bytes_text(each.data_bytes)} of data, {bytes_text(each.cache_bytes)} of cache"
        for each in found.contenders
    ]
    return first_lines(texts, 3)
