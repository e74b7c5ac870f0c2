"""All that is known of the steps of one session or of several: figures, series, waits, stacks, remarks.

Planner, following, comparison, explaining, script, report, command line and window read here. Nothing is
changed, but that a session of an older Dyno is counted anew first.
Start with `figures`, then `series` and `timeline` (second by second). `step_text` has the words for marks
and points of a sweep; `step_values` all values of a step by name, for causes.
"""
