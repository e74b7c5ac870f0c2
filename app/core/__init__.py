"""The desktop's base: errors, ids, settings, units, safe text and files, CSV, TOML, tables of text.

All folders of the desktop may call it. Agent, engines, protocol and stats may not: they go to a target
without it. It knows no session and no target.
Start with `errors` (what a person reads when something fails), `units` (how figures are written) and
`settings` (DYNO_HOME, and what a person has set). `harmless` makes the text of others fit to be shown,
`private` opens files for this user alone, `shipped` finds the files that come with Dyno.
"""
