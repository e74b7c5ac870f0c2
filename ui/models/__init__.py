"""Item models: what tables show, cell by cell, with texts and tooltips.

Dialogs and pages may call them. No model waits for the history: it is given what it shows, or has it read
by `Tasks` (`sessions`, of which there are thousands).
Start with `heads` (the table that all of these are), `text_table` (a table of texts) and `results`, then
`sessions` and `comparison`.
"""
