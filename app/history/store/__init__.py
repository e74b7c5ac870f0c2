"""The file of the history and the folder of journals: tables, transactions, packed seconds, damage.

It has the tables and the bytes of their blocks; what a session or a step comes to is for `recorded`. All
other rooms of the history, and all that reads a history, may call it.
Start with `history` (opening, migrating, transactions), then `schema` (tables as SQL that never changes).
`blocks` and `packing` store the seconds of a step, `journals` the raw bytes; `damage` finds what was
overwritten.
"""
