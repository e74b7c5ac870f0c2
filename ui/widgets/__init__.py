"""Parts of pages that know no store and no context: they are given what they show.

Dialogs, pages and shell may call them.
Start with `actions` (an action with its text, key and tooltip), `table` and `message` (one line of news
in the page). Charts are in `charts`.
"""
