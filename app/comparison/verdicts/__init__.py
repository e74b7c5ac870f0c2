"""Sessions side by side: the cells of the table, their ratios, verdicts and reasons.

`compare.compare` is the one way to a comparison; window, command line, report and explaining call it.
`columns` says which sessions share one, `step_cells` what a column has of a step. `judgement` says better,
worse, same or not known, `why_not` which figures it does not test; `rounds`, `repeats`, `across` and
`same_load` what that rests on.
"""
