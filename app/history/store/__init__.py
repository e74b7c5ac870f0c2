"""The file of the history and the folder of journals: tables, transactions, packed seconds, damage.

It knows the file and the bytes of blocks, but no session and no step. Every other room of the history
may call it. Start with `history`, then `schema`.
"""
