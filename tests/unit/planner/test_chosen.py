"""What Dyno chooses for builds alone, and for a plan that has to end in time."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.history.machines.measured import MachineHistory
from app.planner.estimate.estimate import PlanEstimate, count_compared_cells
from app.planner.kinds.canary import estimated_with_canary
from app.planner.kinds.chosen import LENGTHS, FittedRequest, fitted, with_threads, with_work, work_text
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from app.stats.noise import NoiseParts
from app.stats.planning import least_difference
from tests.plans import MARIADB, contenders, survey
from tests.sequences import keep_own

TWO = contenders(MARIADB, "mysql-9.7")
DRIVE = 'name = "{}"\nworkload = "{}"'


def look(request: PlanRequest) -> tuple[Plan, PlanEstimate]:
    return estimated_with_canary(resolve(request, survey(), Catalog()), survey())


def asked(**options: Any) -> PlanRequest:
    given = {"sequence": "quick", "repeats": "until decided", "rows": 1000, "contenders": TWO}
    return PlanRequest().with_options(**{**given, **options})


def in_time(minutes: float, **options: Any) -> FittedRequest:
    return fitted(asked(**options), minutes * 60, survey(), Catalog())


def rounds_s(found: FittedRequest, rounds: int = 4) -> float:
    return look(found.request)[1].fewest_s / 3 * rounds


def test_builds_alone_are_compared_by_the_quick_sequence_until_decided() -> None:
    bare = PlanRequest(contenders=TWO)
    found = with_threads(with_work(bare, ()), False, survey(), Catalog())
    assert (found.sequence, found.threads, found.repeats) == ("quick", (4,), "until decided")
    text = work_text(bare, found)
    assert text == "Dyno chose the tests of quick, repeats until all is decided, 4 threads (one for each CPU)"
    assert work_text(found, found) == ""


def test_one_build_alone_is_not_repeated_until_decided() -> None:
    one = PlanRequest(contenders=TWO[:1])
    assert with_work(one, ()).repeats == 1
    assert with_work(one, ("time_limit",)).repeats == "until decided"


def test_what_a_person_or_a_chosen_sequence_says_stays() -> None:
    own = replace(PlanRequest(contenders=TWO), sequence="duel", threads=(7,), repeats=5)
    assert with_threads(with_work(own, ("repeats",)), True, survey(), Catalog()) == own
    duel = with_work(PlanRequest(contenders=TWO, sequence="duel"), ())
    assert with_threads(duel, True, survey(), Catalog()).threads is None  # those of the sequence
    quick = with_work(PlanRequest(contenders=TWO, sequence="quick"), ())
    assert with_threads(quick, True, survey(), Catalog()).threads is None


def test_a_chosen_sequence_without_threads_gets_those_of_the_target(dyno_home: Path) -> None:
    own = keep_own(dyno_home, DRIVE.format("a", "point-query"))
    request = PlanRequest(contenders=TWO, sequence=own)
    assert with_threads(request, True, survey(), Catalog()).threads == (4,)


def test_the_longest_steps_that_end_in_time_are_chosen() -> None:
    chosen = [in_time(minutes).request for minutes in (600, 120, 70, 55, 45, 40)]
    lengths = [each.seconds for each in chosen]
    assert lengths[0] == 60 and lengths == sorted(lengths, reverse=True) and len(set(lengths)) > 2
    assert not any(each.steps for each in chosen)
    for minutes, request in zip((600, 120, 70, 55, 45, 40), chosen, strict=True):
        at = LENGTHS.index(request.seconds)
        assert rounds_s(FittedRequest(request, "")) <= minutes * 60
        if at:
            longer = replace(request, seconds=LENGTHS[at - 1])
            assert rounds_s(FittedRequest(longer, "")) > minutes * 60


@pytest.mark.parametrize(("start", "second"), [(0.05, 0.01), (0.001, 0.3)])
def test_where_the_noise_is_known_the_time_is_spent_accordingly(start: float, second: float) -> None:
    """More repeats of shorter steps, as far as these are not too noisy: what finds most."""
    machine = MachineHistory(parts=NoiseParts(start**2, second**2))
    found = fitted(asked(), 70 * 60, survey(), Catalog(), lambda _: machine).request
    least = {}
    for length in (
        each for each in LENGTHS if rounds_s(FittedRequest(replace(found, seconds=each), "")) <= 70 * 60
    ):
        plan, _ = look(replace(found, seconds=length))
        repeats = min(8, int(70 * 60 / rounds_s(FittedRequest(replace(found, seconds=length), ""), 1)))
        noise = (start**2 + second**2 / length) ** 0.5
        least[length] = least_difference(repeats, count_compared_cells(plan), noise) or 0.0
    assert found.seconds == min(least, key=lambda each: least[each])
    assert found.seconds < in_time(70).request.seconds


def test_where_that_is_too_long_one_test_of_each_group_stays() -> None:
    found = in_time(20)
    assert found.request.steps == ("load", "index", "update-index", "read-write.range100", "point-query")
    assert found.request.seconds in LENGTHS and rounds_s(found) <= 20 * 60
    assert "without update-nonindex, write-only, read-write.range10000 and 3 more" in found.text
    assert "one test of each kind stays" in found.text and "4 repeats take about" in found.text


def test_what_cannot_end_in_time_is_refused_with_the_least_that_it_takes() -> None:
    with pytest.raises(InputError) as refusal:
        in_time(0.5)
    said = str(refusal.value)
    assert said.startswith("30 s is too short: 4 repeats of 3 timed steps of 5 s in short turns")
    least = re.search(r"--within (\d+)min", said)
    assert least and in_time(int(least[1]))  # what it advises is enough
    with pytest.raises(InputError, match="0 s is too short"):
        in_time(0)


def test_a_short_time_is_met_by_turns_in_each_step_then_by_fewer_rows() -> None:
    least = fitted(asked(rows=None), 480, survey(), Catalog())
    assert (least.request.order, least.request.rows) == ("slices", 250_000)
    assert "in short turns, on 250,000 rows a table" in least.text
    assert rounds_s(least) <= 480
    more = fitted(asked(rows=None), 12 * 60, survey(), Catalog()).request
    assert (more.order, more.rows) == ("slices", None)
    long = fitted(asked(rows=None), 20 * 60, survey(), Catalog()).request
    assert (long.order, long.rows) == ("interleaved", None)


def test_order_and_rows_that_a_person_gave_stay() -> None:
    for given in (("order",), ("order", "rows")):
        with pytest.raises(InputError, match=r"of 10 s .*take about") as refusal:
            fitted(asked(rows=None), 300, survey(), Catalog(), given=given)
        assert "turns" not in str(refusal.value)
        assert ("250,000" in str(refusal.value)) == ("rows" not in given)
    one = TWO[:1]  # too few for slices
    with pytest.raises(InputError, match="of 10 s on 250,000 rows a table take about"):
        fitted(asked(rows=None, contenders=one), 100, survey(), Catalog())


def test_seconds_and_steps_of_a_person_stay() -> None:
    found = in_time(20, seconds=33, steps=["point-query"]).request
    assert (found.seconds, found.steps) == (33, ("point-query",))
    with pytest.raises(InputError, match="1 timed step of 600 s"):
        in_time(20, seconds=600, steps=["point-query"])
    only = in_time(25, seconds=30).request
    assert only.seconds == 30 and "write-only" not in only.steps
    kept = in_time(18, profile=["write-only"]).request
    assert "write-only" in kept.steps


def test_no_step_is_longer_than_its_sequence_says() -> None:
    found = in_time(600, sequence="duel")
    assert look(found.request)[0].seconds == 5 and "a step" in found.text


def test_work_of_earlier_sessions_is_not_changed() -> None:
    request = asked()
    assert fitted(request, 10 * 3600, survey(), Catalog(), is_fixed=True).request == request
    with pytest.raises(InputError, match="4 repeats of 9 timed steps of 60 s"):
        fitted(request, 1200, survey(), Catalog(), is_fixed=True)


def test_one_contender_has_to_end_with_all_its_sessions() -> None:
    found = in_time(20, contenders=TWO[:1])
    plan, estimate = look(found.request)
    assert len(plan.first_turns) == 3 and estimate.seconds <= 20 * 60
    assert "3 sessions take about" in found.text


def test_a_sequence_that_bounds_its_own_steps_chose_nothing(dyno_home: Path) -> None:
    own = keep_own(dyno_home, DRIVE.format("a", "point-query") + "\nseconds = 7")
    found = in_time(60, sequence=own)
    assert "Dyno chose" not in found.text
