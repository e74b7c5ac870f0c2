"""`python -m tests.bench [FIGURE ...]`: all figures, or those named; exit code 1 where a goal is not met.

A module of the bench has FIGURES: the name of a figure -> the function that measures it, which takes the
options of the command line and gives a list of Figure.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from importlib import import_module

from app.protocol.plan import LOAD_METHODS
from app.protocol.waits import INSTRUMENTS, PRESET
from tests.bench import causes, counting, existing_equals, explain, insert_benchmark, limits, team
from tests.bench.figure import Figure, describe_machine, print_figures
from tests.bench.slices import add_options

MODULES = ("server", "sampling", "lua", "load", "history", "window_start", "charts", "chart_parts",
           "history_page", "compare_page", "live_page", "window_process", "window_opening", "snapshot",
           "report", "verdicts", "rounds", "pooling", "gate", "looks", "changes", "team", "estimates",
           "slices", "waits", "explain", "limits", "analysis", "asking", "causes", "counting",
           "insert_benchmark", "orders", "orders_load", "agent_cost", "existing_equals",
           "existing_relay")  # fmt: skip
LONG = (
    "slices",
    "waits",
    "explain",
    "limits",
    "team",
    "analysis",
    "causes",
    "counting",
    "insert-benchmark",
    "orders",
    "orders-load",
    "existing-equals",
    "existing-relay",
)  # long: only where it is named
Measure = Callable[[argparse.Namespace], list[Figure]]


def figures() -> Mapping[str, Measure]:
    found: dict[str, Measure] = {}
    for name in MODULES:
        found.update(import_module(f"tests.bench.{name}").FIGURES)
    return found


def parse(known: Mapping[str, Measure]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "figures", nargs="*", metavar="FIGURE", help=f"of {', '.join(known)}; none: all but {', '.join(LONG)}"
    )
    parser.add_argument("--seconds", type=int, default=0, help="that are measured (as each figure has them)")
    parser.add_argument("--pairs", type=int, default=100, help="of turns with and without Dyno (100)")
    parser.add_argument("--turn", type=int, default=5, help="seconds of one turn (5)")
    parser.add_argument("--engines", default="", help="innodb,rocksdb (as each figure has them)")
    parser.add_argument("--methods", default=",".join(LOAD_METHODS), help="of loading (all)")
    parser.add_argument("--runs", type=int, default=2000, help="comparisons that are simulated (2000)")
    parser.add_argument("--rows", type=int, default=0, help="of each table (as each figure has them)")
    parser.add_argument("--directory", default="", help="where servers keep their data (a temporary one)")
    parser.add_argument("--python", default="", help="of the agent on the target (python3)")
    parser.add_argument("--instruments", choices=INSTRUMENTS, default=PRESET, help="of the servers (preset)")
    parser.add_argument("--allow-busy", action="store_true", help="another plan may be carried out meanwhile")
    add_options(parser)
    explain.add_options(parser)
    causes.add_options(parser)
    counting.add_options(parser)
    limits.add_options(parser)
    team.add_options(parser)
    insert_benchmark.add_options(parser)
    existing_equals.add_options(parser)
    arguments = parser.parse_args()
    unknown = [name for name in arguments.figures if name not in known]
    if unknown:
        parser.error(f"no figure {', '.join(unknown)}; there are {', '.join(known)}")
    return arguments


def main() -> int:
    known = figures()
    arguments = parse(known)
    print(describe_machine(), f"python -m tests.bench {shlex.join(sys.argv[1:])}", sep="\n", end="\n\n")
    found: list[Figure] = []
    for name in arguments.figures or [name for name in known if name not in LONG]:
        print(f"## {name}", flush=True)
        measured = known[name](arguments)
        print_figures(measured)
        print(flush=True)
        found += measured
    missed = [figure.name for figure in found if not figure.is_met]
    print(f"goals not met: {', '.join(missed)}" if missed else "all goals are met")
    return bool(missed)


if __name__ == "__main__":
    raise SystemExit(main())
