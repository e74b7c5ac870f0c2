"""A person's own SQL as a workload: the dialog, and its form.

The page of Bench opens it. `app.catalog.custom_sql` says what is wrong, `app.catalog.own_sql` saves it.
Start with `dialog`.
"""
