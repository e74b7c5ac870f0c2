"""The window, and `main`: the program `dyno`, which opens it or starts the command line.

The only home of Qt. From the ground up: core, widgets, models, dialogs, pages, shell; no folder imports
one behind it in this list. All that it knows comes from `app`.
Start with `shell.application`, then `core.context` and one of the pages.
"""
