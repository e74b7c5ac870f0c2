"""What is checked on the target before a plan starts: tools, builds, their options, a rehearsal.

Only the verbs of `main` call it; checks from the desktop's side are in `app.planner.checks`.
Start with `check`: `check` needs no running server and takes no lock, `rehearse` starts a contender on an
empty directory and shuts it down.
"""
