"""What the desktop stores: sessions, their steps and series, and what a person added to them.

The only home of sqlite3. From the bottom: `store` (the file), `recorded` (journals become tables),
`lists`, `steps`, `machines` (who asks), `exchange` (files that come and go). No room imports one behind
it in this list. All folders after it and the window may call it. A thread opens its own
`store.history.History`; the rest are functions over it.
Start with `store.history` and `store.schema`. What a person adds (names, tags, notes, cuts) is in
`lists.edits`.
"""
