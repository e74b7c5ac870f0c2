"""What all parts of the window share: theme, bus, tasks, plans, memory, secrets, page."""
