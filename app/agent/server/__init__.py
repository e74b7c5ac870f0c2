"""One MySQL or MariaDB server: its my.cnf, its start and end, its memory and CPUs, the connection to it."""
