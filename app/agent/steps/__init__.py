"""What a session does in each step, and around its steps: load, drive, settle, restart, analyse.

Only `session` and `plan_runner` call it.
A driven step is three files: `drive_step` (from begin to end), `pace` (whole, or in slices that take turns
by a `baton`) and `counted` (what is measured). `running` has the objects that all steps of a session share,
`settle_step` waits until nothing is left to write, `limit_step` searches a rate. `step_settings` alone
changes the server for a step, and puts it back.
"""
