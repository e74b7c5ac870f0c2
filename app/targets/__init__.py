"""The machines a person measures on: how each is reached, what was found there, builds and snapshots on it."""
