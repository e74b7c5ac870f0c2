"""What is wrong with a plan, before and after its rehearsal: disk, memory, parity, load targets.

Start with `checks`.
"""
