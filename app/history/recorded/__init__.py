"""What follows from journals, stored as they are read: sessions, steps, results, the seconds that count.

Whoever has bytes of a journal calls `writing.Writer`: it stores them, and each event changes the tables
(`recording`). All of it can be made anew (`rebuilding`, `recounting`), and reading twice changes nothing.
Of the history only `store` is below it.
Start with `recording`, then `counting`: the one file that says what the seconds of a step mean.
"""
