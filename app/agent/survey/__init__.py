"""What a target is and has: CPU, memory, disk, builds; installing builds, and deleting them.

Verbs, checks, session and steps call it.
Start with `machine` (`survey` puts all of it together), then `builds` (servers found in a few places,
each asked what it is). `build_notes` has what a build does not report itself.
"""
