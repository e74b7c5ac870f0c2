"""How long a plan takes, how much disk it needs, which differences it can find.

From sessions of the same target where there are some (`learned`), else from guesses. Start with `estimate`.
"""
