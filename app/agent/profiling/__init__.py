"""What the server does in a step that is profiled: stacks and counters, by the tools that the target has."""
