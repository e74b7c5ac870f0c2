"""A session as a shell script: the same sequence with a server, its client and sysbench, and no Dyno.

Report, command line and window call `writing`. The lines go into `resources/script/run.sh`.
Start with `writing` (the folder), then `recipe` (what a script needs of a session) and `acts` (its steps
as lines). `conditions` has what steps ask of the server.
"""
