"""What the agent takes along: it judges rounds and the ends of steps without a desktop.

Pure Python 3.8, without numpy, and without anything else of Dyno. Desktop and agent call the same
functions, so that both come to the same verdict.
Start with `verdicts` (whether figures differ), then `welch` (the test), `looks` and `endings` (after each
round). `steady` says whether a step was steady, `limit` searches the highest rate under a latency.
"""
