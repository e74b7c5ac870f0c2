"""What earlier sessions of a machine tell: its noise, its canaries, how long steps took there.

Planner, comparison, command line, Bench and Compare ask here.
Start with `measured` (for estimates and verdicts), then `calibration` (the latest one) and `canaries`.
"""
