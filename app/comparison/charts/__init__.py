"""What the charts of a comparison are drawn from, and the same numbers as a table: no colour, no pixel.

Compare, Live, report and `dyno chart` draw from here.
Start with `CHARTS` (their names) and `request` (the numbers of any of them). `points` has what a point
is: the median of the repeats, and how far they reach.
"""

CHARTS = {
    "bars": "all steps, as measured and relative to the base",
    "sweep": "a step over its threads, cores, rows or rates",
    "rates": "a step's latency (p50, p95, p99) over its rates",
    "seconds": "a step second by second",
    "heat": "a step's latency second by second, as a heat map",
    "latency": "a step's latency over its percentiles",
    "size": "size on the disk after a step, by part",
    "before-after": "the same tests before and after the writes",
    "versions": "instructions of an event over versions, a line for each counted step",
}
NOTHING = {  # the text if there is nothing to draw
    "bars": "No step has a result of this measure.",
    "rates": "The step ran at fewer than two rates: Sweep… on Bench, or --rate, runs it at several.",
    "seconds": "no samples",
    "heat": "no latencies by second",
    "latency": "no latencies were counted",
    "size": "no sizes were measured",
    "versions": "No step was counted in two versions: dyno work, or Count the work, counts them.",
    "before-after": "No test ran both before and after the writes, like point-query.pre and point-query.",
}
# what a sweep can go over
AXES = {"threads": "threads", "cores": "cores", "volume_rows": "rows", "rate": "rate"}
