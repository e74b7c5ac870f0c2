"""The machines a person measures on, and servers that run already: how to reach them, what was found there.

Planner, following, command line and window may call it. It speaks to a target by `app.remote` alone.
Start with `store` (`Targets`, in targets.toml, each mistake with its line), then `surveys` (the latest of
each target, with its time), builds, snapshots, queues. `servers` has the servers that run already, without
passwords, `server_address` what a person types of them; `server_login` looks at their certificates and logs
in from the target that drives; `server_actions` is what a person does with one.
`tested_versions` is the one table of the versions that Dyno was tested with.
"""
