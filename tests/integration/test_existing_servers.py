"""Sessions on servers that run already: figures, statements, what is left behind, what goes wrong."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.agent.existing.statements import may_send
from app.agent.server.mysql import certificate_of
from app.agent.survey.builds import find_builds
from app.protocol.answers import Build
from app.protocol.events import Fact, SessionEnded, StepEnded
from tests.installed import BUILD
from tests.integration.desktop import Desktop
from tests.running import builds
from tests.team_server import Database, started
from tests.waiting import wait_until

PASSWORD = "A-Secret-of-43"
HOST = "127.0.0.1"
SHORT = ("--sequence", "tiny", "--tables", "2", "--rows", "2000", "--threads", "2", "--repeats", "1")
ALL = [
    pytest.param("", id="installed"),
    pytest.param("mysql-9.7", marks=[pytest.mark.build("mysql-9.7")]),
    *(
        pytest.param(name, marks=[pytest.mark.full, pytest.mark.build(name)])
        for name in ("mysql-8.0", "mariadb-11.8")
    ),
]


# what sysbench, the loop of a workload, and client libraries send
OF_CLIENTS = (
    *("INSERT INTO SBTEST", "SELECT C FROM", "UPDATE SBTEST", "CREATE TABLE SBTEST", "CREATE INDEX"),
    *("DROP TABLE IF EXISTS SBTEST", "SET NAMES", "SET AUTOCOMMIT", "SET GLOBAL GENERAL_LOG"),
)


def build_of(name: str) -> Build:
    """One that was fetched; without a name that of the system."""
    base = str(builds.find(name)) if name else ""
    return next((each for each in find_builds([base]) if each.base == base), BUILD)


@contextmanager
def with_account(name: str) -> Iterator[Database]:
    """A server with an account that may do nothing global, and two empty schemas."""
    with started(build_of(name), cache="128M") as database:
        database.query(
            "CREATE DATABASE bench", "CREATE DATABASE second", "CREATE DATABASE theirs",
            f"CREATE USER measured@localhost IDENTIFIED BY '{PASSWORD}' REQUIRE SSL",
            "GRANT ALL ON bench.* TO measured@localhost", "GRANT ALL ON second.* TO measured@localhost",
        )  # fmt: skip
        yield database


@pytest.fixture(scope="module")
def measured_server() -> Iterator[Database]:
    with with_account("") as database:
        yield database


@pytest.fixture(autouse=True)
def given_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "password"
    path.write_text(PASSWORD)
    path.chmod(0o600)
    monkeypatch.setenv("DYNO_PASSWORD_FILE", str(path))
    monkeypatch.chdir(tmp_path)  # reports are written there


def add(desktop: Desktop, database: Database, name: str = "prod", schema: str = "bench") -> None:
    """Add the server, and accept its certificate."""
    desktop.dyno("server", "add", name, f"mysql://measured@{HOST}:{database.port}/{schema}", code=1)
    pin = certificate_of(HOST, database.port).split()[0]
    desktop.dyno("server", "trust", name, f"SHA256:{pin}")
    desktop.dyno("server", "show", name)


def run(desktop: Desktop, *words: str, code: int | None = 0) -> str:
    done = desktop.dyno("run", *SHORT, "--allow-busy", *words, code=code, limit_s=300)
    return done.stdout + done.stderr


def facts(desktop: Desktop, name: str, at: int = 0) -> dict[str, Any]:
    """The facts of a session by this name, by when they were written."""
    events = desktop.events(desktop.sessions()[at]["id"])
    return {each.when: each.value for each in events if isinstance(each, Fact) and each.name == name}


def ended(desktop: Desktop) -> list[StepEnded]:
    return [each for each in desktop.events(desktop.sessions()[0]["id"]) if isinstance(each, StepEnded)]


def tables(database: Database, schema: str = "bench") -> list[tuple[Any, ...]]:
    return database.query(f"SHOW TABLES FROM {schema}")


@pytest.mark.parametrize("name", ALL)
def test_a_session_measures_it_and_leaves_nothing_behind(name: str, desktop: Desktop) -> None:
    with with_account(name) as database:
        add(desktop, database)
        log = database.folder / "general.log"
        database.query(f"SET GLOBAL general_log_file = '{log}'", "SET GLOBAL general_log = ON")
        run(desktop, "@prod")
        database.query("SET GLOBAL general_log = OFF")
        assert tables(database) == []
        assert [each.outcome for each in ended(desktop)] == ["completed"] * 4
        check_clients(*ended(desktop)[2:])
        check_statements(log.read_text(errors="replace"), desktop)
    check_figures(desktop)
    holding = subprocess.run(["grep", "-rl", PASSWORD, str(desktop.home)], capture_output=True, text=True)
    assert holding.stdout == ""


def check_statements(log: str, desktop: Desktop) -> None:
    """Of Dyno's own statements each is in the list; the clients executed what their figures say."""
    said = [line.partition("Query\t")[2] for line in log.splitlines()]
    own = [each for each in said if each and not each.upper().startswith(OF_CLIENTS)]
    wrong = [each for each in own if not may_send(each)]
    executed = log.count("Execute\t")
    assert wrong == []
    driven = [each.totals.queries for each in ended(desktop) if each.totals and each.totals.reads]
    assert driven and driven[0] is not None and executed >= driven[0]


def check_clients(*steps: StepEnded) -> None:
    """Where the server is seen on this machine: the threads of two clients, and none of Dyno's own."""
    for step in steps:
        assert step.threads is not None
        assert not step.threads.problem or "for 2 clients 2 threads were found" in step.threads.problem


def check_figures(desktop: Desktop) -> None:
    steps = facts(desktop, "existing")
    assert len(steps) == 4
    for found in steps.values():
        assert 0 < found["rtt_before_ms"] < 1000
    (server,) = facts(desktop, "existing_server").values()
    assert server["schema"] == "bench" and server["tls"] is True
    assert not facts(desktop, "my_cnf") and not facts(desktop, "memory")
    (counted,) = facts(desktop, "rows_counted").values()
    assert counted.keys() == {"sbtest1", "sbtest2"}
    for each in ended(desktop):
        assert each.sizes.keys() <= {"tables"}


def test_statements_of_others_are_counted_and_marked(desktop: Desktop, measured_server: Database) -> None:
    add(desktop, measured_server)
    stop = threading.Event()

    def neighbour() -> None:
        while not stop.is_set():
            measured_server.query(*["SELECT 1"] * 100)
            stop.wait(0.05)

    working = threading.Thread(target=neighbour)
    working.start()
    try:
        run(desktop, "@prod")
    finally:
        stop.set()
        working.join()
    marked = [each for each in ended(desktop) if "not-alone" in each.marks]
    assert marked and all(found["others_statements"] > 20 for found in facts(desktop, "existing").values())
    assert "other clients of the server sent statements" in desktop.dyno("session", "show", "last").stdout


@pytest.mark.full
def test_alone_it_is_not_marked(desktop: Desktop, measured_server: Database) -> None:
    add(desktop, measured_server)
    run(desktop, "@prod")
    assert not [each for each in ended(desktop) if {"not-alone", "remote"} & {*each.marks}]


@pytest.mark.full
def test_a_server_is_its_own_canary(
    desktop: Desktop, measured_server: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.planner.kinds.canary.LONG_S", 0)
    add(desktop, measured_server)
    before = measured_server.query("SHOW GLOBAL STATUS LIKE 'Com_select'")
    run(desktop, "@prod")
    (canary,) = facts(desktop, "canary").values()
    assert canary["build"] == "prod" and min(canary["reads"], canary["commits"]) > 1
    selects = int(measured_server.query("SHOW GLOBAL STATUS LIKE 'Com_select'")[0][1]) - int(before[0][1])
    assert selects > sum(canary["reads_by_second"])
    assert tables(measured_server) == []


CHANGE = """#!/bin/sh
echo "$1" >> {log}
case $1 in make) to=2;; *) to=1;; esac
exec {client} -uroot -S{socket} -e "SET GLOBAL innodb_flush_log_at_trx_commit=$to"
"""


def with_change(desktop: Desktop, folder: Path, program: str) -> tuple[str, Path]:
    """A plan of the server as it is, and as the program changes it."""
    path = folder / "flush-2"
    path.write_text(program)
    path.chmod(0o700)
    plan = folder / "changed.toml"
    plan.write_text(
        'sequence = "tiny"\ntables = 1\nrows = 1000\nthreads = 1\nseconds = 1\nrepeats = 2\n'
        f'[[contender]]\nserver = "prod"\n[[contender]]\nserver = "prod"\nchange_by = "{path}"\n'
    )
    return str(plan), path


def test_a_program_changes_the_server_for_each_turn(
    desktop: Desktop, measured_server: Database, tmp_path: Path
) -> None:
    add(desktop, measured_server)
    log = tmp_path / "calls"
    program = CHANGE.format(log=log, client=shutil.which("mariadb"), socket=measured_server.folder / "s")
    plan, _ = with_change(desktop, tmp_path, program)
    measured_server.query("SET GLOBAL innodb_flush_log_at_trx_commit=1")
    desktop.dyno("run", plan, "--allow-busy", limit_s=300)
    assert log.read_text().split() == ["make", "unmake"] * 2
    values: dict[bool, list[str]] = {False: [], True: []}
    for at, session in enumerate(desktop.sessions()):
        (found,) = facts(desktop, "variables", at).values()
        is_changed = session["contender"]["name"].endswith("flush-2")
        values[is_changed].append(found["innodb_flush_log_at_trx_commit"])
    assert values == {False: ["1", "1"], True: ["2", "2"]}
    assert tables(measured_server) == []


@pytest.mark.full
def test_a_change_that_cannot_be_unmade_ends_the_plan(
    desktop: Desktop, measured_server: Database, tmp_path: Path
) -> None:
    add(desktop, measured_server)
    plan, path = with_change(desktop, tmp_path, "#!/bin/sh\n[ $1 = make ] || { echo no way >&2; exit 3; }\n")
    desktop.dyno("run", plan, "--allow-busy", code=None, limit_s=300)
    states = [each["state"] for each in desktop.sessions()]
    assert "stopped" in states and states.count("completed") == 2  # A, then B: the second round never begins
    said = "".join(desktop.dyno("session", "show", each["id"]).stdout for each in desktop.sessions())
    assert f"{path} unmake: it ended with exit code 3: no way: the plan ends" in " ".join(said.split())
    path.unlink()
    refused = desktop.dyno("run", plan, "--allow-busy", code=1)
    assert f"change_by {path} is no program that can be run on this machine" in refused.stderr


@pytest.mark.full
def test_two_schemas_are_two_contenders(desktop: Desktop, measured_server: Database) -> None:
    add(desktop, measured_server)
    add(desktop, measured_server, "other", "second")
    run(desktop, "@prod", "@other")
    assert [each["state"] for each in desktop.sessions()] == ["completed"] * 2
    found = desktop.dyno("compare", "last").stdout
    assert "prod" in found and "other" in found


@pytest.mark.full
def test_a_time_box_ends_the_plan_and_leaves_nothing_behind(
    desktop: Desktop, measured_server: Database
) -> None:
    add(desktop, measured_server)
    words = (*SHORT, "--allow-busy", "@prod", "--seconds", "900", "--time-box", "12")
    desktop.dyno("run", *words, code=None, limit_s=300)
    last = desktop.events(desktop.sessions()[0]["id"])[-1]
    assert isinstance(last, SessionEnded) and last.outcome == "stopped"
    assert last.reason == "the time box of the plan, 12 s, is over"
    assert tables(measured_server) == []


@pytest.mark.parametrize("step", [pytest.param(0, marks=pytest.mark.full), 2])
def test_a_server_that_goes_away_ends_the_session_with_its_reason(step: int, desktop: Desktop) -> None:
    with with_account("") as database:
        add(desktop, database)
        rows = ("--rows", "300000") if step == 0 else ()
        running = desktop.begin("run", *SHORT, "--allow-busy", "@prod", *rows, "--seconds", "20")
        wait_until(begun(desktop, step), f"step {step} runs", 300)
        database.kill()
        running.communicate(timeout=120)
        last = desktop.events(desktop.sessions()[0]["id"])[-1]
        assert isinstance(last, SessionEnded) and last.outcome == "failed"
        assert f"{HOST} port {database.port} does not answer any more" in last.reason


def begun(desktop: Desktop, step: int) -> Callable[[], bool]:
    def has_begun() -> bool:
        found = [*desktop.target.glob("sessions/*/journal.jsonl")]
        text = found[0].read_text() if found else ""
        return f'"kind":"step_started","step":{step}' in "".join(_short(text))

    return has_begun


def _short(text: str) -> Iterator[str]:
    for line in text.splitlines()[: text.count("\n")]:  # the last one may be on its way
        event = json.loads(line)
        yield f'"kind":"{event["kind"]}","step":{event.get("step")}\n'


def test_a_schema_in_use_is_refused_and_goes_on(desktop: Desktop, measured_server: Database) -> None:
    add(desktop, measured_server)
    measured_server.query("CREATE TABLE bench.customers (id INT)")
    try:
        said = run(desktop, "@prod", code=1)
        assert "the schema is not empty" in said and "table customers" in said
        assert tables(measured_server) == [("customers",)]
    finally:
        measured_server.query("DROP TABLE bench.customers")


def test_an_agent_that_is_killed_leaves_a_schema_that_the_next_one_takes_over(
    desktop: Desktop, measured_server: Database
) -> None:
    add(desktop, measured_server)
    running = desktop.begin("run", *SHORT, "--allow-busy", "@prod", "--seconds", "30")
    wait_until(begun(desktop, 2), "it drives", 300)
    os.kill(desktop.agent_pid(), 9)
    running.communicate(timeout=120)
    wait_until(lambda: not desktop.agent_pid(), "its guardian is done", 120)
    assert ("dyno_marker",) in tables(measured_server)
    assert "in use by" in run(desktop, "@prod", code=1)
    measured_server.query("UPDATE bench.dyno_marker SET at = at - INTERVAL 61 SECOND")
    run(desktop, "@prod")
    assert tables(measured_server) == []


def test_a_wrong_password_is_one_line(desktop: Desktop, measured_server: Database, tmp_path: Path) -> None:
    add(desktop, measured_server)
    (tmp_path / "password").write_text("wrong")
    said = run(desktop, "@prod", code=1)
    assert "1045" in said and PASSWORD not in said
    assert "Traceback" not in said
