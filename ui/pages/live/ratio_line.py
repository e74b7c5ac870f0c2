"""The ratio so far of contenders that take turns in slices, in one line above their curves."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.units import count_text
from app.history.lists.sessions import SessionEntry
from ui.core.plain import as_tip
from ui.widgets.elided import ElidedLabel
from ui.widgets.table import tabular

from .curves import Bounds
from .round import FALSE_SHARE, Ratio, RoundCurves

TIP = (
    "Slices of the same second give one ratio of QPS. The line shows the geometric mean of the ratios and"
    f" its {1 - FALSE_SHARE:.0%} interval (Student's t), without slices that ran no queries. Other rounds may"
    " differ by more than this interval: only Compare judges rounds."
)
_WHOLE = "not in slices: contenders ran one after the other"


class RatioLine(ElidedLabel):
    """A line that is hidden if no contenders alternate; in a round it stays, so that no chart moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFont(tabular(self.font()))
        self.setAccessibleName("Ratio so far")
        self.hide()

    def show_step(self, its_round: RoundCurves | None, step: Bounds | None) -> None:
        """Show the ratio of a step's slices so far."""
        text = ratio_text(its_round, step) if its_round and step else ""
        if text != self.text():
            self.setText(text)
            self.setAccessibleDescription(text)
        self.setVisible(its_round is not None)

    def _tell(self) -> None:
        self.setToolTip(as_tip(f"{self.text()}\n\n{TIP}" if self.text() else ""))


def ratio_text(its_round: RoundCurves, step: Bounds) -> str:
    """`point-query so far, one round, no verdict: b 0.713 (0.632 to 0.811, 24 slices) of a's QPS`."""
    if not its_round.plan.steps[step.position].sliced:
        return f"{step.label}: {_WHOLE}"
    ratios = its_round.ratios(step.position)
    if not ratios:
        return f"{step.label}: no ratio{' yet' if step.ended_t is None else ', as no slices were measured'}"
    base = its_round.entries[0]["contender"]["name"]
    if step.ended_t is not None and all(ratio.slices == 1 for _, ratio in ratios):
        parts = ", ".join(f"{entry['contender']['name']} {ratio.value:.3f}" for entry, ratio in ratios)
        return f"{step.label}, one slice of each, no verdict: {parts} of {base}'s QPS"
    so_far = " so far" if step.ended_t is None else ""
    counts = list(dict.fromkeys(_count_text(ratio) for _, ratio in ratios))
    is_once = len(counts) == 1 < len(ratios)  # three or four contenders seldom have room for it in each
    parts = ", ".join(_one(*each, has_count=not is_once) for each in ratios)
    once = f" in {counts[0]}" if is_once else ""
    return f"{step.label}{so_far}, one round, no verdict: {parts} of {base}'s QPS{once}"


def _one(entry: SessionEntry, ratio: Ratio, has_count: bool) -> str:
    missing = "no interval yet" if ratio.slices == 1 else "interval too wide"
    interval = "{:.3f} to {:.3f}".format(*ratio.interval) if ratio.interval else missing
    count = f", {_count_text(ratio)}" if has_count else ""
    return f"{entry['contender']['name']} {ratio.value:.3f} ({interval}{count})"


def _count_text(ratio: Ratio) -> str:
    left_out = f", {ratio.left_out} left out" if ratio.left_out else ""
    return f"{count_text(ratio.slices, 'slice')}{left_out}"
