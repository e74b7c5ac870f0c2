"""What was published, set up for a target: the same work, scaled, and what is another is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.history.exchange.publishing import import_foreign, import_shipped
from app.history.lists.sessions import find
from app.history.store.history import History
from app.imported.table import read_foreign_sessions
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import estimate
from app.planner.kinds.published import PublishedPlan, PublishedSetupRequest
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.answers import FAIL, PASS
from tests import journals
from tests.plans import MARIADB, VERSION, build, survey

GIB = 1 << 30
HEAD = "# author: A\n# article: B\n# date: 2020\n"
I3 = ("innodb-5.6.35-default", "innodb-5.7.10-default", "myrocks-5.6.35-default")
ALONE = [build(MARIADB, "MariaDB", VERSION, ["innodb", "rocksdb"])]
SetUpHere = Callable[..., PublishedSetupRequest]


@pytest.fixture
def set_up(history: History) -> SetUpHere:
    """The shipped studies, on a machine with four CPUs unless it says otherwise."""
    import_shipped(history)

    def of(*names: str, by_hand: Any = lambda request: request, **machine: Any) -> PublishedSetupRequest:
        found = PublishedPlan.of(history, names)
        assert found is not None
        return found.set_up("local", survey(**{"memory_bytes": 4 * GIB, **machine}), Catalog(), by_hand)

    return of


def table(history: History, folder: Path, *lines: str) -> PublishedPlan:
    file = folder / "their.csv"
    head = "session,target,build,family,version,engine,preset,sequence,step,unit,value"
    file.write_text(HEAD + "\n".join((head, *lines)) + "\n", encoding="utf-8")
    ids = [each.session for each in import_foreign(history, read_foreign_sessions(file), file)]
    found = PublishedPlan.of(history, ids)
    assert found is not None
    return found


def test_rows_and_threads_go_with_the_machine(set_up: SetUpHere) -> None:
    found = set_up(I3[0], cpu={"model": "small", "cores": 2, "threads": 2}, builds=ALONE)
    assert (found.request.rows, found.request.threads) == (20_000_000, (1, 2))
    assert found.request.steps[0] == "update-index" and len(found.request.steps) == 11, "those with a figure"
    assert found.text().splitlines() == [
        "Set up for local as published, but for:",
        "20,000,000 rows of each table for 4.0 GiB of memory, 40,000,000 there for 8.0 GiB",
        "threads 1, 2 without 4: 2 CPUs here, 4 there",
        f"build {MARIADB} in place of mysql-5.6.35",
    ]


def test_rows_go_with_the_disk_where_it_is_too_small(set_up: SetUpHere) -> None:
    here = {"memory_bytes": 16 * GIB, "disk": {"free_bytes": 100 * GIB}}
    found = set_up(*I3, **here, builds=ALONE)
    assert found.text().splitlines()[1:3] == [
        "80,000,000 rows of each table for 16.0 GiB of memory, 40,000,000 there for 8.0 GiB",
        "37,000,000 rows of each table for 100.0 GiB free on the disk: 80,000,000 need about 189.6 GiB",
    ]
    assert _disk_state(found.request, here) == PASS
    assert _disk_state(replace(found.request, rows=80_000_000), here) == FAIL
    wide = set_up(*I3, **here | {"disk": {"free_bytes": 200 * GIB}}, builds=ALONE)
    assert wide.request.rows == 80_000_000 and "disk" not in wide.text(), "it fits"
    assert set_up(*I3, **here | {"disk": None}, builds=ALONE).request.rows == 80_000_000, "nobody knows"


def test_a_disk_too_small_for_any_rows_is_said(set_up: SetUpHere) -> None:
    here = {"memory_bytes": 8 * GIB, "disk": {"free_bytes": 5 * GIB}}
    found = set_up(I3[0], **here, builds=ALONE)
    line = found.text().splitlines()[1]
    assert line.startswith("no number of rows fits the disk with 5.0 GiB free: 40,000,000 need about ")
    assert found.request.rows is None and _disk_state(found.request, here) == FAIL


def test_what_a_person_chose_is_not_scaled(set_up: SetUpHere) -> None:
    here = {"disk": {"free_bytes": 5 * GIB}, "builds": ALONE}

    def chosen(**options: Any) -> PublishedSetupRequest:
        return set_up(I3[0], **here, by_hand=lambda request: replace(request, **options))

    assert chosen(rows=40_000_000).request.rows == 40_000_000
    assert "rows" not in chosen(rows=40_000_000).text()
    assert "disk" not in chosen(allow_small_disk=True).text(), "the person insists"
    assert "threads" in set_up(I3[0], **here, cpu={"threads": 2}).text()
    assert (
        "threads"
        not in set_up(
            I3[0], **here, cpu={"threads": 2}, by_hand=lambda request: replace(request, threads=(4,))
        ).text()
    )


def _disk_state(request: PlanRequest, here: dict[str, Any]) -> str:
    machine = survey(builds=ALONE, **here)
    plan = resolve(request, machine, Catalog())
    return next(
        each.state for each in check_plan(plan, machine, estimate(plan, machine)) if each.name == "disk"
    )


def test_a_machine_of_the_same_size_gets_the_same(set_up: SetUpHere) -> None:
    builds = [build("mysql-5.6.35", "MySQL", "5.6.35", ["innodb"])]
    found = set_up(I3[0], memory_bytes=8 * GIB, builds=builds)
    assert found.text() == "Set up for local as published."
    assert (found.request.rows, found.request.threads) == (None, None)


def test_what_is_set_up_can_be_planned(set_up: SetUpHere) -> None:
    machine = {"memory_bytes": 1 << 40, "disk": {"free_bytes": 1 << 50}, "builds": ALONE}
    found = set_up(*I3, **machine)
    planned = resolve(found.request, survey(**machine), Catalog())
    assert found.request.rows == planned.rows == 2_000_000_000, "a key has no more"
    assert [each.engine for each in planned.contenders] == ["innodb", "rocksdb"]
    assert found.request.repeats == 3
    assert found.text().endswith("2 of 3 contenders: the others would be the same here")


def test_the_nearest_build_stands_in(set_up: SetUpHere) -> None:
    old = [
        build(f"mysql-{each}", "MySQL", each, ["innodb"]) for each in ("5.6.9", "5.6.24", "8.0.40", "8.4.1")
    ]
    other = build("mariadb", "MariaDB", "11.8.1", ["innodb"])
    same = build("here", "MySQL", "5.6.35", ["innodb"])
    broken = build("broken", "MySQL", "5.6.35", ["innodb"], problem="libaio is missing")

    def chosen(*builds: Any) -> str:
        return set_up(I3[0], builds=list(builds)).request.contenders[0].build

    assert chosen(*old, other, broken) == "mysql-5.6.24", "of its series"
    assert chosen(*old[2:], other) == "mysql-8.4.1", "of its family"
    assert chosen(other) == "mariadb"
    assert chosen(*old, same) == "here"
    assert chosen(broken) == chosen() == "mysql-5.6.35", "the checks say that it is not here"


def test_a_table_may_say_little_of_its_build(history: History, tmp_path: Path) -> None:
    lines = [
        "a,far,mysql-5.6.35,,,InnoDB",
        "b,far,,,9.7.4,innodb",
        "c,far,,,,MyRocks",
        "d,far,,Postgres,9.6,innodb",
    ]
    found = table(history, tmp_path, *(f"{each},,duel,insert,queries/s,5" for each in lines))
    asked = found.set_up("local", survey(), Catalog()).request.contenders
    assert [(each.build, each.engine) for each in asked] == [
        ("mysql-5.6.24", "innodb"), ("mysql-9.7.4", "innodb"), (MARIADB, "rocksdb"), (MARIADB, "innodb"),
    ]  # fmt: skip


def test_a_preset_that_is_not_here_is_said(history: History, tmp_path: Path) -> None:
    found = table(history, tmp_path, "s,far,,,,innodb,../theirs,duel,point-query,queries/s,5").set_up(
        "local", survey(), Catalog()
    )
    assert found.request.contenders == (ContenderRequest(MARIADB, "innodb"),)
    assert "InnoDB preset baseline in place of ../theirs: not here" in found.text()
    assert f"build {MARIADB} in place of s" in found.text()


def test_steps_that_the_sequence_lacks_are_said(history: History, tmp_path: Path) -> None:
    lines = [f"s,far,,,,innodb,,duel,{step},queries/s,5" for step in ("point-query", "mine")]
    found = table(history, tmp_path, *lines).set_up("local", survey(), Catalog())
    assert found.request.steps == ("point-query",) and found.request.rows is None
    assert "steps left out, the sequence duel has none such: mine" in found.text()


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["s,far,,,,innodb,,,point-query,queries/s,5"], "names no sequence"),
        (["s,far,,,,,,duel,point-query,queries/s,5"], "names no engine"),
        (["s,far,,,,innodb,,duel,mine,queries/s,5"], "none of the published steps"),
        (["s,far,,,,innodb,,theirs,mine,queries/s,5"], "theirs"),
        (
            ["s,far,,,,innodb,,duel,insert,queries/s,5", "t,far,,,,innodb,,quick,insert,queries/s,5"],
            "choose sessions of one sequence",
        ),
    ],
)
def test_what_makes_no_plan_is_refused(history: History, tmp_path: Path, lines: list[str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        table(history, tmp_path, *lines).set_up("local", survey(), Catalog())


def test_sessions_of_dyno_are_none(history: History, tmp_path: Path) -> None:
    journals.store(history, journals.whole(journals.plan()))
    own = find(history, "last")
    assert PublishedPlan.of(history, [own]) is None
    import_shipped(history)
    with pytest.raises(InputError, match="choose one kind"):
        PublishedPlan.of(history, [own, I3[0]])
