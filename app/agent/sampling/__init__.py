"""What is sampled once a second while a step runs, and the totals and figures of a step.

Session, steps, load and snapshots call it. It reads /proc and /sys, status variables and the Performance
Schema.
Start with `sampler` (one second of everything, as one event), then `host` (the machine) and `counters`
(the server). `figures` computes what a step ends with, `disturbance` how much other programs took,
`thread_states` what the threads of the server did.
"""
