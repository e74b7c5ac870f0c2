"""Statistics of figures that were measured more than once.

Numbers in, numbers and words out; knows no session and no step. What is kept are the figures themselves:
nothing is averaged before it is asked for.
"""

from .between import Between, between_plans
from .blocks import max_block_deviation
from .groups import Group, GroupRatio, group_ratios
from .steady import Steadiness, steadiness
from .verdicts import Cell, Limits, Verdict, judge

__all__ = [
    "Between", "Cell", "Group", "GroupRatio", "Limits", "Steadiness", "Verdict", "between_plans",
    "group_ratios", "judge", "max_block_deviation", "steadiness",
]  # fmt: skip
