"""How much load of other programs a person allows, in place of what the plan allowed.

A step keeps what others took, so it is judged by any limits for CPU, also by others than those of its plan.
What disturbed the disk or memory stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.history.steps.figures import StepEntry
from app.protocol.others import DISTURBED, Others
from app.protocol.reading import read


@dataclass(frozen=True)
class GivenDisturbanceLimits:
    """The most that others may take, in percent of the CPUs; None: as the plan says."""

    others_pct: float | None = None
    steal_pct: float | None = None

    def marked(self, step: StepEntry) -> StepEntry:
        """The step, marked as disturbed by these limits."""
        if self == AS_PLANNED or not step["others"]:
            return step
        others = read(Others, step["others"])
        found = {
            "cpu": (others.share_pct, self.others_pct), "steal": (others.steal_pct or 0.0, self.steal_pct),
        }  # fmt: skip
        new = {cause: share > most for cause, (share, most) in found.items() if most is not None}
        causes = [each for each in others.causes if each not in new]
        causes += [each for each, is_above in new.items() if is_above]
        marks = [each for each in step["marks"] if each != DISTURBED] + [DISTURBED] * bool(causes)
        return {**step, "marks": marks, "others": {**step["others"], "causes": causes}}

    @property
    def texts(self) -> list[str]:
        """A line that says what was allowed; none as planned."""
        parts = [("other programs", self.others_pct), ("the hypervisor", self.steal_pct)]
        told = [f"{who} took more than {most:g}%" for who, most in parts if most is not None]
        return [f"disturbed by CPU, as asked for: where {' or '.join(told)} of the CPUs"] if told else []


AS_PLANNED = GivenDisturbanceLimits()
