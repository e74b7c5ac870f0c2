"""Statistics of figures that were measured more than once: numbers in, numbers and words out.

It knows no session and no step. The figures themselves are stored: nothing is averaged before it is asked
for. `at_target` is what the agent takes along; the other files are for the desktop alone.
Start with `judge` (verdicts over all cells of a comparison), then `steadiness` (the seconds of one step).
"""

from app.stats.at_target.steady import Steadiness, steadiness
from app.stats.at_target.verdicts import StepResultPair, Verdict, VerdictLimits, judge

__all__ = ["VerdictLimits", "StepResultPair", "Steadiness", "Verdict", "judge", "steadiness"]
