"""What every part of the window is given: theme, bus, tasks, plans, memory, secrets, page."""
