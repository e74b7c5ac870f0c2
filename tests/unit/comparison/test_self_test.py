"""The self test of a machine: which planted differences it found, by the verdicts of Compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.comparison.answers.self_test import machine_measures, self_test
from app.comparison.texts.calibration_text import self_test_remarks
from app.comparison.verdicts.compare import compare
from app.core.errors import TargetError
from app.history.machines.measured import MachineHistory
from app.history.machines.self_test import SEQUENCE, latest_self_test, planted_pct, planting_line
from app.history.store.history import History
from app.planner.estimate.estimate import estimate
from app.planner.kinds.calibration import self_test_request
from app.planner.resolve.resolve import resolve
from app.protocol.plan import SLICES, Plan
from tests import plans, sliced
from tests.sliced import INNODB, Odd, Oddities

MACHINE = "m" * 64
QUERIES = 1  # the first step behind the load
FAITHFUL = (1.0, 1 / 1.03, 1 / 1.1)  # what is planted
DISTURBED = Odd(marks=["disturbed"], others={"causes": ["others"], "cpu_pct": 150.0, "cpus": 2})


def plan(number: int = 1, rounds: int = 5, order: str = SLICES, pcts: Sequence[int] = (0, 3, 10)) -> Plan:
    contenders = [
        replace(
            INNODB, preset=f"planted-{pct}", name=f"planted-{pct}", cnf=f"[mysqld]\n{planting_line(pct)}\n"
        )
        for pct in pcts
    ]
    made = sliced.plan(contenders, rounds, number, order)
    steps = [replace(each, unit="rows/s") if each.kind == "drive" else each for each in made.steps[:2]]
    return replace(made, sequence=SEQUENCE, steps=steps)


def keep(
    history: History, its_plan: Plan, factors: Sequence[float] = FAITHFUL, odd: Oddities | None = None
) -> list[str]:
    return sliced.keep(history, its_plan, factors, odd)


def outcomes(history: History) -> list[str]:
    found = self_test(history, MACHINE)
    return [f"{each.pct}% {each.outcome}" for each in found.differences] if found else []


def noisy(contender: int, *factors: float) -> Oddities:
    """A contender whose figures of each round are so many times what they would be."""
    return {(contender, at, QUERIES): Odd(factor=factor) for at, factor in enumerate(factors, 1)}


def test_differences_that_are_found_and_what_was_measured(history: History) -> None:
    keep(history, plan())
    found = self_test(history, MACHINE)
    assert found is not None and found.in_slices and not found.was_disturbed
    assert outcomes(history) == ["3% found after 3 of 5 repeats", "10% found after 3 of 5 repeats"]
    for each in found.differences:
        assert each.ratio == pytest.approx(each.planted_ratio, rel=0.005) and each.low and each.high
        assert each.low < each.planted_ratio < each.high
    head, small, large = self_test_remarks(found)
    assert head.startswith("Self test 2023-11-") and head.endswith("planted in point queries in slices.")
    assert small.startswith("A planted difference of 3% (0.971 of the rate) was found after 3 of 5 repeats: ")
    assert large.startswith(
        "A planted difference of 10% (0.909 of the rate) was found after 3 of 5 repeats: "
    )
    assert "left out" not in small + large


def test_a_difference_within_the_noise_is_not_found(history: History) -> None:
    keep(history, plan(), odd=noisy(1, 1.06, 0.95, 1.05, 0.97, 1.04))
    assert outcomes(history) == ["3% not found in 5 repeats", "10% found after 3 of 5 repeats"]
    found = self_test(history, MACHINE)
    assert found is not None and "was not found in 5 repeats: measured 1.0" in self_test_remarks(found)[1]


def test_a_verdict_that_does_not_stay_counts_only_from_where_it_stays(history: History) -> None:
    late = noisy(1, 1.0, 1.0, 1.0, 1.1, *[1.0] * 8)
    ids = keep(history, plan(pcts=(0, 10), rounds=12), (1.0, 1 / 1.1), late)
    words = {n: compare(history, ids[: 2 * n]).rows[1].cells[1].verdict for n in range(3, 13)}
    assert words[3] == words[12] == "worse" != words[4]
    (text,) = outcomes(history)
    last = max(n for n, word in words.items() if word != "worse")
    assert text == f"10% found after {last + 1} of 12 repeats"


@pytest.mark.parametrize("order", [SLICES, "interleaved"])
def test_each_number_of_repeats_is_judged_as_compare_judges_it(history: History, order: str) -> None:
    factors = (0.97, 1.05, 1.0, 1.01, 1.0, 0.99, 1.0, 1.01)
    its_plan = plan(rounds=8, order=order)
    ids = keep(history, its_plan, (1.0, 1 / 1.03, 0.6), noisy(1, *factors))
    found = self_test(history, MACHINE)
    assert found is not None and found.in_slices == (order == SLICES)
    for at, each in enumerate(found.differences, 1):
        words = [compare(history, ids[: 3 * n]).rows[1].cells[at].verdict for n in range(3, 9)]
        stays = [n for n in range(3, 9) if all(word == "worse" for word in words[n - 3 :])]
        assert each.found_after == min(stays, default=None), words
    slowest = found.differences[1].found_after
    assert slowest is not None and (order == SLICES or slowest > 3)


def test_disturbed_repeats_do_not_count_and_are_named(history: History) -> None:
    keep(history, plan(), odd={(2, repeat, QUERIES): DISTURBED for repeat in (1, 4)})
    assert outcomes(history) == ["3% found after 3 of 5 repeats", "10% found after 3 of 3 repeats"]
    found = self_test(history, MACHINE)
    assert found is not None and self_test_remarks(found)[2].endswith("; 2 repeats of 5 left out.")
    assert "slices while other programs were at work" in self_test_remarks(found)[0]


def test_load_that_hits_all_alike_is_named_and_leaves_nothing_out(history: History) -> None:
    keep(history, plan(), odd={(at, 2, QUERIES): DISTURBED for at in range(3)})
    assert outcomes(history) == ["3% found after 3 of 5 repeats", "10% found after 3 of 5 repeats"]
    found = self_test(history, MACHINE)
    assert found is not None and found.was_disturbed and "left out" not in "".join(self_test_remarks(found))


def test_what_has_no_verdict_says_why(history: History) -> None:
    odd = {(1, 2, QUERIES): Odd(failed=True), **{(2, at, QUERIES): DISTURBED for at in range(1, 6)}}
    keep(history, plan(), odd=odd)
    found = self_test(history, MACHINE)
    assert found is not None and outcomes(history) == ["3% without a verdict", "10% without a verdict"]
    texts = self_test_remarks(found)[1:]
    assert all("got no verdict (" in text and "found" not in text for text in texts)
    assert "disturbed" in texts[1] and "1205" in texts[0]


def test_none_where_none_was_planted_or_too_little_was_measured(history: History) -> None:
    assert self_test(history, MACHINE) is None and self_test_remarks(None) == []
    sliced.keep(history, plan(number=1), until=8)  # two whole rounds
    assert self_test(history, MACHINE) is None and machine_measures(history, MACHINE).self_test == ""
    keep(history, plan(number=2, pcts=(0, 0, 0)))
    assert latest_self_test(history, MACHINE) and self_test(history, MACHINE) is None
    keep(history, plan(number=3, pcts=(3, 10, 10)))
    assert self_test(history, MACHINE) is None, "no server without a planted difference"
    assert self_test(history, "another") is None


def test_the_latest_one_counts_and_one_that_was_stopped_by_its_repeats(history: History) -> None:
    keep(history, plan(number=1), (1.0, 1.0, 1.0))
    assert outcomes(history) == ["3% not found in 5 repeats", "10% not found in 5 repeats"]
    sliced.keep(history, plan(number=2), FAITHFUL, until=12)
    assert outcomes(history) == ["3% found after 3 of 4 repeats", "10% found after 3 of 4 repeats"]


def test_the_estimate_shows_it_in_place_of_what_is_computed(history: History) -> None:
    keep(history, plan(), odd=noisy(1, 1.06, 0.95, 1.05, 0.97, 1.04))
    known = replace(machine_measures(history, MACHINE), noise=0.01, sessions=())
    text = (
        "self test of point queries in slices: planted 3% not found in 5 repeats,"
        " planted 10% found after 3 of 5 repeats"
    )
    both = plans.request(f"{plans.MARIADB}:innodb", f"{plans.MARIADB}:rocksdb", repeats=5)
    survey = plans.survey()
    asked = resolve(both, survey, Catalog())
    assert estimate(asked, survey, known).least_text == text
    assert estimate(asked, survey, MachineHistory(0.01)).least_text.startswith(
        "finds differences from 3.0% on"
    )
    assert estimate(replace(asked, repeats=1), survey, known).least_text == ""


def test_its_plan_takes_turns_where_the_memory_is_enough() -> None:
    survey = plans.survey()
    made = resolve(self_test_request(survey, "local"), survey, Catalog())
    assert (made.order, made.repeats, made.start) == (SLICES, 5, "snapshot")
    assert [planted_pct(each.cnf) for each in made.contenders] == [0, 3, 10]
    assert [step.sliced for step in made.steps if step.kind == "drive"] == [True]
    assert 120 < estimate(made, survey).seconds < 300
    small = replace(survey, memory_bytes=1 << 30)
    assert self_test_request(small, "local").order == "interleaved"
    with pytest.raises(TargetError, match="no build with InnoDB that starts"):
        self_test_request(plans.survey(builds=[]), "nas")


@pytest.mark.parametrize(
    ("cnf", "pct"),
    [
        ("", 0),
        ('init_connect="SET @dyno_planted_pct = 0"', 0),
        ('init_connect="SET @dyno_planted_pct = 99"', 99),
        ('init_connect="SET @dyno_planted_pct = 999999999999"', 0),
        ('init_connect="SET @dyno_planted_pct = ten"', 0),
    ],
)
def test_a_line_that_plants_nothing_sensible_is_none(cnf: str, pct: int) -> None:
    assert planted_pct(f"[mysqld]\n{cnf}\n") == pct
