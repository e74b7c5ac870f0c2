"""What a target is and has: CPU, memory, disk, builds; installing builds, and deleting them.

Verbs, checks, session and steps call it.
Start with `machine` (`survey` puts all of it together), then `builds` (servers found in a few places,
each asked what it is). `topology` has nodes, cores and CPUs; `build_notes` what a build does not report
itself.
"""
