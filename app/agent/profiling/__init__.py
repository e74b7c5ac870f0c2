"""What the server does in a step that is profiled: stacks and counters, by the tools that the target has.

Checks ask which tools there are (`tools`); a driven step has a profile. It knows no engine.
Start with `profile`, which chooses among perf, eu-stack, gdb and /proc. `perf` and `dumps` carry it out,
each with a limit of time; `names` makes names of functions short, and the same in all builds.
"""
