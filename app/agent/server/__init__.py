"""One MySQL or MariaDB server: its my.cnf, its start and end, its memory and CPUs, the connection to it.

All rooms of the agent above `system` may call it. It knows a contender and no step.
Start with `server` (`Server`: made, started, stopped, found again), then `mysql`, the one file of the
agent that imports PyMySQL. `options` asks a build what it accepts, `accounts` says who may log in, `debt`
reads what is still to be written.
"""
