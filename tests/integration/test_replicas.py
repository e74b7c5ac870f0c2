"""Sessions on a primary with replicas: who carries a step out, how far replicas lag, what goes wrong."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import pytest

from app.agent.existing.statements import may_send
from app.agent.server.mysql import certificate_of
from app.protocol.events import Fact, Sample, SeriesDeclared, SessionEnded, StepEnded
from tests.installed import BUILD
from tests.integration.desktop import Desktop
from tests.integration.test_existing_servers import PASSWORD, build_of, check_clients, given_password
from tests.replicated import Replicated, replicated
from tests.sequences import CALM, INDEX, LOAD, SETTLED, own_sequence
from tests.team_server import Database, started
from tests.waiting import beside, wait_until

__all__ = ["given_password"]

HOST = "127.0.0.1"
READS = f'name = "reads"\nworkload = "read-only"\non = "replica"\n{CALM}'
WRITES = f'workload = "update-index"\n{CALM}'
ROLES = """name = "together"
[[step.role]]
name = "reader"
workload = "read-only"
on = "replica 2"
rate = 50
[[step.role]]
name = "writer"
workload = "update-index"
rate = 200
"""
SEQUENCES = {
    "replicated": (LOAD, SETTLED, READS, ROLES),
    "plainly": (LOAD, INDEX, f'workload = "read-only"\n{CALM}'),
    "writing": (LOAD, INDEX, WRITES),
    "twice": (LOAD, INDEX, WRITES, READS),
}
LOGGED = re.compile(r"\s(\d+) (Connect|Query)\t(.*)")  # as the general log has it, after the time
SHORT = ("--tables", "2", "--rows", "2000", "--threads", "2", "--repeats", "1", "--allow-busy")
FAMILIES = [
    pytest.param("", id="installed"),
    *(
        pytest.param(name, marks=[pytest.mark.full, pytest.mark.build(name)])
        for name in ("mysql-8.0", "mysql-9.7")
    ),
]


@contextmanager
def with_accounts(name: str) -> Iterator[Replicated]:
    """A primary with two replicas, and an account that may do nothing global."""
    with replicated(build_of(name)) as servers:
        servers.primary.query(
            "CREATE DATABASE bench",
            f"CREATE USER measured@localhost IDENTIFIED BY '{PASSWORD}' REQUIRE SSL",
            "GRANT ALL ON bench.* TO measured@localhost",
        )
        servers.await_replicas()
        yield servers


@pytest.fixture(scope="module")
def two_replicas() -> Iterator[Replicated]:
    with with_accounts("") as servers:
        yield servers


def added(desktop: Desktop, servers: Replicated) -> None:
    """prod, replica1 and replica2, each with its own certificate."""
    for name, steps in SEQUENCES.items():
        path = desktop.home / "sequences" / f"{name}.toml"
        path.write_text(own_sequence(name, *steps, seconds=4, warmup=1))
    add(desktop, "prod", servers.primary)
    for number, each in enumerate(servers.replicas, 1):
        add(desktop, f"replica{number}", each, "--replica-of", "prod")


def add(desktop: Desktop, name: str, database: Database, *words: str) -> None:
    url = f"mysql://measured@{HOST}:{database.port}/bench"
    desktop.dyno("server", "add", name, url, *words, code=1)
    desktop.dyno("server", "trust", name, f"SHA256:{certificate_of(HOST, database.port).split()[0]}")
    desktop.dyno("server", "show", name)


def run(desktop: Desktop, sequence: str, *words: str, code: int = 0) -> str:
    done = desktop.dyno("run", "--sequence", sequence, *SHORT, *words, code=code, limit_s=600)
    return done.stdout + done.stderr


def ends_of(desktop: Desktop, at: int = 0) -> dict[str, StepEnded]:
    """The ends of the steps of a session, by their names in the plan."""
    session = desktop.sessions()[at]["id"]
    names = [each["name"] for each in desktop.json("session", "show", session)["steps"]]
    return {names[each.step]: each for each in desktop.events(session) if isinstance(each, StepEnded)}


def ways(desktop: Desktop, at: int = 0) -> dict[str, dict[str, Any]]:
    """The facts of the way to the server, by step without its coordinates."""
    events = desktop.events(desktop.sessions()[at]["id"])
    found = [each for each in events if isinstance(each, Fact) and each.name == "existing"]
    return {each.when.split()[0]: each.value for each in found}


def lag_of(desktop: Desktop, step: str, replica: str) -> dict[str, Any]:
    (found,) = [each for each in ways(desktop)[step]["lags"] if each["name"] == replica]
    return found


def series_values(desktop: Desktop, name: str) -> list[float | None]:
    events = desktop.events(desktop.sessions()[0]["id"])
    (declared,) = [each for each in events if isinstance(each, SeriesDeclared)]
    at = [each.name for each in declared.series].index(name)
    return [each.values[at] for each in events if isinstance(each, Sample)]


def counted(database: Database, name: str) -> int:
    return int(database.query(f"SHOW GLOBAL STATUS LIKE '{name}'")[0][1])


def queries_of(ended: StepEnded) -> int:
    assert ended.totals is not None and ended.totals.queries is not None
    return ended.totals.queries


def begun(desktop: Desktop, running: subprocess.Popen[str], step: int) -> Callable[[], bool]:
    def has_begun() -> bool:
        assert running.poll() is None, running.communicate()
        found = [*desktop.target.glob("sessions/*/journal.jsonl")]
        lines = found[0].read_text().splitlines(keepends=True) if found else []
        whole = [json.loads(each) for each in lines if each.endswith("\n")]
        return any(each["kind"] == "mark" and each.get("step") == step for each in whole)

    return has_begun


# who carries a step out


@pytest.mark.parametrize("name", FAMILIES)
def test_each_role_is_carried_out_on_its_server(name: str, desktop: Desktop) -> None:
    with with_accounts(name) as servers:
        added(desktop, servers)
        check_roles(desktop, servers)
        assert servers.primary.query("SHOW TABLES FROM bench") == []
        servers.await_replicas()
        assert all(each.query("SHOW TABLES FROM bench") == [] for each in servers.replicas)


def check_roles(desktop: Desktop, servers: Replicated) -> None:
    """By the counters of the servers themselves, and by what they have logged."""
    everyone = (servers.primary, *servers.replicas)
    before = [counted(each, "Com_select") for each in everyone]
    for each in servers.replicas:
        log = each.folder / "general.log"
        each.query(f"SET GLOBAL general_log_file = '{log}'", "SET GLOBAL general_log = ON")
    run(desktop, "replicated", "@prod")
    grown = [counted(each, "Com_select") - then for each, then in zip(everyone, before, strict=True)]
    for each in servers.replicas:
        each.query("SET GLOBAL general_log = OFF")
        check_log((each.folder / "general.log").read_text(errors="replace"))
    ended = ends_of(desktop)
    assert {each.outcome for each in ended.values()} == {"completed"}
    assert "capped" not in ended["settle.index"].marks  # though Dyno writes for the lag
    reads, together = (ended[name].totals.reads for name in ("reads", "together"))  # type: ignore[union-attr]
    assert reads and together
    assert reads <= grown[1] < 2 * reads + 1000 and together <= grown[2] < 2 * together + 1000
    assert grown[0] < 1000
    check_clients(ended["reads"])
    check_ways(desktop)
    holding = subprocess.run(["grep", "-rl", PASSWORD, str(desktop.home)], capture_output=True, text=True)
    assert holding.stdout == ""


def check_log(log: str) -> None:
    """A replica gets reads of clients, and of Dyno what is in its list for replicas."""
    lines = [found.groups() for found in map(LOGGED.search, log.splitlines()) if found]
    reached = {number for number, what, said in lines if what == "Connect" and said.startswith("measured@")}
    said = [text for number, what, text in lines if what == "Query" and number in reached]
    assert len(said) > 20
    of_clients = ("BEGIN", "SET NAMES", "SET AUTOCOMMIT")
    wrong = [each for each in said if not may_send(each, to_replica=True)]
    assert [each for each in wrong if not each.upper().startswith(of_clients)] == []


def check_ways(desktop: Desktop) -> None:
    found = ways(desktop)
    assert "of" not in found["load"] and found["reads"]["of"] == "replica1"
    assert found["together"]["of"] == "replica2"
    for way in found.values():
        assert [each["name"] for each in way["lags"]] == ["replica1", "replica2"]
    for name in ("reads", "together"):
        lag = lag_of(desktop, name, found[name]["of"])
        assert lag["beats"] >= 3 and 0 < lag["median_ms"] <= lag["p95_ms"] <= lag["longest_ms"] < 5000
        assert lag["resolution_ms"] > 0
        assert found[name]["others_statements"] < 20
        assert "not-alone" not in ends_of(desktop)[name].marks
    shown = desktop.dyno("session", "show", "last").stdout
    assert "on the replica replica1; SELECT 1 took" in shown and "replica2 lagged: median" in shown
    assert any(each is not None for each in series_values(desktop, "replica.lag_ms{replica1}"))


@pytest.mark.full
def test_a_neighbour_counts_where_it_is(desktop: Desktop, two_replicas: Replicated) -> None:
    added(desktop, two_replicas)

    def neighbour(stop: threading.Event) -> None:
        while not stop.is_set():
            two_replicas.replicas[0].query(*["SELECT 1"] * 500)

    with beside(neighbour):
        run(desktop, "replicated", "@prod")
    marked = {name for name, each in ends_of(desktop).items() if "not-alone" in each.marks}
    assert marked == {"reads"} and ways(desktop)["reads"]["others_statements"] > 20


@pytest.mark.full
def test_a_replica_and_its_primary_are_compared_in_one_plan(
    desktop: Desktop, two_replicas: Replicated
) -> None:
    added(desktop, two_replicas)
    before = [counted(each, "Com_select") for each in (two_replicas.primary, two_replicas.replicas[0])]
    run(desktop, "plainly", "@prod", "@replica1")
    after = [counted(each, "Com_select") for each in (two_replicas.primary, two_replicas.replicas[0])]
    sessions = desktop.sessions()
    assert [each["state"] for each in sessions] == ["completed"] * 2
    by_name = {each["contender"]["name"].split("-")[0]: at for at, each in enumerate(sessions)}
    for name, then, now in zip(("prod", "replica1"), before, after, strict=True):
        ended = ends_of(desktop, by_name[name])["read-only"]
        assert ended.totals is not None and ended.totals.reads
        assert ended.totals.reads <= now - then < 2 * ended.totals.reads + 1000
    facts = {name: ways(desktop, at)["read-only"] for name, at in by_name.items()}
    assert facts["replica1"]["of"] == "replica1" and "of" not in facts["prod"]
    assert "replica1" in desktop.dyno("compare", "last").stdout


def test_what_a_replica_cannot_take_is_refused_at_once(desktop: Desktop, two_replicas: Replicated) -> None:
    added(desktop, two_replicas)
    for sequence, contender, says in (
        ("twice", "@replica1", "replica1 takes only reads: leave out update-index"),
        ("quick", "@replica1", "replica1 takes only reads: leave out "),
        ("replicated", "@replica1", "step together is on replica 2, and replica1 is the only one"),
        ("replicated", f"{BUILD.name}:innodb", "and Dyno starts "),
    ):
        assert says in desktop.refused("run", "--sequence", sequence, *SHORT, contender)


# how far replicas lag


@pytest.mark.full
def test_a_lag_that_was_planted_is_found(desktop: Desktop, two_replicas: Replicated) -> None:
    """One applies three seconds late, the other one not at all for five seconds in the middle."""
    servers, delayed = two_replicas, two_replicas.replicas[1]
    added(desktop, servers)
    servers.delay(delayed, 3)
    try:
        running = desktop.begin("run", "--sequence", "writing", *SHORT, "@prod", "--seconds", "20")
        wait_until(begun(desktop, running, 2), "the writes are measured", 180)
        time.sleep(3)
        servers.tell(servers.replicas[0], "STOP", "SQL_THREAD")
        stopped = time.monotonic()
        time.sleep(5)
        told = servers.status(delayed)["Seconds_Behind_Source"]
        servers.tell(servers.replicas[0], "START", "SQL_THREAD")
        stopped = time.monotonic() - stopped
        assert running.communicate(timeout=300) and running.returncode == 0
    finally:
        servers.delay(delayed, 0)
    late, paused = (lag_of(desktop, "update-index", name) for name in ("replica2", "replica1"))
    assert told in (2, 3, 4)
    assert 2000 < late["median_ms"] < 4500 and abs(late["median_ms"] / 1000 - told) < 2
    assert 1000 * (stopped - 1.5) < paused["longest_ms"] < 1000 * (stopped + 3)
    assert paused["median_ms"] < 1500
    curve = [each for each in series_values(desktop, "replica.lag_ms{replica1}") if each is not None]
    assert max(curve) == pytest.approx(paused["longest_ms"], abs=1200)


@pytest.mark.full
def test_the_lags_of_two_sessions_are_compared(desktop: Desktop, two_replicas: Replicated) -> None:
    """One of two replicas applies three seconds late in the second of them."""
    servers, delayed = two_replicas, two_replicas.replicas[1]
    added(desktop, servers)
    run(desktop, "writing", "@prod", "--seconds", "8")
    servers.delay(delayed, 3)
    try:
        run(desktop, "writing", "@prod", "--seconds", "8")
    finally:
        servers.delay(delayed, 0)
    before, after = (each["id"] for each in desktop.sessions())
    rows = desktop.json("compare", before, after, "--measure", "lag")["rows"]
    row = {each["workload"]: each for each in rows}["update-index"]
    usual, late = row["values"]
    assert row["unit"] == "ms" and 0 < usual < 1000 and 2000 < late - usual < 4500
    assert "at-least" not in row["marks"][0] and row["verdict"][1] not in ("better", "worse", "same")
    shown = desktop.dyno("compare", before, after, "--measure", "lag").stdout
    assert f"{late:,.0f}" in shown


@pytest.mark.full
def test_a_replica_that_stays_behind_lags_at_least_so_long(desktop: Desktop) -> None:
    with with_accounts("") as servers:
        added(desktop, servers)
        running = desktop.begin("run", "--sequence", "twice", *SHORT, "@prod", "--seconds", "10")
        wait_until(begun(desktop, running, 2), "the writes are measured", 180)
        servers.tell(servers.replicas[0], "STOP", "SQL_THREAD")
        running.communicate(timeout=400)
        lag = lag_of(desktop, "update-index", "replica1")
        assert lag["waiting"] > 5 and 5000 < lag["longest_ms"] < 12_000
        last = desktop.events(desktop.sessions()[0]["id"])[-1]
        assert isinstance(last, SessionEnded) and last.outcome == "failed"
        port = servers.replicas[0].port
        assert f"replica1: {HOST} port {port}: it has shown nothing new for" in last.reason
        shown = desktop.dyno("session", "show", "last").stdout
        assert "replica1 lagged at least: median" in shown


# what goes wrong


@pytest.mark.full
def test_a_server_that_does_not_replicate_the_primary_is_refused(
    desktop: Desktop, two_replicas: Replicated
) -> None:
    added(desktop, two_replicas)
    with started(BUILD) as stranger:
        stranger.query(
            "CREATE DATABASE bench",
            f"CREATE USER measured@localhost IDENTIFIED BY '{PASSWORD}' REQUIRE SSL",
            "GRANT ALL ON bench.* TO measured@localhost",
        )
        add(desktop, "stranger", stranger, "--replica-of", "prod")
        said = run(desktop, "plainly", "@stranger", code=1)
        assert f"stranger: {HOST} port {stranger.port}: it has shown nothing new for 60 s" in said
        assert two_replicas.primary.query("SHOW TABLES FROM bench") == []


@pytest.mark.full
def test_a_replica_that_dies_ends_the_session_by_its_name(desktop: Desktop) -> None:
    with with_accounts("") as servers:
        added(desktop, servers)
        running = desktop.begin("run", "--sequence", "replicated", *SHORT, "@prod", "--seconds", "20")
        wait_until(begun(desktop, running, 3), "the reads are measured", 180)
        servers.replicas[0].kill()
        running.communicate(timeout=300)
        last = desktop.events(desktop.sessions()[0]["id"])[-1]
        assert isinstance(last, SessionEnded) and last.outcome == "failed"
        port = servers.replicas[0].port
        assert f"replica1: {HOST} port {port} does not answer any more" in last.reason
        assert servers.primary.query("SHOW TABLES FROM bench") == []


@pytest.mark.full
def test_a_replica_that_is_only_watched_may_go_away(desktop: Desktop) -> None:
    """Its lag is a gap from then on, and the writes on its primary go on."""
    with with_accounts("") as servers:
        added(desktop, servers)
        running = desktop.begin("run", "--sequence", "writing", *SHORT, "@prod", "--seconds", "15")
        wait_until(begun(desktop, running, 2), "the writes are measured", 180)
        time.sleep(4)
        servers.replicas[1].kill()
        assert running.communicate(timeout=300) and running.returncode == 0
        gone, there = (lag_of(desktop, "update-index", name) for name in ("replica2", "replica1"))
        assert gone["lost"] > 3 and there["lost"] == 0 and there["beats"] > 10
        assert series_values(desktop, "replica.lag_ms{replica2}")[-1] is None
        assert "not known as it did not answer" in desktop.dyno("session", "show", "last").stdout


@pytest.mark.full
def test_a_limit_of_statements_holds_on_a_replica(desktop: Desktop, two_replicas: Replicated) -> None:
    added(desktop, two_replicas)
    desktop.dyno("server", "edit", "replica1", "--max-queries", "200")
    stop, seen = threading.Event(), list[int]()

    def watch() -> None:
        while not stop.wait(1.0):
            seen.append(counted(two_replicas.replicas[0], "Questions"))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        run(desktop, "plainly", "@replica1")
    finally:
        stop.set()
        watching.join()
    grown = [now - then for then, now in pairwise(seen)]
    assert 100 < max(grown) < 330
    assert "query-limited" in ends_of(desktop)["read-only"].marks
