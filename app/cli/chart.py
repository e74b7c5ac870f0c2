"""`dyno chart`: the numbers behind a chart of a comparison."""

from __future__ import annotations

import argparse
from typing import Any

from ..charts import AXES, CHARTS
from .compare import add_sessions
from .parser import later


def add_words(words: Any) -> None:
    parser = words.add_parser("chart", help="the numbers behind a chart of a comparison, as CSV")
    parser.add_argument(
        "chart", choices=CHARTS, help="; ".join(f"{name}: {what}" for name, what in CHARTS.items())
    )
    add_sessions(parser)
    parser.add_argument("--measure", default="value", metavar="M", help="p95_ms, cpu_us, written_kb, ...")
    parser.add_argument(
        "--step", default="", help="its name, with 'threads=4' behind it where it has several places"
    )
    parser.add_argument("--over", default="", choices=AXES, help="of a sweep")
    parser.add_argument(
        "--series", default="qps", metavar="S", help="of the seconds: qps, server.cpu_pct, ..."
    )
    parser.set_defaults(carry_out=later("chart", "print_numbers"))


def print_numbers(arguments: argparse.Namespace) -> None:
    from ..charts.asked import ChartRequest, chart_csv
    from .session import opened

    request = ChartRequest(
        arguments.chart,
        arguments.sessions,
        arguments.base,
        arguments.measure,
        arguments.step,
        arguments.over,
        arguments.series,
    )
    with opened() as history:
        print(chart_csv(history, request), end="")
