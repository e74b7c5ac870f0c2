"""Plans on their way: fetching journals, finding plans that others started, how far each plan is."""
