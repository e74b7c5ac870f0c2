"""Sessions of the history measured again: the plan that comes of it does the same work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.planner.kinds.again import request_again
from app.planner.request.contender import ContenderRequest
from app.planner.resolve.resolve import resolve
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import outcome
from app.protocol.plan import Plan
from tests import journals
from tests.plans import MARIADB, request, survey

MACHINE = survey(topology=[[[0, 1], [2, 3]]])
INNODB, MYISAM = f"{MARIADB}:innodb:baseline", f"{MARIADB}:myisam:baseline"
TUNED = ContenderRequest(
    MARIADB, "innodb", "baseline", "tuned", "ROW_FORMAT=COMPRESSED", cores="0-1", memory_limit="2G"
)


def planned(history: History, *contenders: str, **values: Any) -> Plan:
    """A plan whose sessions have begun."""
    made = resolve(request(*contenders, **values), MACHINE, Catalog())
    for turn in made.turns:
        JournalStorer(history).append(
            made.id, turn.session, 0, journals.Maker(made, turn.session).begin().raw
        )
    return made


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"steps": ("point-query", "update-index"), "threads": (1, 4), "rows": 5000, "repeats": 4},
        {"sequence": "small-datum", "tables": 2, "seconds": 7, "warmup": 1, "transport": "loopback"},
        {"cpus": "own", "instruments": "waits"},
        {"rate": (300,), "cores": (4, 2), "pause": 3, "quiet_wait": 60, "others_pct": 9.5},
        {"cores": (2, "0,2", "1-3")},
        {"rate": (100, 400), "arrivals": "even"},
        {"repeats": 4, "repeat_if_disturbed": True},
        {"profile": ("point-query", "insert")},
        {"vary": "innodb_spin_wait_delay=6,96", "load_method": "parallel", "start": "restarted"},
        {"contenders": (TUNED, ContenderRequest("mysql-9.7.4", "innodb")), "name": "mine"},
        {"sequence": "work", "vary": "innodb_adaptive_hash_index=OFF,ON", "repeats": 2},
        {"sequence": "work.hot-points", "repeats": 2},
    ],
)  # fmt: skip
def test_the_same_work_and_contenders(history: History, values: dict[str, Any]) -> None:
    before = planned(history, INNODB, MYISAM, **values)
    asked = request_again(history, [before.id])
    again = resolve(asked, MACHINE, Catalog())
    assert again.work_key == before.work_key
    assert [each.key for each in again.contenders] == [each.key for each in before.contenders]
    assert [each.name for each in again.contenders] == [each.name for each in before.contenders]
    assert asked.repeats == max(3, before.repeats) and asked.order == "interleaved"
    same = ("name", "target", "pause", "quiet_wait", "others_pct", "transport", "start", "threads")
    assert [getattr(again, each) for each in same] == [getattr(before, each) for each in same]


def test_slices_stay_slices(history: History) -> None:
    before = planned(history, INNODB, MYISAM, order="slices")
    again = resolve(request_again(history, [before.id]), MACHINE, Catalog())
    assert again.order == "slices" and again.work_key == before.work_key
    assert [each.key for each in again.contenders] == [each.key for each in before.contenders]


def test_one_session_of_slices_needs_another_contender(history: History) -> None:
    asked = request_again(history, [planned(history, INNODB, MYISAM, order="slices").turns[0].session])
    with pytest.raises(InputError, match="needs 2 to 4 servers, not 1"):
        resolve(asked, MACHINE, Catalog())
    assert resolve(asked.with_options(order="interleaved"), MACHINE, Catalog()).first_turns


def test_what_the_sequence_says_stays_open(history: History) -> None:
    asked = request_again(history, [planned(history, INNODB).turns[0].session])
    assert (asked.tables, asked.rows, asked.seconds, asked.threads, asked.steps) == (
        None,
        None,
        None,
        None,
        (),
    )
    assert asked.repeats == 1


def test_contenders_of_two_plans_take_turns(history: History) -> None:
    first, second = planned(history, INNODB, repeats=5), planned(history, MYISAM, repeats=5)
    asked = request_again(history, [first.id, second.id])
    assert [each.engine for each in asked.contenders] == ["innodb", "myisam"] and asked.repeats == 5
    turns = resolve(asked, MACHINE, Catalog()).turns
    assert [turn.contender for turn in turns[:4]] == [0, 1, 1, 0]
    one = request_again(history, [first.turns[0].session, first.turns[3].session])
    assert len(one.contenders) == 1 and one.repeats == 2


def test_what_cannot_take_turns(history: History) -> None:
    first = planned(history, INNODB)
    for values, said in (
        ({"target": "moon"}, "choose sessions of one target"),
        ({"rows": 77}, "did different work than the first one"),
        ({"sequence": "quick"}, "did different work than the first one (quick: "),
        ({"steps": ("point-query",)}, "(duel: 4 steps, 2 x 50,000 rows; duel: 9 steps, 2 x 50,000 rows)"),
    ):
        with pytest.raises(InputError, match=said.replace("(", r"\(").replace(")", r"\)")):
            request_again(history, [first.id, planned(history, MYISAM, **values).id])
    with pytest.raises(InputError, match="no session 'nobody'"):
        request_again(history, ["nobody"])


def test_published_sessions_have_no_plan(history: History) -> None:
    from app.history.exchange.publishing import import_shipped

    with pytest.raises(InputError, match="did not run under Dyno"):
        request_again(history, [import_shipped(history)[0].session])


def test_a_damaged_sequence_is_named(history: History) -> None:
    made = journals.plan()  # its sequence has no step
    JournalStorer(history).append(
        made.id, made.turns[0].session, 0, journals.Maker(made, made.turns[0].session).begin().raw
    )
    with pytest.raises(InputError, match=r"sequences/duel\.toml"):
        request_again(history, [made.turns[0].session])


def test_a_preset_that_is_gone_is_that_of_the_plan(history: History) -> None:
    """Deleted, or made by `dyno explain`; for the command line and on Bench."""
    made = replace(ContenderRequest(MARIADB, "innodb", "rendered-1"), preset_text="[mysqld]\nsync_binlog=7\n")
    before = planned(history, contenders=(made, ContenderRequest(MARIADB, "myisam")))
    asked = request_again(history, [before.id])
    again = resolve(asked, MACHINE, Catalog())
    assert [each.key for each in again.contenders] == [each.key for each in before.contenders]
    assert not outcome(Draft(asked), MACHINE, Catalog(), ()).problem


def test_a_plan_of_others_cannot_name_a_file_elsewhere(history: History) -> None:
    made = resolve(request(INNODB), MACHINE, Catalog())
    evil = [replace(made.contenders[0], preset="../../evil")]
    plan = replace(made, contenders=evil, files={**made.files, "presets/innodb/../../evil.cnf": "[mysqld]\n"})
    session = plan.turns[0].session
    JournalStorer(history).append(plan.id, session, 0, journals.Maker(plan, session).begin().raw)
    with pytest.raises(InputError, match="the name of a preset may have"):
        request_again(history, [session])


def test_only_some_tests_are_repeated_with_what_prepares_them(history: History) -> None:
    before = planned(history, INNODB, MYISAM)
    tests = [step.name for step in before.steps if step.kind == "drive" and not step.warm]
    asked = request_again(history, [before.id], tests[:1])
    again = resolve(asked, MACHINE, Catalog())
    assert len(tests) > 1
    assert [step.name for step in again.steps if step.kind == "drive" and not step.warm] == tests[:1]
    assert {"load", "settle"} <= {step.kind for step in again.steps}
    assert len(again.contenders) == 2
