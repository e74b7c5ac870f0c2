"""What is read once a second while a step runs, and what it adds up to."""
