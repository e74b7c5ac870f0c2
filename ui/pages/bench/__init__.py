"""The place where a plan is set up."""
