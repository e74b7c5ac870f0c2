"""Servers that run already: Dyno neither starts nor ends them, and reaches them by SQL alone.

`ExistingServer` (server.py) has the face of `Server`, so steps need not know. It and each of its replicas is
reached through a relay (relayed.py, relay.py), may be sent what statements.py lists, and leaves nothing
behind but what was there (schema.py). What one is, and what is wrong with it, before a plan: reach.py; what
it refuses: refusals.py. What of a step is the network's, or a neighbour's: meter.py; how far replicas are
behind: lag.py. A change for the turns of a contender: change.py.
"""
