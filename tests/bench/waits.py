"""What the Performance Schema costs, in slices: QPS with it over QPS without.

python -m tests.bench waits --rounds 5 --seconds 12 --allow-busy
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from app.engines.waits import TURNED_ON
from app.protocol.plan import SLICES
from tests.bench.figure import Figure
from tests.bench.pairs import mean_ratio
from tests.bench.sliced_plans import EQUALS, Bench, made, write_preset

SECONDS, LEAST = 12, 2  # of a step; rounds for an interval
PRESETS: Mapping[str, Mapping[str, str]] = {
    "instruments of the build": {"performance_schema": "ON"},
    "all wait instruments": TURNED_ON,
}


def waits(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    with made(options) as bench:
        for title, lines in PRESETS.items():
            name = title.replace(" ", "-")
            write_preset(bench.home, name, "\n".join(f"{option}={value}" for option, value in lines.items()))
            found += _figures(bench, title, name, options.seconds or SECONDS)
    return found


def _figures(bench: Bench, title: str, preset: str, seconds: int) -> list[Figure]:
    """QPS over that of the preset baseline, which turns the Performance Schema off."""
    carried = bench.carry_out(("innodb:baseline", f"innodb:{preset}"), SLICES, EQUALS, seconds)
    figures = []
    for step, logs in carried.logs.items():
        if len(logs) >= LEAST:
            ratio, of = mean_ratio(logs), (len(logs), "rounds")
            name = f"{step}, {title}"
            figures += [
                Figure(f"{name}: QPS over off", ratio.value, "", *of, digits=4),
                Figure(f"{name}: lower end (95 %)", ratio.low, "", *of, digits=4),
                Figure(f"{name}: upper end (95 %)", ratio.high, "", *of, digits=4),
            ]
    return figures


FIGURES = {"waits": waits}
