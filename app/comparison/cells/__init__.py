"""The table's parts: what rows, columns and cells have, which figures can be compared, what all is called.

No verdict and no text of more than a label is made here. All other rooms of the comparison may call it.
Start with `cell`, then `measures`. `palette` has the colours of contenders and verdicts.
"""
