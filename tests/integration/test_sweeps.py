"""Sweeps on real servers: what is in force and put back, and the statements of the read-only tests."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.server.affinity import affinity, set_affinity, threads_of
from app.agent.server.mysql import Client
from app.agent.steps.step_settings import StepSettingsChanges
from app.protocol.cpus import as_text
from app.protocol.events import MomentEvent, StepEnded
from app.protocol.plan import Step
from tests.installed import MARIADB
from tests.integration.desktop import SEQUENCE, Desktop
from tests.integration.generated import ENGINES, ROWS, TABLES, Outcome, Server, drive, fill, shipped
from tests.integration.on_target import begun
from tests.sequences import CALM, INDEX, LOAD, own_sequence
from tests.waiting import wait_until

FETCHED = ("mysql-5.6", "mysql-8.0", "mysql-9.7")
COUNTED = ("com_select", "com_stmt_execute", "com_begin", "com_commit")
EVENTS = 60
POINTS = """\
name = "points"
workload = "point-selects"
options = {own_table = true}
cores = [CORES]
key_caches = true

[[step.variation]]
name = "plain"

[[step.variation]]
name = "patient"
options = {db_ps_mode = "disable"}
variables = {innodb_spin_wait_delay = 96}

[[step.variation]]
name = "read-only"
restart_with = {innodb_read_only = true, performance_schema = PFS}"""
BEFORE = f'name = "as-before"\nworkload = "point-selects"\n{CALM}'
SWEPT = own_sequence("swept", LOAD, INDEX, f"{CALM}\n{POINTS}", BEFORE)

pytestmark = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")


# what the workloads do


def counted(server: Server, name: str, engine: str, **options: Any) -> tuple[Outcome, dict[str, int]]:
    """A workload that stays away from the end of its tables, and what the server counted meanwhile."""
    before = server.counters(*COUNTED)
    outcome = drive(server, shipped(name, engine, events=EVENTS, rows=ROWS - 100, options=options))
    assert outcome.code == 0, outcome.said
    after = server.counters(*COUNTED)
    return outcome, {name: (after[name] - before[name]) for name in COUNTED}


@pytest.mark.parametrize(("name", "statements", "rows"), [
    ("oltp-ro", 14, 10 + 100 + 1 + 100 + 100), ("simple-ranges", 1, 100), ("point-selects", 1, 1),
])  # fmt: skip
def test_statements_of_the_read_only_tests(
    server: Server, filled: str, name: str, statements: int, rows: int
) -> None:
    """Prepared and as text, alone and in transactions."""
    for mode, prepared in (("auto", True), ("disable", False)):
        for alone in (True, False):
            outcome, found = counted(server, name, filled, db_ps_mode=mode, skip_trx=alone)
            ends = 0 if alone else EVENTS
            assert outcome.total["reads"] == EVENTS * statements
            assert outcome.total["rows"]["read"] == EVENTS * rows
            assert (found["com_begin"], found["com_commit"]) == (ends, ends)
            assert found["com_stmt_execute"] == (EVENTS * statements + 2 * ends if prepared else 0)
            assert found["com_select"] - EVENTS * statements in range(5), "and two of each connection"


def test_each_client_keeps_to_its_table(server: Server, filled: str) -> None:
    log = server.folder / "general.log"
    log.unlink(missing_ok=True)
    server.query("FLUSH GENERAL LOGS", "SET GLOBAL general_log = 1")
    options = {"own_table": True, "db_ps_mode": "disable"}
    drive(server, shipped("oltp-ro", filled, events=EVENTS, threads=3, options=options))
    server.query("SET GLOBAL general_log = 0")
    tables: dict[str, set[str]] = {}
    for thread, table in re.findall(r"(\d+) Query\tSELECT .* FROM (sbtest\d) WHERE", log.read_text()):
        tables.setdefault(thread, set()).add(table)
    assert sorted(map(sorted, tables.values())) == [["sbtest1"], ["sbtest1"], ["sbtest2"]]


# what is brought about and put back


def session_on(server: Server, engine: str = "innodb") -> Any:
    """As much of a session as step settings need, on a server that they may not restart."""
    (pid_file,) = server.query("SELECT @@pid_file")[0]
    pid = int((server.folder / "data" / pid_file).read_text())
    reached = SimpleNamespace(client=Client(server.socket), pid=pid, options={})
    contender, plan = SimpleNamespace(engine=engine), SimpleNamespace(tables=TABLES)
    return SimpleNamespace(server=reached, contender=contender, plan=plan, journal=None)


def variable(server: Server, name: str) -> str:
    return str(server.query(f"SELECT @@GLOBAL.{name}")[0][0])


def test_what_a_step_asks_for_is_in_force_and_put_back_for_the_next(server: Server) -> None:
    session = session_on(server)
    step_settings, pid = StepSettingsChanges(session), session.server.pid
    before = variable(server, "innodb_spin_wait_delay"), affinity(pid)
    asking = Step("a", "drive", cores="0", variables={"innodb_spin_wait_delay": 77, "sync_binlog": 5})
    assert step_settings.bring_about(0, asking) == ""
    assert (variable(server, "innodb_spin_wait_delay"), affinity(pid)) == ("77", "0")
    assert len(threads_of(pid)) > 5
    ended: dict[str, Any] = {"outcome": "completed"}
    step_settings.complete(ended, asking)
    values = {"innodb_spin_wait_delay": "77", "sync_binlog": "5"}
    assert ended["in_force"] == {"server_cores": "0", "variables": values}
    assert step_settings.bring_about(1, Step("b", "drive", variables={"sync_binlog": 5})) == ""
    assert (variable(server, "innodb_spin_wait_delay"), affinity(pid)) == before
    assert variable(server, "sync_binlog") == "5"
    step_settings.put_back()
    assert variable(server, "sync_binlog") == "0"


@pytest.mark.parametrize(("step", "said"), [
    (Step("a", "drive", variables={"no_such_thing": 1}), "this server has no variable no_such_thing"),
    (Step("a", "drive", variables={"innodb_read_only": 1}), "read only variable"),
    (Step("a", "drive", variables={"innodb_spin_wait_delay": 9999}), "should be 9999, in force is 6000"),
    (Step("a", "drive", cores="0-4095"), "are not available here"),
])  # fmt: skip
def test_what_cannot_be_had_is_said_and_the_rest_put_back(server: Server, step: Step, said: str) -> None:
    before = variable(server, "innodb_spin_wait_delay")
    step_settings = StepSettingsChanges(session_on(server))
    assert said in step_settings.bring_about(0, step)
    step_settings.put_back()
    assert variable(server, "innodb_spin_wait_delay") == before


def test_each_myisam_table_has_a_key_cache_of_its_own(server: Server) -> None:
    fill(server, "myisam")
    step_settings = StepSettingsChanges(session_on(server, "myisam"))
    asking = Step("a", "drive", key_caches=True)
    assert step_settings.bring_about(0, asking) == ""
    drive(server, shipped("point-selects", "myisam", seconds=1, options={"own_table": True}))
    used = dict(server.query("SELECT KEY_CACHE_NAME, READ_REQUESTS FROM information_schema.KEY_CACHES"))
    assert used["sbtest1"] > 0 and used["sbtest2"] > 0
    ended: dict[str, Any] = {"outcome": "completed"}
    step_settings.complete(ended, asking)
    sizes = ended["in_force"]["key_caches"]
    assert sum(sizes.values()) == int(variable(server, "key_buffer_size"))
    step_settings.put_back()
    left = dict(server.query("SELECT KEY_CACHE_NAME, FULL_SIZE FROM information_schema.KEY_CACHES"))
    assert not {name for name in left if name != "default" and left[name]}


def test_threads_that_are_made_later_are_where_the_others_are(server: Server) -> None:
    session = session_on(server)
    pid, usual = session.server.pid, affinity(session.server.pid)
    set_affinity(pid, "1")
    before = set(threads_of(pid))
    drive(server, shipped("point-selects", "innodb", events=EVENTS, threads=8))
    assert set(threads_of(pid)) - before
    assert affinity(pid) == "1"
    set_affinity(pid, usual)
    assert affinity(pid) == usual


# whole sessions


def carry_out(desktop: Desktop, cores: str, pfs: str, *contenders: str) -> list[list[StepEnded]]:
    """The ended points of the sweep of each session, and the step behind them."""
    text = SWEPT.replace("CORES", cores).replace("PFS", {"ON": "true", "OFF": "false"}[pfs])
    (desktop.home / "sequences" / "swept.toml").write_text(text)
    words = [word for each in contenders for word in ("--contender", each)]
    desktop.dyno("run", "--sequence", "swept", *words, limit_s=240)
    found = []
    for entry in desktop.sessions():
        events = desktop.events(entry["id"])
        assert (entry["state"], entry["failed_steps"]) == ("completed", 0)
        found.append([event for event in events if isinstance(event, StepEnded)][2:])
        restarts = [
            event.text for event in events if isinstance(event, MomentEvent) and event.name == "restarted"
        ]
        assert restarts == [f"with innodb_read_only=ON, performance_schema={pfs}", "as at first"]
    return found


def check_points(steps: list[StepEnded], engine: str, pfs: str) -> None:
    """With one core for the server: what was in force, and how the statements were sent."""
    plain, patient, read_only, last = steps
    placed = {"server_cores": "0", "load_cores": "1"}
    for step, more in (
        (plain, {}),
        (patient, {"variables": {"innodb_spin_wait_delay": "96"}}),
        (read_only, {"restarted_with": {"innodb_read_only": "ON", "performance_schema": pfs}}),
    ):
        caches = step.in_force.pop("key_caches", {})
        assert step.in_force == {**placed, **more}
        assert len(caches) == (2 if engine == "myisam" else 0)
    assert last.in_force == {}
    assert ["restarted" in step.marks for step in steps] == [False, False, True, True]
    for step, is_prepared in zip(steps, (True, False, True, True), strict=True):
        executed = int(step.status.get("com_stmt_execute", 0))
        assert executed == (step.totals.queries if is_prepared else 0)
        assert int(step.status["com_select"]) >= step.totals.reads > 20  # on a busy machine


@pytest.mark.full
def test_a_sweep_on_engines_of_mariadb(desktop: Desktop) -> None:
    contenders = (f"{MARIADB}:rocksdb", f"{MARIADB}:myisam")
    rocksdb, myisam = carry_out(desktop, "1", "ON", *contenders)
    check_points(rocksdb, "rocksdb", "ON")
    check_points(myisam, "myisam", "ON")


def carry_out_on(desktop: Desktop, base: Path, version: str, *engines: str) -> None:
    desktop.dyno("target", "edit", "local", "--search-path", str(base))
    builds = desktop.json("target", "survey", "local")["builds"]
    name = next(each["name"] for each in builds if each["version"].startswith(version))
    for engine, steps in zip(
        engines, carry_out(desktop, "1", "OFF", *(f"{name}:{e}" for e in engines)), strict=True
    ):
        check_points(steps, engine, "OFF")


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "engines"),
    [
        pytest.param("mysql-5.6", ("innodb", "myisam"), marks=pytest.mark.build("mysql-5.6")),
        pytest.param("mysql-8.0", ("innodb", "myisam"), marks=pytest.mark.build("mysql-8.0")),
        pytest.param("mysql-9.7", ("innodb",), marks=pytest.mark.build("mysql-9.7")),
    ],
)
def test_a_sweep_on_mysql(desktop: Desktop, build_path: Any, name: str, engines: tuple[str, ...]) -> None:
    carry_out_on(desktop, build_path(name), name.removeprefix("mysql-"), *engines)


@pytest.mark.full
@pytest.mark.timeout(1200)
@pytest.mark.build(*FETCHED)
@pytest.mark.parametrize("sequence", ["oltp-read-only", "oltp-read-only-8-tables"])
def test_the_sequences_of_the_study_go_to_their_end_everywhere(
    desktop: Desktop, build_path: Any, sequence: str
) -> None:
    paths = [word for each in FETCHED for word in ("--search-path", str(build_path(each)))]
    desktop.dyno("target", "edit", "local", *paths)
    words = ["--sequence", sequence, "--cores", "1", "--threads", "8", "--rows", "1000"]
    for build in desktop.json("target", "survey", "local")["builds"]:
        for engine in set(build["engines"]) & set(ENGINES):
            words += ["--contender", f"{build['name']}:{engine}"]
    desktop.dyno("run", *words, "--seconds", "1", "--warmup", "0", limit_s=1100)
    entries = desktop.sessions()
    assert {entry["contender"]["family"] for entry in entries} == {"MariaDB", "MySQL"}
    assert {(entry["state"], entry["failed_steps"]) for entry in entries} == {("completed", 0)}
    assert len(entries) == 9


@pytest.mark.full
def test_points_are_shown_with_their_coordinates(desktop: Desktop) -> None:
    (steps,) = carry_out(desktop, "1, 2", "ON", f"{MARIADB}:innodb")
    check_points([*steps[::2]], "innodb", "ON")
    assert [step.in_force.get("server_cores") for step in steps] == ["0", "0-1"] * 3 + [None]
    assert ["shared-cores" in step.marks for step in steps] == [False, True] * 3 + [False]
    (entry,) = desktop.sessions()
    shown = desktop.json("session", "show", entry["id"])["steps"]
    assert shown[2]["coordinates"] == {"threads": 2, "cores": 1, "variation": "plain"}
    assert "points, 1 core, read-only" in desktop.dyno("session", "show", entry["id"]).stdout
    kept = desktop.json("session", "settings", entry["id"])["facts"]["steps"]
    assert kept["points cores=2 threads=2 variation=plain"] == {"server_cores": "0-1", "load_cores": "0-1"}
    compared = desktop.dyno("compare", entry["id"]).stdout
    assert "points cores=1 threads=2 variation=patient" in compared


@pytest.mark.full
def test_a_step_that_is_skipped_leaves_no_variable_behind(desktop: Desktop) -> None:
    """Looked at from outside, while the steps are driven."""
    text = (
        SWEPT.replace("CORES", "1")
        .replace("seconds = 1", "seconds = 30")
        .replace("restart_with", "variables")
    )
    text = text.replace(
        "{innodb_read_only = true, performance_schema = PFS}", "{innodb_spin_wait_delay = 77}"
    )
    (desktop.home / "sequences" / "swept.toml").write_text(text)
    desktop.begin("run", "--sequence", "swept", "--contender", f"{MARIADB}:innodb")
    found = []
    for step in range(2, 6):
        wait_until(begun(desktop, step), "the step is driven", 180)
        found.append(seen_from_outside(desktop))
        desktop.dyno("skip" if step < 5 else "stop")
    assert found == [("6", "0"), ("96", "0"), ("77", "0"), ("6", as_text(os.sched_getaffinity(0)))]


def seen_from_outside(desktop: Desktop) -> tuple[str, str]:
    """A variable of the server under test, and the CPUs that all of its threads may use."""
    (cnf,) = desktop.target.glob("sessions/*/my.cnf")
    socket = re.findall(r"^socket=(.*)$", cnf.read_text(), re.MULTILINE)[-1]
    found = Client(socket).query("SELECT @@GLOBAL.innodb_spin_wait_delay AS delay")
    return str(found[0]["delay"]), affinity(desktop.server_pid())


@pytest.mark.parametrize(("varied", "said"), [
    ("variables = {no_such_variable = 1}", "unknown variable 'no_such_variable=1'"),
    ("restart_with = {innodb_read_ahead_threshold = 1000}", "adjusted to 64"),
])  # fmt: skip
def test_what_a_build_does_not_take_is_refused_before_anything_starts(
    desktop: Desktop, varied: str, said: str
) -> None:
    text = SWEPT.replace("CORES", "1").replace(
        "restart_with = {innodb_read_only = true, performance_schema = PFS}", varied
    )
    (desktop.home / "sequences" / "swept.toml").write_text(text)
    words = ("run", "--sequence", "swept", "--contender", f"{MARIADB}:innodb")
    assert said in desktop.refused(*words, code=1)
    assert desktop.sessions() == []


def test_more_cores_than_there_are_are_refused(desktop: Desktop) -> None:
    words = ("run", "--sequence", "oltp-read-only", "--contender", f"{MARIADB}:innodb")
    said = desktop.refused(*words, "--cores", "4000")
    assert said.startswith("a server with 4000 cores: the target has")
    words = ["--sequence", "oltp-read-only", "--contender", f"{MARIADB}:innodb", "--threads", "1,2"]
    found = desktop.dyno("run", *words, "--cores", "2,1", "--dry-run").stdout
    assert "cores=1: the server on CPUs 0, the load on 1" in found


@pytest.mark.full
def test_a_stop_is_heard_while_the_server_shuts_down_for_a_variation(desktop: Desktop) -> None:
    """It could take twenty minutes; here it never ends."""
    varied = '\n[[step.variation]]\nname = "plain"\n\n[[step.variation]]\nname = "other"\nrestart_with'
    text = SEQUENCE.replace('"tiny"', '"varied"') + f"{varied} = {{back_log = 99}}\n"
    (desktop.home / "sequences" / "varied.toml").write_text(text)
    words = ("--sequence", "varied", "--steps", "load,index,update-index", "--seconds", "1", "--warmup", "0")
    running = desktop.begin("run", *words, "--contender", f"{MARIADB}:innodb")

    def shuts_down() -> bool:
        """Not in the rehearsal, which has no journal."""
        for journal in desktop.target.glob("sessions/*/journal.jsonl"):
            log = journal.with_name("error.log")
            pid = desktop.server_pid()  # 0 would be all processes of this group
            if pid and log.exists() and "Normal shutdown" in log.read_text(errors="replace"):
                os.kill(pid, signal.SIGSTOP)
                return True
        return False

    wait_until(shuts_down, "the server shuts down", 90)
    desktop.dyno("stop", "--session")
    assert running.wait(20) == 1
    (session,) = desktop.sessions()
    assert (session["state"], session["reason"]) == ("stopped", "asked for by a person")
    assert desktop.server_pid() == 0
