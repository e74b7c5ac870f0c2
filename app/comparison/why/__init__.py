"""Why one column is slower in a step: costs per query, states of threads, waits, counters, variables.

Start with `why` (the figures) and `causes` (what they come to); `grounds` is the road for causes that have
no name. Nothing in here is a verdict: these are hints where to look.
"""
