"""Statistics of figures that were measured more than once.

Numbers in, numbers and words out; knows no session and no step. What is kept are the figures themselves:
nothing is averaged before it is asked for.
"""

from .blocks import max_block_deviation
from .groups import GroupRatio, group_ratio
from .steady import Steadiness, steadiness
from .verdicts import Cell, Limits, Verdict, judge

__all__ = [
    "Cell", "GroupRatio", "Limits", "Steadiness", "Verdict", "group_ratio", "judge",
    "max_block_deviation", "steadiness",
]  # fmt: skip
