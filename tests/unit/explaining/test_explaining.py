"""From a pair to plans and to what they say, with a history and without a machine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.comparison.verdicts.disturbing import GivenDisturbanceLimits
from app.core.errors import InputError
from app.explaining.entries import DECIDED, GOES_ON, TIME_IS_UP, entry_of
from app.explaining.explaining import DifferenceQuestion, ExplainedContenderPair
from app.explaining.pair import ContenderPair
from app.explaining.search import DID, NONE, OPEN, ROUNDS
from app.explaining.text import explanation_table
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.protocol.events import SPOILT
from app.protocol.plan import SLICES
from tests import sliced
from tests.plans import MARIADB, survey
from tests.unit.explaining.pairs import (
    COMMIT,
    DOUBLEWRITE,
    IO,
    REDO,
    asked,
    contender,
    decided_settings,
    explaining,
    measure,
    next_plan,
    only,
    shown,
)


def test_the_first_plan_has_four_contenders_in_slices(history: History) -> None:
    found = explaining()
    its_plan = next_plan(found, found.state(history))
    assert (its_plan.order, its_plan.repeats, its_plan.name) == (SLICES, ROUNDS, "explain update-index")
    assert [each.name for each in its_plan.contenders][:2] == ["A", "B"]
    assert [step.name for step in its_plan.steps if step.kind == "drive"] == ["update-index"]
    assert its_plan.work_key == found.work.work_key
    assert not found.why_whole


def test_the_cause_is_told_apart_and_innocents_are_cleared(history: History) -> None:
    found = explaining()
    state = decided_settings(history, found, only([COMMIT], 1.5))
    entry = entry_of(found, state)
    assert entry["state"] == DECIDED and entry["next"] == []
    by_name = {each["name"]: each for each in entry["settings"]}
    assert by_name.keys() == {COMMIT, REDO, IO, DOUBLEWRITE}
    assert [name for name, each in by_name.items() if each["verdict"] == DID] == [COMMIT]
    share, ratio = by_name[COMMIT]["share"], by_name[COMMIT]["ratio"]
    assert share == pytest.approx(1, abs=0.02) and ratio and ratio["ratio"] == pytest.approx(1.5, rel=0.02)
    assert all(by_name[each]["verdict"] == NONE for each in (REDO, IO, DOUBLEWRITE))
    assert entry["rounds"] == ROUNDS * len(entry["plans"]) and entry["minutes"] > 0
    text = "\n".join(" ".join(line) for line in explanation_table(entry).lines)
    assert f"{COMMIT} 1 2 did it 1.5" in text and "no effect beyond" in text
    assert any(line.startswith(f"{COMMIT} did it: from 1 to 2") for line in explanation_table(entry).remarks)


def test_a_share_of_nothing_has_no_sign() -> None:
    shares = [
        cell for line in explanation_table(shown()).lines for cell in line if "%" in cell and "to" in cell
    ]
    assert any(each.startswith("0% (") for each in shares) and not any("-0" in each for each in shares)


def test_of_long_lists_only_what_differs_is_shown() -> None:
    entry = shown()
    switches = [f"index_merge=on,index_merge_union=on,semijoin=on,mrr={value}" for value in ("off", "on")]
    entry["settings"][0].update(name="optimizer_switch", a=switches[0], b=switches[1])
    table = explanation_table(entry)
    assert table.lines[0][:3] == ("optimizer_switch", "… mrr=off", "… mrr=on")
    assert any("optimizer_switch did it: from … mrr=off to … mrr=on" in line for line in table.remarks)


def test_who_comes_back_goes_on(history: History) -> None:
    found = explaining()
    measure(history, found, next_plan(found, found.state(history)), only([COMMIT], 1.5))
    again = explaining()
    state = again.state(history)
    assert len(state.evidence.rounds) == ROUNDS and state.explained.n == ROUNDS
    its_plan = next_plan(again, state)
    assert {"A", "B"} != {each.name for each in its_plan.contenders}
    assert entry_of(again, state)["state"] == GOES_ON


def test_other_work_does_not_count(history: History) -> None:
    found = explaining()
    measure(history, found, next_plan(found, found.state(history)), only([COMMIT], 1.5))
    request = asked().pair.request.with_options(seconds=30)
    other = explaining(replace(asked(), pair=replace(asked().pair, request=request)))
    assert not other.state(history).evidence.rounds


def test_no_plan_begins_that_would_end_after_the_time(history: History) -> None:
    found = explaining(asked(minutes=60))
    measure(history, found, next_plan(found, found.state(history)), only([COMMIT], 1.5))
    state = found.state(history)
    assert state.evidence.seconds > 3600 and found.next_request(state) is None
    entry = entry_of(found, state)
    assert entry["state"] == TIME_IS_UP
    assert any("the time is up" in line for line in explanation_table(entry).remarks)
    assert {each["verdict"] for each in entry["settings"]} >= {OPEN}


def test_rounds_that_were_disturbed_do_not_count(history: History) -> None:
    found = explaining()
    its_plan = next_plan(found, found.state(history))
    at = next(at for at, step in enumerate(its_plan.steps) if step.name == "update-index")
    odd = {(2, repeat, at): sliced.Odd(marks=(SPOILT[0],)) for repeat in range(1, ROUNDS + 1)}
    measure(history, found, its_plan, only([COMMIT], 1.5), odd)
    state = found.state(history)
    assert state.evidence.plans == (its_plan.id,) and state.explained.n == ROUNDS  # A and B are well
    assert next_plan(found, state).contenders == its_plan.contenders  # all four are not


def test_load_that_all_of_a_round_took_turns_under_counts_also_in_one_slice(history: History) -> None:
    """A commit that takes long makes one slice of a short step: 16 of 16 sessions were thrown away."""
    short = asked(pair=replace(asked().pair, request=asked().pair.request.with_options(seconds=5)))
    found = explaining(short)
    its_plan = next_plan(found, found.state(history))
    at = next(at for at, step in enumerate(its_plan.steps) if step.name == "update-index")
    slow = sliced.Odd(marks=("disturbed",), others={"causes": ["cpu", "disk"]}, is_one_slice=True)
    odd = {(turn.contender, turn.repeat, at): slow for turn in its_plan.turns}
    measure(history, found, its_plan, only([COMMIT], 3.0), odd)
    state = found.state(history)
    assert len(its_plan.turns) == 16 and len(state.evidence.rounds) == ROUNDS
    ratio = entry_of(found, state)["ratio"]
    assert ratio and ratio["ratio"] == pytest.approx(3, rel=0.05)


def test_the_limits_of_a_person_count_for_what_is_measured_and_what_was(history: History) -> None:
    its = asked(pair=replace(asked().pair, request=asked().pair.request.with_options(others_pct=60)))
    found = explaining(its)
    its_plan = next_plan(found, found.state(history))
    assert its_plan.others_pct == 60 and its_plan.work_key == explaining().work.work_key
    at = next(at for at, step in enumerate(its_plan.steps) if step.name == "update-index")
    busy = sliced.Odd(marks=("disturbed",), others={"causes": ["cpu"], "cpu_pct": 100.0, "cpus": 2})
    odd = {(2, repeat, at): busy for repeat in range(1, ROUNDS + 1)}  # of one contender alone
    measure(history, found, its_plan, only([COMMIT], 1.5), odd)
    for allowed, contenders in ((GivenDisturbanceLimits(), 3), (GivenDisturbanceLimits(60.0), 4)):
        rounds = explaining(replace(its, allowed=allowed)).state(history).evidence.rounds
        assert [len(each) for each in rounds] == [contenders] * ROUNDS


def test_no_slices_where_they_cannot_be(history: History) -> None:
    small = survey(memory_bytes=1 << 30, memory_available_bytes=900 << 20)
    found = ExplainedContenderPair.of(asked(), small, Catalog())
    assert found.why_whole and found.request.order == "interleaved"


def test_sessions_and_plans_name_a_pair(history: History) -> None:
    a, b = contender(), contender(cnf="[mysqld]\ninnodb_flush_log_at_trx_commit=2\n")
    both = sliced.plan((a, b), rounds=1)
    ids = sliced.keep(history, both)
    for references in ([both.id], ids):
        with pytest.raises(InputError, match="did not run under Dyno"):  # made up without Lua
            ContenderPair.of_sessions(history, references)
    with pytest.raises(InputError, match="there must be two contenders, not 1"):
        ContenderPair.of_sessions(history, ids[:1])
    with pytest.raises(InputError, match="has 2 contenders: name one session for A"):
        ContenderPair.of_sessions(history, [both.id, ids[0]])


def test_named_contenders_are_found_on_the_target() -> None:
    request = PlanRequest().with_options(sequence="duel", rows=1000)
    names = [f"{MARIADB}:innodb:baseline", f"{MARIADB}:innodb:optimized"]
    found = ExplainedContenderPair.of(
        DifferenceQuestion(ContenderPair.of_names(names, request), "point-query"), survey(), Catalog()
    )
    assert found.between.a.engine == "innodb" and found.between.names


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"step": "nothing"}, "has no step nothing; choose one of"),
        ({"step": "point-query threads=3"}, "must be one of 'point-query threads=2'"),
        ({"step": "settle.index"}, "has no step settle.index"),
        ({"pair": ContenderPair(PlanRequest(), stored=(contender(), contender()))}, "write --sequence NAME"),
    ],
)
def test_a_wrong_step_is_refused_in_one_line(change: dict[str, object], why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        explaining(asked(**change))
    assert "\n" not in str(caught.value)


def test_a_step_at_a_rate_is_refused() -> None:
    request = replace(asked().pair.request, rate=(500,))
    with pytest.raises(InputError, match="the plan sets the rate of update-index"):
        explaining(asked(pair=replace(asked().pair, request=request)))


def test_work_that_does_not_fit_into_the_time_is_refused() -> None:
    with pytest.raises(InputError, match=r"3 repeats of this work take about \d+ minutes, and there are 1: "):
        explaining(asked(minutes=1))


def test_no_snapshots_are_left_on_the_target(history: History) -> None:
    request = replace(asked().pair.request, start="snapshot")
    found = explaining(asked(pair=replace(asked().pair, request=request)))
    assert found.request.start == "restarted"


def test_a_server_that_is_gone_is_refused() -> None:
    with pytest.raises(InputError, match="another server than the one that was measured"):
        explaining(asked(contender(fingerprint="earlier")))
    with pytest.raises(InputError, match="there is no build"):
        explaining(asked(contender(build=MARIADB), replace(contender(), build="gone")))
