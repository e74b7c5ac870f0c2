"""What a session does in each step, and around its steps: load, drive, settle, restart, analyse.

Only `session` and `plan_runner` call it.
Start with `running` (the objects of a running session, which its steps share), then `drive_step` (a step
that the load generator carries out) and `settle_step`. `sliced_step` takes turns with other contenders by
a `baton`; `limit_step` searches a rate. `step_settings` alone changes the server for a step, and puts it
back.
"""
