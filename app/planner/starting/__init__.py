"""From a draft to a plan that runs: what can be chosen, what is asked first, the way to the agent.

Window and command line start plans here and nowhere else. Start with `launch`, then `draft`.
"""
