"""The ground of the agent: errors, its directory, the journal, requests of people, disks and processes.

All rooms of the agent may call it. It knows no server.
Start with `directory` (marker, lock, layout, and the one way to delete), then `journal` (one event, one
line, one write). `control` has what people ask of a running plan, `detaching` the processes that outlive
the connection, `other_agents` keeps two plans of one machine apart.
"""
