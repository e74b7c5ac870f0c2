"""What is kept on the desktop: sessions, their steps and series, and what the person added to them.

The only home of sqlite3. `store.history.History` is opened once a thread; the rest are functions over it.
From the bottom: `store` (the file), `recorded` (journals become tables), `lists`, `steps`, `machines` (who
asks), `exchange` (files that come and go). `edits` is what a person adds: notes, tags, cuts.
"""
