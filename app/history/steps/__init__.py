"""All that is known of the steps of one session or of several: figures, series, waits, stacks, remarks.

Comparison, report and the pages read here; nothing is changed. Start with `figures`.
"""
