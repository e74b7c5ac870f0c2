"""What a person asks for: contenders, sequence, sizes, limits; read from words, forms and plan files.

Command line, Bench and all rooms behind it call it. Values out of bounds are refused here, before a
target is called.
Start with `request`: `RULES` has every key of a plan file, `PlanRequest` the fields. `command_line`
writes a request as a command; `slicing` says which contenders may take turns in slices.
"""
