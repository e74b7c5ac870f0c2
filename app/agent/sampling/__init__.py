"""What is sampled once a second while a step runs, and the totals of a step."""
