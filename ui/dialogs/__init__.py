"""Dialogs: settings, help, a team's history, reports, cuts, flame graphs, fingerprints, warnings.

Pages and shell open them. They never import a page. A file `NAME_controller` reads off the GUI thread,
opens the dialog NAME and acts on its answer.
Start with `questions` (the smallest), then `report_controller` and `report`.
"""
