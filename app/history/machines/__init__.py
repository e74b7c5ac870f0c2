"""What earlier sessions of a machine tell: its noise, its canaries, how long steps took there.

The planner asks here for its estimates. Start with `measured`.
"""
