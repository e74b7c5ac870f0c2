"""What runs on the target: one file, started over SSH or locally, that carries out a plan.

The desktop never imports it: it sends it (`app.remote.bundle`) and speaks to it by the verbs of `main`.
It imports engines, protocol, `stats.at_target`, the standard library and, in `server/mysql.py` alone,
PyMySQL; Python 3.8. Its rooms from the ground up: system, server, existing, survey, sampling, profiling,
snapshots, load, steps, checks; no room imports one behind it in this list.
Start with `main` (the verbs), then `plan_runner` (a plan) and `session` (a contender through its steps).
Docstrings like this one stay on the desktop: the agent file has an empty `__init__.py` in their place.
"""
