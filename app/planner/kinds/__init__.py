"""Plans made from something else: a duel, a calibration, earlier sessions, a published table; the canary.

Command line, Bench, explaining and `starting` call it. All but `canary` make a request, which goes the
way of all requests; `canary` adds its small server to a plan that is resolved.
Start with `duel`, then `again`.
"""
