"""Whether counted steps find a planted difference of 1 %, and tell equals never apart.

Every try has starts of its own: two of each side. The planted side has a limit for the time of statements, so
that the server sets a timer for each: 0.9 % more instructions of a point query. Steps of one start share it.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import fmean

from app.history.lists.sessions import sessions
from app.history.steps.figures import steps
from app.history.store.history import History
from app.protocol.plan import COUNT
from app.stats import StepResultPair, judge
from app.stats.at_target.verdicts import COLOURED, WORSE, spread_of_starts
from tests.bench.figure import Figure
from tests.bench.sliced_plans import Bench, PlanFailedError, made, write_preset
from tests.installed import MARIADB

PLANTED = "max_statement_time=1000"
STEPS = ("point-query", "order", "sum", "update-index", "insert")
PLANTED_IN = "point-query"  # where it makes 1 %: the others are longer
TRIES, STARTS, START_S = 20, 2, 600
TRIES_A_PLAN = 5  # a longer plan is asked for, and nobody is there
Starts = Sequence[float]


def counting(options: argparse.Namespace) -> list[Figure]:
    """Tries of planted differences and of equals, from plans of many starts."""
    with made(options) as bench:
        found = _counted(bench, options)
    first, second = found["baseline"], found["planted"]
    planted = [*zip(_tries(first[PLANTED_IN], 1), _tries(second[PLANTED_IN], 1), strict=True)]
    equals = [pair for side in (first, second) for each in STEPS for pair in _halves(side[each])]
    told = sum(_word(*each) == WORSE for each in planted)
    apart = sum(_word(*each) in COLOURED for each in equals)
    more = fmean(second[PLANTED_IN]) / fmean(first[PLANTED_IN]) - 1
    spreads = [spread_of_starts(each) for side in (first, second) for each in side.values()]
    return [
        Figure(
            "counts, planted difference", 100 * more, "%", len(first[PLANTED_IN]), "starts a side", digits=2
        ),
        Figure(
            "counts, planted and found", 100 * told / len(planted), "%", len(planted), "tries", at_least=100
        ),
        Figure("counts, equals told apart", apart, "", len(equals), "tries", at_most=0, digits=0),
        Figure("counts, largest spread of all starts", 100 * max(spreads), "%", len(first[PLANTED_IN])),
    ]


def _counted(bench: Bench, options: argparse.Namespace) -> dict[str, dict[str, list[float]]]:
    """The instructions of each start in turn, by preset and step."""
    write_preset(bench.home, "planted", PLANTED)
    left = options.tries or TRIES
    while left > 0:
        _carry_out(bench, STARTS * min(left, TRIES_A_PLAN), options.allow_busy)
        left -= TRIES_A_PLAN
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with History(bench.home) as history:
        for entry in sorted(sessions(history), key=lambda each: each["id"]):
            for step in steps(history, entry["id"]):
                if step["kind"] == COUNT and step["value"] is not None:
                    found[entry["contender"]["preset"]][step["name"]].append(step["value"])
    return found


def _carry_out(bench: Bench, starts: int, is_busy: bool) -> None:
    builds = [f"{MARIADB}:innodb:{each}" for each in ("baseline", "planted")]
    words = ["work", *builds, "--steps", ",".join(STEPS), "--starts", str(starts)]
    code, said = bench.run([*words, *(["--allow-busy"] if is_busy else [])], 2 * starts * START_S)
    if code:
        raise PlanFailedError(said.strip().splitlines()[-1])


def _tries(starts: Starts, of: int) -> Iterator[Starts]:
    """Groups of starts one after the other, for so many sides."""
    size = of * STARTS
    for at in range(0, len(starts) - size + 1, size):
        yield starts[at : at + size]


def _halves(starts: Starts) -> Iterator[tuple[Starts, Starts]]:
    """Two sides that are equal."""
    for each in _tries(starts, 2):
        yield each[0::2], each[1::2]


def _word(base: Starts, other: Starts) -> str:
    return judge([StepResultPair((*base,), (*other,), "lower", is_counted=True)])[0].word


FIGURES = {"counting": counting}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tries", type=int, default=0, help=f"of counted contenders ({TRIES})")
