"""A history for a team: sessions, and what people did to them, shared through a MySQL or MariaDB server.

Command line and window call it. Both read this computer's history; an exchange brings it and the server
up to date. `listing` has the sessions that are on the server, page by page.
Start with `exchange` (connect, synchronise, what a person reads about it), then `syncing`. `edits` is
pure: which of several edits counts. This computer's side is `local_edits` and `local_sessions`, the other
is `store` (what a server has to do) and `server` (with SQL). `connection` is the desktop's only home of
PyMySQL; `login`, `certificate` and `plugin` decide who gets the password.
"""
