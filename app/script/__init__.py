"""A session as a shell script: the same sequence with a server, its client and sysbench, and no Dyno."""
