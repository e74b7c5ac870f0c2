"""Sessions of servers that run already, side by side: named, compared, reported, repeated."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.answers.self_test import machine_measures_from
from app.comparison.differences.differences import differences
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.explaining.pair import ContenderPair
from app.history.machines.measured import MachineHistory
from app.history.steps.figures import session_details, settings
from app.history.store.history import History
from app.imported.session import is_imported
from app.planner.estimate.estimate import estimate
from app.planner.kinds.again import request_again
from app.planner.kinds.published import PublishedPlan
from app.planner.request.request import PlanRequest
from app.protocol.plan import Plan
from tests.existing import stored_plan
from tests.plans import MARIADB, plan, survey
from tests.unit.cli.words import refused, said


@pytest.fixture
def two_servers(dyno_home: Path) -> Iterator[tuple[History, Plan]]:
    with History(dyno_home) as history:
        yield history, stored_plan(history)


Kept = tuple[History, Plan]


def test_their_sessions_are_named_by_server_version_and_engine(two_servers: Kept) -> None:
    history, made = two_servers
    found = session_details(history, made.turns[0].session)
    assert found["contender"]["name"] == "prod-8.0.36-innodb"
    assert (found["contender"]["build"], found["contender"]["preset"]) == ("prod", "")
    assert found["server"] == {
        "host": "db.example", "port": 3306, "schema": "bench", "user": "dyno", "tls": True, "max_queries": 0,
            "is_replica": False, "replicas": [],
    }  # fmt: skip
    assert not is_imported(made.to_json())
    assert settings(history, made.turns[0].session)["cnf"] == "[mysqld]\nsync_binlog=1\n"


def test_address_schema_and_chosen_settings_are_what_differs(two_servers: Kept) -> None:
    history, made = two_servers
    found = differences(history, [turn.session for turn in made.turns[:2]])
    said_of = {(each["group"], each["name"]): each["values"] for each in found}
    assert said_of["contender", "address"] == ["db.example port 3306", "replica.example port 3306"]
    assert said_of["contender", "schema"] == ["bench", "second"]
    assert said_of["contender", "sync_binlog"] == ["1", "0"]
    assert said_of["contender", "most queries a second"] == [None, "500"]
    assert not {"preset", "allocator", "machine", "start state"} & {each["group"] for each in found}
    assert ("contender", "account") not in said_of and ("contender", "TLS") not in said_of


def test_a_build_beside_a_server_has_none_of_its_fields(dyno_home: Path) -> None:
    with History(dyno_home) as history:
        made = stored_plan(history, "@prod", f"{MARIADB}:innodb")
        found = differences(history, [turn.session for turn in made.turns[:2]])
    said_of = {(each["group"], each["name"]): each["values"] for each in found}
    assert said_of["contender", "address"] == ["db.example port 3306", None]
    assert said_of["contender", "preset"] == [None, "baseline"]


def test_what_is_not_known_of_them_is_missing(two_servers: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    history, made = two_servers
    found = compare(history, [made.id])
    assert [column.contender["build"] for column in found.columns] == ["prod", "replica"]
    session = made.turns[0].session
    shown = said(capsys, "session", "show", session)
    assert "prod, innodb\nruns already: db.example:3306, schema bench, TLS\n" in shown
    entry = json.loads(said(capsys, "session", "show", session, "--json"))
    assert all(step["per_query"]["cpu_us"] is None for step in entry["steps"])
    assert entry["memory"] is None and entry["start_state"] is None
    whole = said(capsys, "session", "settings", session)
    assert "-- server that runs already" in whole and "-- chosen settings as found" in whole
    assert "preset as it was sent" not in whole
    assert "at 1.10 of prod" in said(capsys, "compare", made.id)


def test_a_report_names_who_drove_and_no_machine_of_the_server(
    two_servers: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", two_servers[1].id, "-o", str(tmp_path / "report.html")]) == 0
    capsys.readouterr()
    text = (tmp_path / "report.html").read_text()
    assert "runs already: db.example:3306, schema bench, TLS" in text and "Driven by" in text
    assert "at most 500 queries/s" in text and ">CPU<" not in text
    assert "a CPU, 2 cores" in text and "a disk" not in text
    assert "sync_binlog=1" in text and "[mysqld]" not in text


def test_what_differs_of_machines_that_only_drive_is_named_so(dyno_home: Path) -> None:
    with History(dyno_home) as history:
        made = stored_plan(history, "@prod", f"{MARIADB}:innodb")
        found = differences(history, [turn.session for turn in made.turns[:2]])
    names = [each["name"] for each in found if each["group"] == "machine"]
    assert "driving cpu.model" in names and "cpu.model" in names
    assert "driving disk.model" not in names


def test_the_same_servers_again(two_servers: Kept) -> None:
    history, made = two_servers
    assert PublishedPlan.of(history, [made.id]) is None
    asked = request_again(history, [made.id])
    assert [each.text for each in asked.contenders] == ["@prod:innodb", "@replica:innodb"]
    assert not any(each.name for each in asked.contenders) and asked.transport == ""
    again = plan(*(each.text for each in asked.contenders), sequence=asked.sequence)
    assert [each.key for each in again.contenders] == [each.key for each in made.contenders]


def test_no_script_and_no_explanation_of_them(two_servers: Kept, capsys: pytest.CaptureFixture[str]) -> None:
    history, made = two_servers
    words = ("session", "script", made.turns[0].session, "--out", "x")
    assert "used prod, a server that runs already, which a script cannot start" in refused(capsys, *words)
    why = "server prod runs already: Dyno sets none of its variables"
    pairs = (
        ContenderPair.of_sessions(history, [made.id]),
        ContenderPair.of_names([f"{MARIADB}:innodb", "@prod"], PlanRequest()),
    )
    for pair in pairs:
        with pytest.raises(InputError, match=why):
            pair.contenders(survey(), None)  # type: ignore[arg-type]


def test_they_tell_nothing_of_builds_and_builds_nothing_of_them(two_servers: Kept, dyno_home: Path) -> None:
    made = two_servers[1]
    known = machine_measures_from(dyno_home, made.machine_key)
    assert len(known.sessions) == 6
    of_builds = estimate(plan(f"{MARIADB}:innodb", f"{MARIADB}:innodb:stock", repeats=3), survey(), known)
    assert of_builds.noise is None and "guessed" in of_builds.seconds_text
    theirs = estimate(made, survey(), known)
    assert theirs.noise is not None and theirs.noise_of == "as its last 6 sessions did"
    assert estimate(made, survey(), MachineHistory(noise=0.01)).noise is None  # of a calibration
