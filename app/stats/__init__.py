"""Statistics of figures that were measured more than once.

Numbers in, numbers and words out; knows no session and no step. What is kept are the figures themselves:
nothing is averaged before it is asked for. What the agent needs stands here; the rest is imported from
its file.
"""

from app.stats.at_target.steady import Steadiness, steadiness
from app.stats.at_target.verdicts import Cell, Limits, Verdict, judge

__all__ = ["Cell", "Limits", "Steadiness", "Verdict", "judge", "steadiness"]
