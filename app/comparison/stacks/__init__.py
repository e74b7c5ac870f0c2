"""Where the CPU went: sampled stacks of a step, as flame graphs and as what changed between two of them.

`texts`, report, command line and the flame graph of the window call it.
Start with `stacks` (sessions merged, functions compared); `flame` lays them out, the same for window and
SVG.
"""
