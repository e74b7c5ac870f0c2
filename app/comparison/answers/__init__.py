"""Answers in sentences: who is faster, does it pass a gate, when did it change.

Start with `sentences`. The window, the end of a run, `compare`, `gate` and `changes` print what is here.
"""
