"""The load generator: sysbench on this machine, or on load targets that a conductor reads as one."""
