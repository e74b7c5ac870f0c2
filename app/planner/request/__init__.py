"""What a person asks for: contenders, sequence, sizes, limits; read from words, forms and plan files.

Command line, Bench and all rooms behind it call it. Values out of bounds are refused here, before a
target is called.
Start with `request`: each field of `PlanRequest` is a row of `options`, which plan files, command line,
Bench, plan and comparison read. `contender` has those of a contender; `plan_file` reads and writes a
request as a plan file, `command_line` writes it as a command; `slicing` says which contenders may take
turns in slices.
"""
