"""Which setting did it: measures contenders between two, until each setting has its share of their ratio.

`dyno explain`, `dyno bisect` and Compare call it, and start the plans that it asks for.
Start with `explaining` (what is measured, what that says, the plan that comes next), then `search`, which
is pure: which contenders to measure next, and what is decided. `pair` has the two contenders and the
work, `settings` what lies between them, `evidence` the rounds of the history. `bisecting` and
`bisect_search` find the build that changed a step.
"""
