"""The machines a person measures on: how to reach them, what was found there, builds, snapshots, queues.

Planner, following, command line and window may call it. It speaks to a target by `app.remote` alone.
Start with `store` (`Targets`, in targets.toml, each mistake with its line), then `surveys` (the latest of
each target, with its time). `tested_versions` is the one table of the versions that Dyno was tested with.
"""
