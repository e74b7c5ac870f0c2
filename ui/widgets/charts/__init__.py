"""Charts of Live, Compare, History and saved pictures; the only home of pyqtgraph.

Pages and dialogs give them curves, and they know no store. pyqtgraph draws the curves over time
(`canvas`), so `time_chart` is imported where it is built; all else is painted by hand
(docs/developers/design.md says why).
Start with `lines` (what a page gives to a chart), then `time_chart` (over time) and `still` (all others).
`frame` has the ground, axes and cursor that they share; `pyramid` keeps a long curve so that any stretch
is drawn fast.
"""
