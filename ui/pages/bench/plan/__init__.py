"""The plan that is being set up: contenders, sequence, sweep, estimate, checks, the button.

The other parts of Bench call it.
Start with `draft_controller`: it has the draft (`app.planner.starting.draft`), and tells the panels what
follows from it. `contenders`, `sequence` and `fields` are the panels; `run_dialogs` asks before a start.
"""
