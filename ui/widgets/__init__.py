"""Parts of pages that know no store and no context: they are given what they show.

Dialogs, pages and shell may call them.
Start with `actions` (an action with its text, key and tooltip), `table`, `message` (one line of news in the
page), `form` (fields from a table) and `list_dialog` (a list to pick from). Charts are in `charts`.
"""
