"""Choosing, writing and checking presets.

The page and the run panel of Bench open it. What a preset means is known by `app.variables` and checked
by `app.planner.starting.preset_check`.
Start with `dialog` (the editor, with what builds say of a preset), then `picker`.
"""
