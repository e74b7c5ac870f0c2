"""How long a plan takes, how much disk it needs, which differences it can find.

Checks, the rooms behind them and following call it. From sessions of the same target where there are some
(`learned`), else from guesses (`guesses`). Start with `estimate`.
"""
