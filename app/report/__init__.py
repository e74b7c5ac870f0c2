"""A comparison for other people: what it says, its charts, and the ways to write it down."""
