"""Bench: the place where a plan is set up and started.

Only `ui.pages` makes it. Its parts are in `targets`, `plan`, `presets` and `sql` (a person's own workload).
Start with `page`. What a person changes goes to `plan/draft_controller`; `starting` is
the way from Run to a plan that is followed, that waits in the queue, or that is refused.
"""

from .page import BenchPage

__all__ = ["BenchPage"]
