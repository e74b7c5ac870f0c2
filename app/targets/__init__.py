"""The machines a person measures on: how to reach them, what was found there, builds and snapshots."""
