"""The search for the build that changed the work of a step: two starts of each build, and no test."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import log

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.explaining.bisect_search import FOUND, SAME, UNTOLD, BisectSearch, BisectState, build_as_group
from app.explaining.bisect_text import bisect_entry, bisect_table
from app.explaining.bisecting import BisectionBuilds, BisectionRequest
from app.explaining.evidence import MeasuredRounds, SameWorkKey
from app.planner.kinds.counting import with_counted_step
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from tests.plans import build, survey

STARTS = 2
NAMES = [f"mysql-9.{at}" for at in range(64)]
THERE = survey(builds=[build(name, "MySQL", name[6:], ["innodb"]) for name in NAMES])


def counting(step: str = "point-query", builds: str = "mysql-*", by: float | None = None) -> BisectionBuilds:
    work = with_counted_step(PlanRequest(), step, Catalog())
    return BisectionBuilds.of(BisectionRequest(builds, "innodb", step, work, by), THERE, Catalog())


def searched(
    counts: Sequence[float], chance: random.Random, spread: float = 0.0004, by: float = 0.005
) -> tuple[BisectState, int]:
    """The end of a search, and the number of comparisons."""
    rounds: list[dict[frozenset[str], float]] = []
    for comparisons in range(100):
        search = BisectSearch(NAMES[: len(counts)], rounds, by=by, is_counted=True)
        found = search.found()
        if found.next is None:
            return found, comparisons
        rounds += [
            {
                build_as_group(NAMES[at]): log(counts[at] * (1 + chance.uniform(0, spread)))
                for at in found.next
            }
            for _ in range(STARTS)
        ]
    raise AssertionError("the search does not end")


@pytest.mark.parametrize("culprit", [1, 2, 31, 32, 63])
@pytest.mark.parametrize("change", [0.006, -0.01, 0.5])
def test_half_a_percent_is_found_among_64_builds(culprit: int, change: float) -> None:
    counts = [50_000 * (1 + change * (at >= culprit)) for at in range(64)]
    found, comparisons = searched(counts, random.Random(culprit), spread=0.0002)
    assert (found.verdict, found.low, found.high) == (FOUND, culprit - 1, culprit)
    assert comparisons <= 8


def test_one_of_several_changes_is_found_and_that_there_are_more_is_told() -> None:
    found, _ = searched([707.0, 808.0, 824.0, 1233.0, 1784.0], random.Random(1), spread=0.0001)
    assert (found.verdict, found.low, found.high) == (FOUND, 2, 3)
    assert "there are several changes" in found.remarks[-1]


def test_equal_counts_take_one_comparison() -> None:
    found, comparisons = searched([50_000.0] * 64, random.Random(1))
    assert (found.verdict, comparisons) == (SAME, 1)


def test_starts_that_are_too_far_apart_are_told_and_not_guessed() -> None:
    counts = [50_000.0 * (1 + 0.02 * (at >= 9)) for at in range(20)]
    found, comparisons = searched(counts, random.Random(4), spread=0.05)
    assert found.verdict == UNTOLD and comparisons == 2


def test_a_comparison_is_of_two_starts_on_the_same_data() -> None:
    search = counting()
    plan = resolve(search.next_request((0, 63)), THERE, Catalog())
    assert search.is_counted and search.by == 0.005 and counting(by=0.1).by == 0.1
    assert plan.counts and plan.repeats == STARTS and (plan.start, plan.order) == ("snapshot", "interleaved")
    assert search.work == SameWorkKey("point-query", plan.work_key, plan.machine_key)


def test_a_step_that_work_lacks_is_a_workload() -> None:
    assert counting("hot-points").request.sequence == "work.hot-points"
    assert counting("order").request.sequence == "work"
    with pytest.raises(InputError, match="load is of kind load"):
        counting("load")
    with pytest.raises(InputError, match="no workload ordr"):
        counting("ordr")


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            (50_000, 55_000),
            "point-query takes 10% more instructions with mysql-9.1 than with mysql-9.0. Instr",
        ),
        ((50_000, 49_000), "takes 2.0% fewer instructions with mysql-9.1 than with mysql-9.0"),
        ((50_000, 50_000), "takes the same instructions within 0.5% with mysql-9.0 and mysql-9.1"),
    ],
)
def test_the_answer_speaks_of_work_and_has_no_interval(counts: tuple[float, float], said: str) -> None:
    search = counting(builds="mysql-9.[01]")
    found, _ = searched(counts, random.Random(1), spread=0.0001)
    entry = bisect_entry(search, found, MeasuredRounds(unit="instructions"))
    assert said in entry["sentence"]
    assert not {"faster", "slower"} & set(entry["sentence"].split())
    assert [(look["low"], look["high"], look["n"]) for look in entry["looks"]] == [(None, None, STARTS)]
    assert bisect_table(entry).lines[0][4] == "-"
