"""Why one column is slower in a step: costs per query, states of threads, waits, counters, variables.

`charts` and `texts` call it, and report, command line and Compare. Nothing in here is a verdict: these
are hints where to look.
Start with `why` (the figures) and `causes` (what they come to, by name); `grounds` compares counters and
variables where no cause has a name.
"""
