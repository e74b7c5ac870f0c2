"""Sessions that Dyno did not carry out, as journals: published tables, the text output of sysbench.

Nothing is guessed: what a source does not say stays unknown. Only `app.history.exchange` reads and stores
such files; others ask no more than `is_foreign`.
Start with `session` (`ForeignSession`, and the journal that is made of it). `table` reads CSV, `sysbench`
one output, `outputs` files and folders of them.
"""
