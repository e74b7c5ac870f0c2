"""Sessions side by side: relative figures, costs, what differs, what may explain it; as data and as text.

From the bottom: `cells`, `differences`, `verdicts` (the comparison itself), `why`, `answers`, `stacks`,
`charts` (data to draw), `texts`. No room imports one behind it in this list. Explaining, report, command
line and window may call it. It reads the history and reaches no target.
Start with `verdicts.compare`, then `cells.cell`: the shape of what it returns.
"""
