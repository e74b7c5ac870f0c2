"""Choosing, writing and checking presets."""
