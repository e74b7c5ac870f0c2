"""The base of everything else: errors, ids, units, settings, private files, CSV, TOML, tables of text."""
