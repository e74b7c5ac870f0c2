"""`dyno chart`: a chart of a comparison, as a picture or as the numbers behind it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.comparison.charts import AXES, CHARTS
from app.core.errors import DynoError, InputError
from app.core.files import write_file

from .compare import add_measure, add_sessions, named_sessions
from .parser import add_json_only, add_verb
from .screen import print_json, say_text
from .session import opened_history
from .written import format_of, say_written

if TYPE_CHECKING:
    from app.comparison.charts.points import ChartNumbers
    from app.comparison.charts.request import ChartRequest

    from . import Draw

CSV = ".csv"
FORMS = (".png", ".svg", CSV)


def add_words(words: Any) -> None:
    parser = add_verb(words, chart_sessions, "save a chart of a comparison: PNG, SVG, or its numbers as CSV")
    parser.add_argument(
        "chart",
        choices=CHARTS,
        metavar="CHART",
        help="; ".join(f"{name}: {what}" for name, what in CHARTS.items()),
    )  # fmt: skip
    add_sessions(parser)
    add_measure(parser, "draw")
    parser.add_argument(
        "--step", default="", help="step to draw, followed by 'threads=4' if it ran with several counts"
    )
    parser.add_argument("--over", default="", choices=AXES, help="axis of a sweep")
    parser.add_argument(
        "--series", default="qps", metavar="S", help="series to draw by second: qps, server.cpu_pct, ..."
    )
    parser.add_argument(
        "--absolute", action="store_true", help="in charts of bars and before-after: values instead of ratios"
    )
    parser.add_argument("-o", "--out", type=Path, help="a new file: .png .svg .csv (default: print CSV)")
    add_json_only(parser)


def chart_sessions(arguments: argparse.Namespace) -> None:
    from app.comparison.charts.request import ChartRequest

    request = ChartRequest(
        arguments.chart,
        arguments.sessions,
        arguments.base,
        arguments.measure,
        arguments.step,
        arguments.over,
        arguments.series,
        not arguments.absolute,
    )
    if arguments.out is not None:
        _save(request, arguments.out, arguments.draw)
        with opened_history() as history:
            sessions = named_sessions(history, arguments)
        say_written(arguments, arguments.out, format_of(arguments.out), sessions)
    elif arguments.json:
        numbers = _numbers(request)
        print_json({"chart": request.chart, "heads": numbers.heads, "rows": numbers.rows})
    else:
        say_text(_numbers(request).to_csv())


def _numbers(request: ChartRequest) -> ChartNumbers:
    from app.comparison.charts.request import load_chart_numbers

    with opened_history() as history:
        return load_chart_numbers(history, request)


def _save(request: ChartRequest, path: Path, draw: Draw | None) -> None:
    form = path.suffix.lower()
    if form not in FORMS:
        raise InputError(f"{path}: the name of a chart must end with {', '.join(FORMS)}")
    if path.exists():
        raise InputError(f"{path} exists already: choose another name")
    if form == CSV:
        write_file(path, _numbers(request).to_csv())
    elif draw is None:
        raise DynoError(f"{path}: only the installed `dyno` draws pictures; save as {CSV} instead")
    else:
        draw(request, path)
