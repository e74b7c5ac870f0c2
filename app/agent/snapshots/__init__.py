"""Filled data directories that later sessions start from: created, copied, listed, deleted.

Verbs, checks, cleanup and the start of a session (`steps/from_snapshot.py`) call it.
Start with `snapshots`: the name of a data set is a digest of all that shapes its bytes.
"""
