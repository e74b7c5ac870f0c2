"""From a request to a complete plan: contenders on their builds, steps with all their options, sizes.

The agent carries out the plan to the letter, so nothing stays open in it. It needs a survey and the
catalog, and reaches no target.
Start with `resolve`, then `steps` (a sequence at every point of its sweep; `step_point` is one of them,
`roles` those of one step) and `contenders` (builds and presets by name). `support` says why a contender
cannot carry out a workload.
"""
