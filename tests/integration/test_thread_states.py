"""What the threads of real servers do, with planted causes: each shows in its state."""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pymysql
import pytest

from app.agent.sampling.thread_states import ThreadSampler
from app.agent.server.options import known_options
from app.agent.server.server import Server
from app.agent.survey.builds import find_builds
from app.protocol.thread_states import CLIENT, ThreadKindShares
from tests.integration.slow_fsync import ON_DISK, preloaded
from tests.waiting import wait_until

CNF = "[mysqld]\ninnodb_buffer_pool_size=32M\ninnodb_flush_log_at_trx_commit=1\n"
ROWS = 100
TABLES = (
    "CREATE TABLE dyno.t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB",
    f"INSERT INTO dyno.t VALUES {', '.join(f'({id_}, 0)' for id_ in range(ROWS))}",
)
UPDATE = "UPDATE dyno.t SET v = v + 1 WHERE id = 1"
CLIENTS, SECONDS, LIMIT_S = 3, 1.2, 60
COMMITS_S = 4  # the server is asked once a second who commits
TRIES = 5
LEAST_SAMPLES = 5  # where CPU is dear the sampler looks seldom
NAMED_PCT = 90.0  # of the time of clients

Work = Callable[[Any], None]  # with a cursor, again and again


def update_own_row(cursor: Any) -> None:
    cursor.execute(f"UPDATE dyno.t SET v = v + 1 WHERE id = {cursor.connection.thread_id() % ROWS}")


class Planted:
    """A server, its sampler, and clients that do one thing."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.log: list[str] = []
        server.client.run(*TABLES)
        self.sampler = ThreadSampler(
            lambda: server.pid, server.client.query, self.log.append, server.client.connect_another
        )

    def connect(self) -> Any:
        return pymysql.connect(unix_socket=self.server.socket, user="root", autocommit=True)

    def kinds(
        self, work: Work, clients: int = CLIENTS, others: int = 0, seconds: float = SECONDS
    ) -> dict[str, ThreadKindShares]:
        """What the threads did, by kind, while clients worked, and others were connected.

        On a busy machine the sampler may be too slow to know its clients, and says so: then once more.
        """
        for _ in range(TRIES):
            self.sampler.begin_step(clients + others)
            with self._working(work, clients):
                self._look(lambda: self._found() == clients + others)
                self._measure(seconds)
            self.sampler.end_step()
            if CLIENT in self.states.kinds:
                break
        assert CLIENT in self.states.kinds, self.states.problem
        return self.states.kinds

    def problem_of(self, work: Work, wanted: int = CLIENTS) -> str:
        """Why the time of clients is not known, if some work and so many are wanted."""
        self.sampler.begin_step(wanted)
        with self._working(work, CLIENTS):
            self._measure(1.0, least=0)
        self.sampler.end_step()
        assert CLIENT not in self.states.kinds and self.sampler.spent(1.0) == {}
        return self.states.problem

    def _measure(self, seconds: float, least: int = LEAST_SAMPLES) -> None:
        self.sampler.begin_part()
        end = time.monotonic() + seconds
        self._look(lambda: time.monotonic() >= end and self._samples() >= least)
        self.states = self.sampler.in_step()

    def shares(self, work: Work, clients: int = CLIENTS, seconds: float = SECONDS) -> dict[str, float]:
        """Percent of the time of client threads by state; most of it has a name."""
        found = self.kinds(work, clients, seconds=seconds)[CLIENT]
        assert found.threads == clients
        assert sum(found.pcts.values()) == pytest.approx(100, abs=0.1)
        assert found.pcts.get("unknown", 0) <= 100 - NAMED_PCT
        return found.pcts

    def _found(self) -> int:
        server = self.sampler._server
        assert server is not None, self.log
        return server.counts.get(CLIENT, 0)

    def _samples(self) -> int:
        return sum(self.sampler._step[CLIENT].whole.samples.values())

    def _look(self, is_over: Callable[[], bool]) -> None:
        limit, second = time.monotonic() + LIMIT_S, time.monotonic()
        while not is_over():
            assert time.monotonic() < limit
            time.sleep(self.sampler.due_in(0.05))
            self.sampler.look()
            if time.monotonic() > second + 0.3:
                second = time.monotonic()
                self.sampler.end()

    @contextmanager
    def _working(self, work: Work, clients: int) -> Iterator[None]:
        before = self._connected()
        connections, stop = [self.connect() for _ in range(clients)], threading.Event()
        threads = [threading.Thread(target=self._repeat, args=(work, each, stop)) for each in connections]
        for each in threads:
            each.start()
        try:
            yield
        finally:
            stop.set()
            for connection in connections:
                self.server.client.try_run(f"KILL {connection.thread_id()}")
            for each in threads:
                each.join(LIMIT_S)
            wait_until(lambda: self._connected() == before, "the clients are gone", LIMIT_S)
            time.sleep(0.1)  # until their threads wait for others

    def _connected(self) -> str:
        return self.server.client.pairs("SHOW GLOBAL STATUS LIKE 'Threads_connected'")["threads_connected"]

    @staticmethod
    def _repeat(work: Work, connection: Any, stop: threading.Event) -> None:
        with suppress(pymysql.err.Error, OSError):
            while not stop.is_set():
                work(connection.cursor())
        with suppress(pymysql.err.Error):
            connection.close()


@contextmanager
def started(base: str, environment: dict[str, str], more: str = "") -> Iterator[Planted]:
    folder = tempfile.mkdtemp(prefix="dyno-", dir=ON_DISK)
    build = next(each for each in find_builds([base]) if each.base == base)
    contender = {"server": build.server, "base": build.base, "cnf": CNF + more}
    server = Server(contender, folder, known_options(build), {**build.environment, **environment})
    try:
        server.prepare()
        server.start()
        yield Planted(server)
    finally:
        server.kill()
        server.clean()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def slow() -> Iterator[Path]:
    """While this file is there, a sync takes long; without a compiler it is one of the disk."""
    with tempfile.TemporaryDirectory(dir=ON_DISK) as folder:
        yield Path(folder, "slow")


@contextmanager
def syncing_slowly(slow: Path) -> Iterator[None]:
    slow.touch()
    try:
        yield
    finally:
        slow.unlink()


@pytest.fixture(scope="module")
def planted(slow: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    with started("/usr", preloaded(tmp_path_factory.mktemp("shim"), slow)) as found:
        yield found


def test_a_held_row_lock(planted: Planted) -> None:
    with planted.connect() as holder:
        cursor = holder.cursor()
        cursor.execute("BEGIN")
        cursor.execute(UPDATE)
        kinds = planted.kinds(lambda cursor: cursor.execute(UPDATE), others=1)
    clients = kinds[CLIENT]  # the holder is a client too: it waits for its next statement
    assert clients.threads == CLIENTS + 1
    assert clients.pcts["lock"] == pytest.approx(100 * CLIENTS / (CLIENTS + 1), abs=5)
    assert clients.pcts["network"] == pytest.approx(100 / (CLIENTS + 1), abs=5)


def waited(measure: Callable[[], dict[str, float]], state: str) -> dict[str, float]:
    """Percent of the time of waits, if this one is most of it.

    On a busy machine clients wait for a CPU at most looks, which is no wait of theirs: then once more.
    """
    end = time.monotonic() + LIMIT_S
    while True:
        shares = measure()
        waits = {name: pct for name, pct in shares.items() if name not in ("running", "runnable")}
        found = {name: 100 * pct / sum(waits.values()) for name, pct in waits.items() if pct}
        if found.get(state, 0) > 50 or time.monotonic() > end:
            assert found.get(state, 0) > 50, shares
            return found


@pytest.mark.full
def test_a_slow_fsync(planted: Planted, slow: Path) -> None:
    with syncing_slowly(slow):
        waited(lambda: planted.shares(lambda cursor: cursor.execute(UPDATE), 1), "fsync")


def commits(planted: Planted) -> dict[str, float]:
    """Each client updates a row of its own, else they would wait for that."""
    return planted.shares(update_own_row, clients=8, seconds=COMMITS_S)


def test_clients_behind_one_that_syncs(planted: Planted, slow: Path) -> None:
    """One syncs for all."""
    with syncing_slowly(slow):
        waits = waited(lambda: commits(planted), "commit")
    assert waits.get("lock", 0) < waits["commit"] / 2, waits  # on a busy machine some wait for the others


def test_clients_that_send_nothing(planted: Planted) -> None:
    shares = planted.shares(lambda cursor: time.sleep(0.05))
    assert shares["network"] > NAMED_PCT, shares


def test_a_read_that_needs_the_cpu(planted: Planted) -> None:
    shares = planted.shares(lambda cursor: cursor.execute("SELECT BENCHMARK(100000000, MD5('a'))"))
    assert shares["running"] + shares["runnable"] > NAMED_PCT, shares


def test_a_thread_waits_for_a_cpu_while_others_have_them(planted: Planted) -> None:
    """More clients than CPUs: each runs for its share of the time, and waits the rest."""
    shares = planted.shares(lambda cursor: cursor.execute("SELECT BENCHMARK(100000000, MD5('a'))"), 8)
    assert shares["runnable"] > 25, shares


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        pytest.param("mysql-5.5", {"other"}, marks=pytest.mark.build("mysql-5.5")),
        pytest.param("mysql-5.6", {"other"}, marks=pytest.mark.build("mysql-5.6")),
        pytest.param("mysql-5.7", {"purge", "page cleaner"}, marks=pytest.mark.build("mysql-5.7")),
        pytest.param("mysql-8.0", {"purge", "log writer"}, marks=pytest.mark.build("mysql-8.0")),
        pytest.param("mysql-9.7", {"purge", "log writer"}, marks=pytest.mark.build("mysql-9.7")),
        pytest.param("mariadb-10.2", {"purge"}, marks=pytest.mark.build("mariadb-10.2")),
        pytest.param("mariadb-11.8", {"page cleaner"}, marks=pytest.mark.build("mariadb-11.8")),
    ],
)
def test_background_threads_have_names(name: str, kinds: set[str], build_path: Any) -> None:
    with started(str(build_path(name)), {}) as found:
        seen = found.kinds(lambda cursor: time.sleep(0.05))
        assert kinds <= set(seen), set(seen)
        assert found.log == []


def assert_computes(pcts: dict[str, float]) -> None:
    """On a busy machine the clients here, in Python, are late with their next statement."""
    computes = pcts["running"] + pcts["runnable"]
    assert computes > 70 and computes + pcts.get("network", 0) > NAMED_PCT, pcts


BUILDS = (
    *("mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-9.7"),
    *("mariadb-10.2", "mariadb-11.4", "mariadb-11.8"),
)
SCHEMA_OFF, SCHEMA_ON = "performance_schema=OFF\n", "performance_schema=ON\n"


@pytest.mark.full
@pytest.mark.parametrize("more", [SCHEMA_OFF, SCHEMA_ON])
@pytest.mark.parametrize("name", [pytest.param(each, marks=pytest.mark.build(each)) for each in BUILDS])
def test_clients_are_known_in_every_build(name: str, more: str, build_path: Any) -> None:
    """Few clients after many, whose threads are cached: those that are found compute, all others rest."""
    with started(str(build_path(name)), {}, f"{more}thread_cache_size=100\n") as found:
        for clients in (3, 1, 2, 64, 4):
            seen = found.kinds(lambda cursor: cursor.execute("DO BENCHMARK(1000000, CRC32('a'))"), clients)
            assert seen[CLIENT].threads == clients
            assert_computes(seen[CLIENT].pcts)


@pytest.mark.full
def test_clients_are_known_where_no_thread_has_a_name(
    planted: Planted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in MySQL without the Performance Schema: here nobody asks MariaDB."""
    monkeypatch.setattr("app.agent.sampling.thread_kinds.thread_names", lambda *_: {})
    with started("/usr", {}) as found:
        for clients in (8, 1, 3):
            seen = found.kinds(lambda cursor: cursor.execute("DO BENCHMARK(1000000, CRC32('a'))"), clients)
            assert seen[CLIENT].threads == clients
            assert_computes(seen[CLIENT].pcts)


def test_with_a_thread_pool_nothing_is_known_of_clients() -> None:
    with started("/usr", {}, "thread_handling=pool-of-threads\n") as found:
        problem = found.problem_of(lambda cursor: cursor.execute("SELECT 1"))
    assert problem == "the server serves its clients by pool-of-threads, so no thread belongs to a client"


def test_one_who_is_missing_takes_the_figure_away(planted: Planted) -> None:
    problem = planted.problem_of(lambda cursor: cursor.execute("SELECT 1"), CLIENTS + 1)
    assert problem == "for 4 clients 3 threads were found, and the right number in 0 % of the step"


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.build(name))
        for name in ("mysql-5.7", "mysql-8.0", "mysql-9.7", "mariadb-11.8")
    ],
)
def test_group_commits_are_known_in_other_builds(name: str, build_path: Any, slow: Path) -> None:
    """MySQL tells by its Performance Schema, which is on unless a preset turns it off."""
    with started(str(build_path(name)), preloaded(slow.parent, slow)) as found, syncing_slowly(slow):
        waited(lambda: commits(found), "commit")
