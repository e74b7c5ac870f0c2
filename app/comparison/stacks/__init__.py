"""Where the CPU went: sampled stacks of a step, as flame graphs and as what changed between two of them.

Start with `stacks`; `flame` lays them out.
"""
