"""Connections to targets, and the agent on them: its file, pushing it, steering it."""
