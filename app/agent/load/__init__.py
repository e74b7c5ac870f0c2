"""The load generator: sysbench on this machine, or on load targets that a conductor reads as one.

Steps drive it; they do not know where the load comes from.
Start with `generator` (one sysbench: its command, the lines that its Lua writes, its end), then
`generators` (several on load targets, with the same face). `conductor` and `load_agent` are the two ends
of a `link`; `merging` adds up what load targets say; `gate` holds the clients between slices.
"""
