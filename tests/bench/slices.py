"""What slices are worth on this machine: real plans of real servers, one after the other, for hours.

    python -m tests.bench slices --part equals --plans 20 --rounds 5 --seconds 6

The parts: `equals`, two servers that are the same, with the machine left alone and beside a busy loop;
`narrower`, the same seconds as whole sessions A B B A; `agreement`, engines against InnoDB, in slices and in
whole steps of the same servers; `switching`, what a change from one contender to the next takes; `latency`,
percentiles in slices over those of a run without a gate; `beginning`, the first tenth of a second of a slice
over all of it.
What there is so far is printed after each plan: a run that is broken off has its figures too.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from statistics import fmean, stdev

from app.core.table import markdown_of
from app.protocol.plan import SLICES
from tests.bench import agreement as agreements
from tests.bench import slice_beginning, sliced_latency
from tests.bench.busy import coming_and_going
from tests.bench.figure import Figure
from tests.bench.pairs import half_width, mean_ratio
from tests.bench.sliced_plans import (
    EQUALS,
    ROWS,
    WHOLE,
    Bench,
    Carried,
    PlanFailedError,
    coloured,
    joined,
    made,
    slice_overheads,
)

TWINS = ("innodb:baseline", "innodb:twin")
RIVALS = ("innodb:baseline", "rocksdb:baseline")
QUIET, BUSY = "left alone", "beside a busy loop"
NOISES = {"quiet": (QUIET,), "busy": (BUSY,), "both": (QUIET, BUSY)}
SECONDS, ROUNDS, BLOCKS = 6, 5, 12
FALSE, FALSE_BY_CPU, OFF_PCT, NARROWER = 0.15, 0.09, 3.0, 3.0  # goals
FAILURES = 3  # in a row, after which there is no use
Part = Callable[[Bench, argparse.Namespace], list[Figure]]


def add_options(parser: argparse.ArgumentParser) -> None:
    own = parser.add_argument_group("of slices")
    own.add_argument("--part", choices=PARTS, help="of slices; none: all")
    each = "equals 20, narrower 5, blocks of latency and beginning 12, others 1"
    own.add_argument("--plans", type=int, default=0, help=f"of each kind ({each})")
    own.add_argument("--rounds", type=int, default=ROUNDS, help=f"of each plan ({ROUNDS})")
    own.add_argument(
        "--workloads", default="", help=f"of agreement: {','.join(agreements.WORKLOADS)} (all); of limits"
    )
    own.add_argument("--noise", choices=NOISES, default="both", help="where equals are measured (both)")


def slices(arguments: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    for name in [arguments.part] if arguments.part else PARTS:
        print(f"### {name}", flush=True)
        with made(arguments) as bench:
            found += PARTS[name](bench, arguments)
    return found


def _carried(plans: Iterator[Callable[[], Carried]]) -> Iterator[Carried | None]:
    """One after the other; None of one that failed, which is said."""
    failed = 0
    for plan in plans:
        try:
            yield plan()
        except PlanFailedError as error:
            failed += 1
            print(f"a plan came to nothing: {error}", flush=True)
            if failed == FAILURES:
                raise SystemExit(f"{FAILURES} plans in a row came to nothing") from None
            yield None
        else:
            failed = 0


# equals


def equals(bench: Bench, options: argparse.Namespace) -> list[Figure]:
    found: dict[str, list[Carried]] = {noise: [] for noise in NOISES[options.noise]}
    order = [noise for _ in range(options.plans or 20) for noise in found]

    def plan(noise: str, at: int) -> Carried:
        with coming_and_going(at) if noise == BUSY else nullcontext():
            return bench.carry_out(TWINS, SLICES, EQUALS, options.seconds or SECONDS)

    plans = (partial(plan, each, at) for at, each in enumerate(order))
    for noise, carried in zip(order, _carried(plans), strict=True):
        if carried:
            found[noise].append(carried)
            _show_equals(found)
    return [
        *(
            figure
            for noise, its in found.items()
            for figure in _equals_figures(noise, its, order.count(noise))
        ),
        *_switching_figures([each for its in found.values() for each in its]),
    ]


def _show_equals(found: dict[str, list[Carried]]) -> None:
    heads = ["two that are the same", "plans", "with a false cell", "cells not judged"]
    heads += ["false by CPU per query", "of cells judged", "steps disturbed"]
    heads += [text for name in EQUALS for text in (f"{name}: ratio", "sd of a round")]
    lines = []
    for noise, its in found.items():
        logs = joined(each.logs for each in its)
        line = [noise, len(its), sum(bool(each.false) for each in its), sum(each.unjudged for each in its)]
        line += [_false_by_cpu(its), _judged_by_cpu(its), sum(each.disturbed for each in its)]
        lines.append([*map(str, line), *(text for name in EQUALS for text in _texts(logs.get(name, [])))])
    _print(heads, lines)


def _false_by_cpu(its: Sequence[Carried]) -> int:
    """Plans of which CPU per query tells a step of equals apart."""
    return sum(bool(coloured(each.by_cpu)) for each in its)


def _judged_by_cpu(its: Sequence[Carried]) -> int:
    return sum(word != "marked" for each in its for _, word in each.by_cpu)


def _texts(logs: Sequence[float]) -> tuple[str, str]:
    """The mean ratio with its interval; the noise of a single round."""
    if len(logs) < 2:
        return "", ""
    found = mean_ratio(logs)
    return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})", f"{stdev(logs):.4f}"


def _print(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    print(markdown_of(list(heads), [list(line) for line in lines]), end="\n\n", flush=True)


def _equals_figures(noise: str, its: Sequence[Carried], planned: int) -> list[Figure]:
    plans = len(its)
    false = sum(bool(each.false) for each in its)
    most = max(1.0, math.floor(FALSE * plans))
    figures = [
        Figure(f"{noise}: carried out", plans, "plans", planned, "plans", at_least=planned, digits=0),
        Figure(f"{noise}: with a false cell", false, "plans", plans, "plans", at_most=most, digits=0),
        Figure(f"{noise}: false by CPU per query", _false_by_cpu(its), "plans", plans, "plans",
               at_most=math.floor(FALSE_BY_CPU * plans), digits=0),
    ]  # fmt: skip
    for name, logs in joined(each.logs for each in its).items():
        if len(logs) > 1:
            found, n = mean_ratio(logs), len(logs)
            off = 100 * abs(found.value - 1)
            figures += [
                Figure(f"{noise}: {name}, ratio", found.value, "", n, "rounds", digits=4),
                Figure(f"{noise}: {name}, off 1", off, "%", n, "rounds", at_most=OFF_PCT, digits=2),
                Figure(f"{noise}: {name}, from (95 %)", found.low, "", n, "rounds", at_most=1.0, digits=4),
                Figure(f"{noise}: {name}, to (95 %)", found.high, "", n, "rounds", at_least=1.0, digits=4),
                Figure(f"{noise}: {name}, sd of the logarithm", stdev(logs), "", n, "rounds", digits=4),
            ]
    return figures


# narrower


def narrower(bench: Bench, options: argparse.Namespace) -> list[Figure]:
    """Plans of both orders in turns, A B B A too."""
    found: dict[str, list[Carried]] = {SLICES: [], WHOLE: []}
    orders = _there_and_back(options.plans or 5)

    def plan(order: str) -> Carried:
        return bench.carry_out(TWINS, order, EQUALS, options.seconds or SECONDS)

    for order, carried in zip(orders, _carried(partial(plan, each) for each in orders), strict=True):
        if carried:
            found[order].append(carried)
            _print(
                ["the same seconds", "plans", *(text for name in EQUALS for text in (name, "sd of a round"))],
                [_line(order, its) for order, its in found.items()],
            )
    return [*_narrower_figures(found), *_switching_figures(found[SLICES])]


def _there_and_back(plans: int) -> list[str]:
    return [order for at in range(plans) for order in ((SLICES, WHOLE), (WHOLE, SLICES))[at % 2]]


def _line(order: str, its: Sequence[Carried]) -> list[str]:
    logs = joined(each.logs for each in its)
    return [order, str(len(its)), *(text for name in EQUALS for text in _texts(logs.get(name, [])))]


def _narrower_figures(found: dict[str, list[Carried]]) -> list[Figure]:
    sliced, whole = (joined(each.logs for each in found[order]) for order in (SLICES, WHOLE))
    figures = []
    for name in EQUALS:
        ours, theirs = sliced.get(name, []), whole.get(name, [])
        n = min(len(ours), len(theirs))
        if n > 1:
            times = half_width(theirs) / half_width(ours)
            figures += [
                Figure(f"{name}: sd of a round in slices", stdev(ours), "", n, "rounds", digits=4),
                Figure(f"{name}: sd of a round, whole", stdev(theirs), "", n, "rounds", digits=4),
                Figure(f"{name}: times narrower", times, "", n, "rounds", at_least=NARROWER, digits=2),
            ]
    return figures


# agreement


def agreement(_: Bench, options: argparse.Namespace) -> list[Figure]:
    figures: list[Figure] = []
    for found in agreements.measure(options):
        figures = agreements.figures_of(found)
        _show(figures)
    return figures


# switching


def switching(bench: Bench, options: argparse.Namespace) -> list[Figure]:
    def plan() -> Carried:
        return bench.carry_out(RIVALS, SLICES, EQUALS, options.seconds or SECONDS)

    found: list[Carried] = []
    for carried in _carried(plan for _ in range(options.plans or 1)):
        if carried:
            found.append(carried)
            _print(*_switching_table(found))
    return _switching_figures(found)


def _switching_table(found: Sequence[Carried]) -> tuple[list[str], list[list[str]]]:
    figures = _switching_figures(found)
    return ["", "s", "of"], [[each.name, f"{each.value:.3f}", f"{each.n} {each.of}"] for each in figures]


def _switching_figures(found: Sequence[Carried]) -> list[Figure]:
    beside = slice_overheads(found)
    return (
        [Figure("beside each second of slices", fmean(beside), "s", len(beside), "steps")] if beside else []
    )


# latency


def latency(_: Bench, options: argparse.Namespace) -> list[Figure]:
    return _shown(sliced_latency.measure(EQUALS, options.rows or ROWS, options.plans or BLOCKS))


def beginning(_: Bench, options: argparse.Namespace) -> list[Figure]:
    return _shown(slice_beginning.measure(EQUALS, options.rows or ROWS, options.plans or BLOCKS))


def _shown(measured: Iterator[list[Figure]]) -> list[Figure]:
    found: list[Figure] = []
    for figures in measured:
        found += figures
        _show(figures)
    return found


def _show(figures: Sequence[Figure]) -> None:
    _print(["", "", "of"], [[each.name, f"{each.value:.3f}", f"{each.n} {each.of}"] for each in figures])


PARTS: dict[str, Part] = {
    "equals": equals, "narrower": narrower, "agreement": agreement, "switching": switching,
    "latency": latency, "beginning": beginning,
}  # fmt: skip
FIGURES = {"slices": slices}
