"""A person's own SQL as a workload."""
