"""Plans made from something else: a duel, builds alone, earlier sessions, a published table; the canary.

Command line, Bench, explaining and `starting` call it. All but `canary` make a request, which goes the
way of all requests; `canary` adds its small server to a plan that is resolved. `chosen` fills in what a
person left open, also so that a plan ends in time.
Start with `duel`, then `again`.
"""
