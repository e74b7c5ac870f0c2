"""Item models: what tables show, cell by cell, with texts and tooltips.

Dialogs and pages may call them. No model waits for the history: it is given what it shows, or has it read
by `Tasks` (`sessions`, of which there are thousands).
Start with `text_table` (a table of texts) and `results`, then `sessions` and `comparison`. `heads` has
the heads of tables whose columns know their title and what it means.
"""
