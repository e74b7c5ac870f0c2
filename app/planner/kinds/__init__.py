"""Plans made from something else: a duel, a calibration, a canary, an earlier session, a published table.

Each file makes a request; from there all go the same way.
"""
