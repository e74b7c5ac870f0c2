"""What everything else stands on: errors, ids, units, settings, private files, CSV, TOML, tables of text."""
