"""What the agent takes along: it judges rounds and the ends of steps without a desktop.

Pure Python 3.8, without numpy, and of Dyno only the marks of the protocol. Desktop and agent call the same
functions, so that both come to the same verdict.
Start with `verdicts` (whether figures differ), then `welch` (the test) and `looks` (after each round).
`steady` says whether a step was steady.
"""
