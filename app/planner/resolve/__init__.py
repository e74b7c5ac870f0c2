"""From a request to a complete plan: contenders on their builds, steps with all their options, sizes.

The plan is what the agent carries out to the letter. Start with `resolve`.
"""
