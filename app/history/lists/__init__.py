"""What there is: sessions and plans, found by text, facet or a few letters of an id; and what a person adds.

The window's list, the command line and all that need "the session that a person means" ask here.
Start with `sessions` (`find`), then `browsing` (thousands of them, page by page) and `plans`. `edits`
changes what a person adds: names, tags, notes, cuts, colours, deletions.
"""
