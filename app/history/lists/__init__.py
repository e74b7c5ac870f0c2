"""What is there: sessions and plans, found by text, facet or a few letters of an id.

The window's list, the command line and whoever needs "the session that a person means" ask here.
Start with `sessions`.
"""
