"""Plans with roles estimated, chosen, measured again and explained: no role counts twice, none is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.explaining.explaining import request_of_step, wanted_step_label
from app.history.machines.measured import read_machine_record
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.planner.estimate.estimate import PlanEstimate, count_compared_cells, estimate
from app.planner.estimate.guesses import SERVER_S, STEP_S, StatementEstimator, step_guesses
from app.planner.kinds.again import request_again
from app.planner.kinds.chosen import fitted, sliced_or_interleaved
from app.planner.resolve.resolve import resolve
from app.protocol.events import StepEnded
from app.protocol.plan import Plan
from tests import journals
from tests.plans import THREE, request, survey
from tests.sequences import ROLES, TOGETHER, keep_own

LATER = 'name = "later"\nworkload = "point-query"\n'


def planned(home: Path, *steps: str, **options: object) -> Plan:
    given = {"rows": 1000, "tables": 1, "seconds": 10, "warmup": 0, **options}
    return resolve(request(sequence=keep_own(home, *steps), **given), survey(), Catalog())


def estimated(home: Path, *steps: str, **options: object) -> PlanEstimate:
    return estimate(planned(home, *steps, **options), survey())


def guess(plan: Plan, name: str) -> float:
    names = [step.name for step in plan.steps]
    return step_guesses(plan, plan.contenders[0])[names.index(name)]


# time


def test_roles_take_their_seconds_once(dyno_home: Path) -> None:
    assert estimated(dyno_home, TOGETHER, warmup=3).declared_s == 13
    both = (
        TOGETHER
        + "seconds = 25\n"
        + '[[step.role]]\nname = "third"\nworkload = "point-query"\nseconds = 99\nends = false\n'
    )
    assert estimated(dyno_home, both).declared_s == 25
    plan = planned(dyno_home, TOGETHER)
    assert guess(plan, "together") == STEP_S and guess(plan, "together.writer") == 0.0


def test_roles_take_as_long_as_the_events_of_those_that_end_the_step(dyno_home: Path) -> None:
    plan = planned(dyno_home, ROLES)  # 6,000 events at 100 a second
    assert estimated(dyno_home, ROLES).declared_s == 0
    assert guess(plan, "qr100") == pytest.approx(60 + STEP_S)
    assert guess(plan, "qr100.inserter") == guess(plan, "qr100.remover") == 0.0
    waits_not = ROLES.replace("events = 6000", "events = 6000\nends = false").replace(
        'workload = "read-only"', 'workload = "read-only"\nseconds = 20'
    )
    assert guess(planned(dyno_home, waits_not), "qr100") == STEP_S
    longer = ROLES.replace('workload = "read-only"', 'workload = "read-only"\nseconds = 20')
    plan = planned(dyno_home, longer)
    assert guess(plan, "qr100") == pytest.approx(40 + STEP_S)  # beyond the seconds that are declared


def test_parts_of_a_second_are_whole_events_of_each_client(dyno_home: Path) -> None:
    few = ROLES.replace("rate = 100", "rate = 2\nthreads = 8").replace("events = 6000", "events = 800")
    assert guess(planned(dyno_home, few), "qr100") == pytest.approx(100 + STEP_S)  # 8 a second, not 2
    assert planned(dyno_home, few.replace("cap_s = 3600", "cap_s = 100"))
    even = few.replace("each-second", "even").replace("cap_s = 3600", "cap_s = 400")
    assert guess(planned(dyno_home, even), "qr100") == pytest.approx(400 + STEP_S)


def test_clients_of_all_roles_are_there_at_the_same_time(dyno_home: Path) -> None:
    assert planned(dyno_home, TOGETHER, threads=(4,)).most_clients == 7
    assert planned(dyno_home, LATER, threads=(4,)).most_clients == 4


# disk


def test_all_roles_that_write_need_disk(dyno_home: Path) -> None:
    def parts(text: str) -> dict[str, int]:
        return estimated(dyno_home, text, rows=10).contenders[0].parts

    alone = parts('name = "w"\nworkload = "update-index"\nthreads = 3\n')
    one = parts(TOGETHER.replace("rate = 10\n", "").replace('"point-query"', '"update-index"'))
    slow = parts(TOGETHER)
    assert one["undo"] > 1.3 * alone["undo"] > 1.3 * 100 * slow["undo"] > 0
    grows = 'name = "i"\nworkload = "insert"\nevents = 6000\n'
    assert parts(ROLES)["tables"] == parts(grows)["tables"]
    unbounded = TOGETHER.replace('"update-index"', '"insert"').replace("rate = 10", "rate = 600")
    assert parts(unbounded)["tables"] == pytest.approx(parts(grows)["tables"], rel=0.1)  # 10 s, and a part


def test_statements_of_many_rows_need_more_disk(dyno_home: Path) -> None:
    (step,) = [each for each in planned(dyno_home, TOGETHER).steps if each.role == "writer"]
    work = StatementEstimator({}, 1000)
    by_events = replace(step, events=100)
    assert work.changed_rows(by_events) == work.statements(by_events) == 100
    assert work.changed_rows(replace(by_events, options={"rows_per_insert": 50})) == 5000
    assert work.changed_rows(replace(by_events, options={"rows_per_delete": "many"})) == 100


# learned


def test_the_time_of_roles_is_learned_from_earlier_sessions(history: History, dyno_home: Path) -> None:
    its_plan = planned(dyno_home, ROLES)
    maker = journals.Maker(its_plan).begin()
    maker.t = float(SERVER_S)
    for at, step in enumerate(its_plan.steps):
        if step.beside:
            maker.add(StepEnded, step=at, outcome="completed", value=1.0)
            continue
        maker.start_step(at)
        maker.t += guess(its_plan, step.name) * (3 if step.role else 1)
        maker.end_step(at)
    journals.store(history, maker.end())
    found = estimate(its_plan, survey(), read_machine_record(history, its_plan.machine_key))
    more = found.guessed_s - estimate(its_plan, survey()).guessed_s
    assert more == pytest.approx(2 * guess(its_plan, "qr100"), rel=0.01)
    other = planned(dyno_home, 'name = "alone"\nworkload = "read-only"\nevents = 900\n')
    known = read_machine_record(history, other.machine_key)
    assert estimate(other, survey(), known).guessed_s == pytest.approx(
        estimate(other, survey()).guessed_s, rel=0.01
    )


# verdicts


def test_each_role_is_compared(dyno_home: Path) -> None:
    two = request(*THREE[:2]).contenders
    assert count_compared_cells(planned(dyno_home, TOGETHER, contenders=two)) == 2 + 2  # load and index


# chosen


def test_a_plan_with_roles_is_interleaved(dyno_home: Path) -> None:
    asked = request(*THREE[:2], sequence=keep_own(dyno_home, TOGETHER), rows=1000)
    found, why = sliced_or_interleaved(asked, survey(), Catalog())
    assert (found.order, why) == ("interleaved", "step together has roles, which the order slices cannot cut")


def test_events_of_roles_are_not_shortened(dyno_home: Path) -> None:
    asked = request(sequence=keep_own(dyno_home, ROLES), rows=1000, tables=1, repeats=1)
    found = fitted(asked, 300, survey(), Catalog())
    plan = resolve(found.request, survey(), Catalog())
    assert [step.events for step in plan.steps if step.role] == [0, 6000, 0]
    with pytest.raises(InputError, match="30 s is too short"):
        fitted(asked, 30, survey(), Catalog())


def test_seconds_of_the_plan_are_shortened_for_roles_too(dyno_home: Path) -> None:
    asked = request(sequence=keep_own(dyno_home, TOGETHER), rows=1000, tables=1, repeats=1)
    plan = resolve(fitted(asked, 60, survey(), Catalog()).request, survey(), Catalog())
    assert 10 <= plan.seconds < 60 and [step.seconds for step in plan.steps if step.role] == [plan.seconds, 0]


def test_one_test_of_each_group_keeps_steps_with_roles(dyno_home: Path) -> None:
    more = [TOGETHER.replace('"together"', f'"together-{at}"') for at in range(4)]
    asked = request(sequence=keep_own(dyno_home, LATER, *more, ROLES), rows=1000, tables=1, repeats=1)
    found = fitted(asked, 100, survey(), Catalog()).request
    assert found.steps == ("load", "index", "later", "qr100")  # the others are of the group of later


# again


def test_sessions_with_roles_are_measured_again(history: History, dyno_home: Path) -> None:
    rated = ROLES.replace('workload = "read-only"', 'workload = "read-only"\nrate = 5')
    before = planned(dyno_home, rated, LATER, rate=(7,), arrivals="even", threads=(1, 2))
    for turn in before.turns:
        made = journals.Maker(before, turn.session).begin()
        JournalStorer(history).append(before.id, turn.session, 0, made.raw)
    asked = request_again(history, [before.id])
    assert (asked.rate, asked.arrivals) == ((7,), "even")
    assert resolve(asked, survey(), Catalog()).work_key == before.work_key
    only = request_again(history, [before.id], only=("qr100.inserter",))
    assert only.steps == ("load", "index", "qr100")


# explained


def test_a_role_is_explained_with_its_step(dyno_home: Path) -> None:
    settle = 'name = "calm"\nkind = "settle"\n'
    asked = request(sequence=keep_own(dyno_home, ROLES, settle, TOGETHER, LATER))
    for name in ("together", "together.writer"):
        assert request_of_step(asked, name, "explain-", Catalog()).steps == ("calm", "together")
    with pytest.raises(InputError, match=r"has no step together\.nobody"):
        request_of_step(asked, "together.nobody", "explain-", Catalog())
    plan = planned(dyno_home, TOGETHER)
    assert wanted_step_label(plan, "together") == "together threads=1"
    with pytest.raises(InputError, match=r"the plan sets the rate of together\.writer"):
        wanted_step_label(plan, "together.writer")
    free = replace(plan, steps=[replace(step, rate=0) for step in plan.steps])
    assert wanted_step_label(free, "together.writer") == "together.writer threads=1"
