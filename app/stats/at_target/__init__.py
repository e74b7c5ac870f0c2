"""What the agent takes along: it judges rounds and ends of steps itself, without numpy.

Pure Python for 3.8. Everything else in `app/stats` is for the desktop alone.
"""
