"""Plans on their way: fetching journals, finding plans that others started, how far each plan is.

Command line and window call it. It knows no Qt; a follower is one thread with a connection of its own.
Start with `follower` (fetch, store, tell what is new), then `progress` (how far a plan is;
`progress_text` in words). `adoption` finds plans on a target that others started, `left` remembers those
that were left there, `fetching` fetches them as far as they are; `under_way` answers at once, from the
history.
"""
