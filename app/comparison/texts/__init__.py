"""All of the comparison as tables and lines: for a terminal, as Markdown, as CSV.

Above all other rooms of the comparison. It returns text, and who asked shows it: command line, report,
explaining, window.
Start with `text`.
"""
