"""A comparison for other people: what it says, its charts, and the ways to write it down.

`dyno report` and the report dialog call it. Its verdicts are those of `app.comparison`; its sentences are
made of figures alone.
Start with `writing` (a report as a file), then `content` (what it says). `rendering` makes one HTML file,
`markdown` Markdown; `curves` and `flame_svg` draw, by `svg`. `interactive` adds `page_numbers`, `origin`,
`corrections` and a script (`interactive.js`) to that file.
"""
