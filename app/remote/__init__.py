"""Connections to targets (SSH, or this computer), and the agent on them: its file, bringing it, steering it.

The folders after it in the order and the window may call it, by way of `reach`: connect, bring the agent
file, ask, close. The only home of paramiko, which is imported on first use.
Start with `reach`, then `agent` (the verbs as functions) and `connection`. The way in is `route` (the
hosts), `dial` (sockets, jumps), `hostkeys`, `login` and `secrets`. `bundle` makes the agent file;
`starter` is the text that checks it on the target and runs it.
"""
