"""What is wrong with a plan, before and after its rehearsal: disk, memory, parity, load targets.

`starting` and `kinds` check plans here; checks that ask the target itself are in `app.agent.checks`.
Start with `checks` (`check_plan`). `parity` finds settings in which contenders differ; `rates` finds
rates that clients round up; `load_targets` tries whether load targets reach the server, and calls them.
"""
