"""Answers in sentences: who is faster, does it pass a gate, when did it change.

Report, command line and window show what is here; verdicts come from `verdicts`.
Start with `sentences`, then `gate` (one answer for scripts) and `over_time` (a contender over all its
plans).
"""
