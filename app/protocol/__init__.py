"""The language between desktop and target: the plan that goes there, the events and answers that come back.

Every folder but `app.engines` may call it. Standard library only, Python 3.8: the same files run in the
agent. `checked` alone is for the desktop, which checks there what arrives.
Start with `plan` (what a target carries out), then `events` (the lines of a journal) and `answers` (what
an agent says). `states` has the states of a session and its steps, as events change them; `reading` turns
JSON into dataclasses and checks it by their annotations.
"""
