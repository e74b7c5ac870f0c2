"""All of the comparison as tables and lines: in a terminal, as Markdown, as CSV.

Above all other rooms: none of them prints. Start with `text`.
"""
