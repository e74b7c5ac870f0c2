"""Filled data directories that later sessions start from."""
