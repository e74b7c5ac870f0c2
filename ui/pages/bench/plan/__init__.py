"""The plan that is being set up: contenders, sequence, sweep, estimate, the button."""
