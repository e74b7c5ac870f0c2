"""What all parts of the window share: theme, bus, tasks, plans, memory, secrets, the base of a page.

All of `ui` may call it; widgets take no more of it than theme, plain text and the like. There are no
globals: a page is given the `Context`.
Start with `context`, then `page` and `tasks` (work off the GUI thread). `channel` is the only way from a
thread to the GUI thread; `bus` tells pages what changed. `plain` shows the text of others as it is;
`shortcuts` is the one map of keys.
"""
