"""From a draft to a plan that runs: what can be chosen, what is asked first, the way to the agent.

Window and command line start plans here and nowhere else.
Start with `launch` (from a request to a started plan, stage by stage), then `draft` (a plan that a person
sets up), `draft_outcome` (its plan or its problems) and `choices` (builds, engines, presets). `several`
starts the same work on many targets.
"""
