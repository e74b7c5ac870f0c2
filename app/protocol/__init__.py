"""The language between desktop and target: the plan that goes there, the events that come back.

Standard library only, Python 3.8: the same files run in the agent.
"""
