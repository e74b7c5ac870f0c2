"""From /proc to states of threads, from samples to shares; which threads serve clients; the pace."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app.agent.sampling.thread_files import _CALLS, letter_state, state_by_kernel_function, state_by_syscall
from app.agent.sampling.thread_group import LONGEST_S, SHARE, SHORTEST_S, ThreadLookInterval
from app.agent.sampling.thread_kinds import ThreadKinds
from app.agent.sampling.thread_shares import StepThreadShares, ThreadKindTally
from app.agent.sampling.thread_states import NOTHING, SERIES, ThreadSampler
from app.agent.sampling.unnamed_clients import UnnamedClientThreads, threads_in
from app.engines import kind_of_thread
from app.engines.query import QueryError
from app.engines.server import (
    CONNECTION_LIMIT,
    CONNECTION_THREADS,
    OWN_THREAD,
    ThreadSource,
    committing_threads,
    supported_thread_sources,
    thread_names,
    thread_pool,
)
from app.protocol.thread_states import CLIENT, OTHER, STATES, client_time_figure, shares_text

# threads that sleep, wait for a lock and for a socket (twice); they begin after a line of input
PROGRAM = """
import os, socket, sys, threading, time
lock, (here, there) = threading.Lock(), socket.socketpair()
lock.acquire()
print("ready", flush=True)
sys.stdin.readline()
for work in (lambda: time.sleep(60), lock.acquire, lambda: there.recv(1), lambda: os.read(there.fileno(), 1)):
    threading.Thread(target=work, daemon=True).start()
print("begun", flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize(
    ("machine", "line", "state"),
    [
        ("x86_64", b"running\n", "running"),
        ("x86_64", b"202 0x7f0974001180 0x189 0x0 0x7ffe 0x7f09\n", "lock"),
        ("x86_64", b"75 0x1d 0x0 0x0 0x0 0x0 0x0 0x7ffe 0x7f09\n", "fsync"),
        ("x86_64", b"17 0x1d 0x7f 0x4000 0x0 0x0 0x0 0x7ffe 0x7f09\n", "disk"),
        ("x86_64", b"7 0x7f 0x1 0x1b7740 0x0 0x0 0x0 0x7ffe 0x7f09\n", "network"),
        ("x86_64", b"23 0x0 0x0 0x0 0x0 0x7f 0x0 0x7ffe 0x7f09\n", "asleep"),  # how MySQL 5.5 sleeps
        ("x86_64", b"23 0x5 0x7f 0x0 0x0 0x7f 0x0 0x7ffe 0x7f09\n", "network"),
        ("x86_64", b"0 0x1d 0x7f 0x4000 0x0 0x0 0x0 0x7ffe 0x7f09\n", "by file"),
        ("x86_64", b"-1 0x7ffe 0x7f09\n", "disk"),
        ("x86_64", b"61 0x5\n", "unknown"),
        ("aarch64", b"98 0x7f 0x189\n", "lock"),
        ("aarch64", b"83 0x1d\n", "fsync"),
        ("aarch64", b"72 0x0 0x0\n", "asleep"),
    ],
)
def test_a_system_call_is_a_state(machine: str, line: bytes, state: str) -> None:
    assert state_by_syscall(_CALLS[machine], line) == state


@pytest.mark.parametrize(
    ("name", "state"),
    [
        (b"0", "running"),
        (b"futex_wait_queue", "lock"),
        (b"futex_do_wait", "lock"),
        (b"jbd2_log_wait_commit", "fsync"),
        (b"xfs_log_force_seq", "fsync"),
        (b"poll_schedule_timeout.constprop.0", "network"),
        (b"unix_stream_read_generic", "network"),
        (b"hrtimer_nanosleep", "asleep"),
        (b"io_schedule", "disk"),
        (b"something_else", "unknown"),
    ],
)
def test_a_function_of_the_kernel_is_one_where_system_calls_are_not_readable(name: bytes, state: str) -> None:
    assert state_by_kernel_function(name) == state


def test_without_both_only_the_letter_is_known() -> None:
    states = [letter_state(b"17 (a) S) %s 1 2" % letter) for letter in (b"R", b"D", b"S")]
    assert states == ["running", "disk", "unknown"]


def tally(cpu_s: float = 0.0, queued_s: float = 0.0, **samples: int) -> ThreadKindTally:
    """One second of one thread."""
    made = ThreadKindTally()
    made.take(1.0, cpu_s, queued_s)
    made.samples.update(samples)
    return made


def test_the_scheduler_counts_what_runs_and_samples_divide_the_rest() -> None:
    found = tally(0.2, 0.3, running=9, lock=3, fsync=1).shares()
    assert found is not None
    known = {state: round(share, 4) for state, share in found.items() if share}
    assert known == {"running": 0.2, "runnable": 0.3, "lock": 0.375, "fsync": 0.125}


def test_a_rest_of_which_no_sample_tells_is_divided_as_usual_else_unknown() -> None:
    found = tally(0.5).shares()
    assert found is not None and found["unknown"] == pytest.approx(0.5)
    found = tally(0.5, 0.2, running=4).shares()  # it still waits for a CPU: that is counted later
    assert found is not None and (found["runnable"], found["unknown"]) == (pytest.approx(0.5), 0.0)
    found = tally(0.5, running=4).shares(tally(lock=3, fsync=1, running=7))
    assert found is not None and (found["lock"], found["fsync"]) == (0.375, 0.125)
    assert ThreadKindTally().shares() is None


def test_waits_for_locks_are_divided_as_the_server_says_who_commits() -> None:
    second, usual = tally(lock=8, network=2), tally(lock=1)
    usual.asked, usual.commits = 4, 1
    found = second.shares(usual)
    assert found is not None and (found["commit"], found["lock"]) == (pytest.approx(0.2), pytest.approx(0.6))
    second.asked, second.commits = 2, 2
    found = second.shares(usual)
    assert found is not None and (found["commit"], found["lock"]) == (pytest.approx(0.8), 0.0)
    step = StepThreadShares()
    step.take(second, 1, 1.0)
    step.take(usual, 1, 1.0)
    kind = step.kind()  # of 9 waits for locks in all, 3 of 6 that were asked about
    assert kind is not None and kind.pcts["commit"] == pytest.approx(100 * 4.5 / 11, abs=0.01)


def test_counters_that_overshoot_the_second_give_no_more_than_all_of_it() -> None:
    found = tally(1.02, 0.4, lock=1).shares()
    assert found is not None
    assert (found["running"], found["runnable"], found["lock"]) == (1.0, 0.0, 0.0)


def test_shares_of_a_step_carry_their_error() -> None:
    step = StepThreadShares()
    for second in range(20):
        step.take(tally(0.5, lock=8 - second % 2, fsync=2 + second % 2), 4, 1.0)
    kind = step.kind()
    assert kind is not None
    assert (kind.threads, kind.samples, kind.seconds) == (4.0, 200, 20)
    assert kind.pcts == pytest.approx({"running": 50, "fsync": 12.5, "lock": 37.5})
    assert kind.shares["running"].error_pct == 0.0  # every second the same, and not sampled
    spread = 100 * 1.96 * 0.05 / 2 / 19**0.5
    assert kind.shares["fsync"].error_pct == pytest.approx(max(spread, 100 * 3 / 200), rel=0.05)
    one = StepThreadShares()
    one.take(tally(0.5, lock=1), 1, 1.0)
    only = one.kind()
    assert only is not None and only.shares["lock"].error_pct is None
    assert StepThreadShares().kind() is None


def test_the_pace_follows_from_what_a_look_costs() -> None:
    pace = ThreadLookInterval()
    assert pace.usual_s == SHORTEST_S
    for _ in range(20):
        pace.begin()
        busy(0.0005)
        pace.end_look()
    assert 0.0005 / SHARE < pace.usual_s < LONGEST_S
    assert 0.5 * pace.usual_s <= pace.pause_s() <= 1.5 * pace.usual_s
    pace.begin()
    busy(0.02)
    pace.end_look()
    assert pace.usual_s == LONGEST_S


def busy(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


# which threads


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("connection", CLIENT),  # 9.7, 8.4
        ("one_connection", CLIENT),  # MariaDB 11.8
        ("ib_srv_purge", "purge"),
        ("srv_worker_thread", "purge"),  # the Performance Schema of 5.7
        ("InnoDB purge worker", "purge"),  # the list of connections of MariaDB 10.2
        ("ib_pg_flush_co", "page cleaner"),
        ("page_cleaner", "page cleaner"),
        ("ib_log_checkpt", "checkpoint"),
        ("checkpoint_bg", "checkpoint"),
        ("ib_log_writer", "log writer"),
        ("log_flusher_thread", "log writer"),
        ("ib_io_rd-1", "read and write"),
        ("ib_tpool_worker", "worker pool"),
        ("rocksdb:low", "compaction"),
        ("rocksdb:high", "flush"),
        ("connection_of_another", OTHER),
    ],
)
def test_a_name_says_what_a_thread_does(name: str, kind: str) -> None:
    assert kind_of_thread(name) == kind


def answering(*answers: Any) -> Any:
    """A server that refuses, or answers with rows, statement by statement."""
    left = iter(answers)

    def query(_statement: str) -> list[dict[str, Any]]:
        answer = next(left)
        if answer is None:
            raise QueryError("unknown column")
        return list(answer)

    return query


class Unnamed:
    """A server that names no threads; once a step has begun, so many clients are connected beside Dyno."""

    taken: ClassVar[list[str]] = []

    def __init__(self, clients: int, cached: int = 0, limit: int = 100) -> None:
        self.clients, self.cached, self.limit = clients, cached, limit
        self.taken.clear()

    def query(self, statement: str) -> list[dict[str, Any]]:
        if statement == CONNECTION_LIMIT:
            return [{"connections": self.limit}]
        if statement != CONNECTION_THREADS:
            raise QueryError("no such thing")
        connected, cached = 1 + self.clients + len(self.taken), self.cached - len(self.taken)
        found = {"Threads_cached": cached, "Threads_connected": connected}
        return [{"variable_name": name, "value": str(value)} for name, value in found.items()]

    @classmethod
    def connect(cls) -> Callable[[], None]:
        cls.taken.append("one")
        return cls.taken.clear


A, B = ThreadSource("a", "commits of a"), ThreadSource("b", "commits of b")


def test_names_come_from_the_performance_schema_else_from_the_list_of_connections() -> None:
    schema = [
        {"tid": 1, "name": "thread/sql/main", "id": None, "state": "", "own": 9},
        {"tid": 2, "name": "thread/sql/one_connection", "id": 8, "state": "", "own": 9},
        {"tid": 3, "name": "thread/sql/one_connection", "id": 9, "state": "", "own": 9},
        {"tid": 4, "name": "thread/sql/compress_gtid_table", "id": 2, "state": "", "own": 9},
    ]
    found = thread_names(answering(schema), [A])
    assert found == {1: "main", 2: CLIENT, 3: OWN_THREAD, 4: "compress_gtid_table"}
    listed = [
        {"tid": 5, "name": "Daemon", "id": 1, "state": "InnoDB purge worker", "own": 9},
        {"tid": 6, "name": "Sleep", "id": 4, "state": "", "own": 9},
    ]
    assert thread_names(answering([], listed), [A, B]) == {5: "InnoDB purge worker", 6: CLIENT}
    assert thread_names(answering([], listed), [A, B], {4})[6] == OWN_THREAD
    assert thread_names(answering([], []), [A, B]) == thread_names(answering(), []) == {}
    assert committing_threads(answering([{"tid": 6}]), [A, B]) == {6}
    assert committing_threads(answering(), []) == set()
    assert len(supported_thread_sources(answering([{"n": 0}], [{"n": 1}]))) == 1
    handling = [[{"value": "one-thread-per-connection"}], [{"value": "pool-of-threads"}], []]
    assert [thread_pool(answering(each)) for each in handling] == ["", "pool-of-threads", ""]


# a real process


@pytest.fixture
def program() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
        yield process
        process.kill()


def say(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begun\n"


def await_rest(process: subprocess.Popen[str]) -> None:
    """Wait until all threads sleep: on a busy machine one that has just begun still runs."""
    tasks, before = Path(f"/proc/{process.pid}/task"), None
    while before != (now := {task.name: (task / "schedstat").read_text() for task in tasks.iterdir()}):
        time.sleep(0.05)
        asleep = all(") S " in (task / "stat").read_text() for task in tasks.iterdir())
        before = now if asleep else None


def look(sampler: ThreadSampler, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(sampler.due_in(0.05))
        sampler.look()


def test_threads_that_begin_after_the_server_serve_clients(program: subprocess.Popen[str]) -> None:
    log: list[str] = []
    sampler = ThreadSampler(lambda: program.pid, Unnamed(4).query, log.append, Unnamed.connect)
    sampler.begin_step(4)
    say(program)
    look(sampler, 0.8)
    sampler.begin_part()
    look(sampler, 0.6)
    values = dict(zip(STATES, sampler.end(), strict=True))
    expected = {"asleep": 25, "lock": 25, "network": 50}  # of two calls
    assert {state: values[state] for state in expected} == pytest.approx(expected, abs=2)
    kinds = sampler.in_step().kinds
    assert (kinds[CLIENT].threads, kinds[OTHER].threads) == (4, 1)
    spent = sampler.spent(10.0)
    assert spent[client_time_figure("lock")] == pytest.approx(10e6, rel=0.1)
    assert sum(each or 0.0 for each in spent.values()) == pytest.approx(40e6, rel=0.01)
    sampler.end_step()
    assert sampler.end() == NOTHING and log == []
    assert sampler.pace.spent_s > 0


@pytest.mark.parametrize(("connections", "is_known"), [(5, True), (12, True), (16, False), (9_000, False)])
def test_clients_that_connect_again_and_again_have_no_threads(
    program: subprocess.Popen[str], connections: int, is_known: bool
) -> None:
    """The threads that were found may be those of connections that only wait."""
    sampler = ThreadSampler(lambda: program.pid, Unnamed(4).query, print, Unnamed.connect)
    sampler.begin_step(4)
    say(program)
    look(sampler, 0.8)
    sampler.end()
    sampler.connected(connections)
    found = sampler.in_step()
    assert (CLIENT in found.kinds) == bool(sampler.spent(1.0)) == is_known
    what = f"the server counted {connections - 4:,} connections more than there were clients"
    text = f"{what}, so no thread belongs to one"
    assert found.problem == ("" if is_known else text)


def test_threads_of_an_earlier_step_are_clients_only_if_they_work(program: subprocess.Popen[str]) -> None:
    sampler = ThreadSampler(lambda: program.pid, Unnamed(3).query, print, Unnamed.connect)
    say(program)
    await_rest(program)
    sampler.begin_step(3)
    found = None
    for _ in range(4):  # a busy machine may take longer than the first second
        look(sampler, 0.8)
        assert sampler.end() == NOTHING
        if found := sampler.in_step():
            break
    assert found and CLIENT not in found.kinds
    assert found.problem == "for 3 clients 0 threads were found, and the right number in 0 % of the step"


def test_a_thread_of_the_first_ones_serves_a_client_if_the_server_says_so(
    program: subprocess.Popen[str],
) -> None:
    listed = [{"tid": program.pid, "name": "Query", "id": 4, "state": "", "own": 9}]
    answers = answering([{"n": 0}], [{"n": 1}], [], listed, listed)
    kinds = ThreadKinds(program.pid, answers, Unnamed.connect)
    kinds.begin_step(1)
    assert kinds.look(1) == {CLIENT: [program.pid]}


def test_other_connections_of_dyno_are_no_clients(program: subprocess.Popen[str]) -> None:
    """Such as that which keeps the marker on a server that runs already fresh."""
    listed = [{"tid": program.pid, "name": "Sleep", "id": 4, "state": "", "own": 9}]
    answers = answering([{"n": 0}], [{"n": 1}], [], listed, listed)
    kinds = ThreadKinds(program.pid, answers, Unnamed.connect, lambda: {4})
    kinds.begin_step(1)
    assert CLIENT not in kinds.look(1)


def test_clients_that_connect_late_are_found_after_the_first_second(program: subprocess.Popen[str]) -> None:
    """The pauses between searches have become long by then."""
    sampler = ThreadSampler(lambda: program.pid, Unnamed(4).query, print, Unnamed.connect)
    sampler.begin_step(4)
    look(sampler, 1.2)
    say(program)
    sampler.end()
    for _ in range(4):  # a busy machine may take longer than the first second
        look(sampler, 0.7)
        if (found := sampler.end()) != NOTHING:
            break
    assert found != NOTHING


def test_cached_threads_are_taken_while_the_step_lasts(program: subprocess.Popen[str]) -> None:
    server = Unnamed(clients=0, cached=3)
    clients = UnnamedClientThreads(f"/proc/{program.pid}/task", server.query, Unnamed.connect)
    clients.begin_step(4)
    assert clients.taken == 3 == len(Unnamed.taken)
    say(program)
    there = threads_in(f"/proc/{program.pid}/task")
    assert clients.find(there, 4) == set()  # they have not all connected
    server.clients = 4
    assert clients.find(there, 4) == there - {program.pid}
    clients.end_step()
    assert clients.taken == 0 == len(Unnamed.taken)


def test_no_more_threads_are_taken_than_connections_are_allowed(program: subprocess.Popen[str]) -> None:
    server = Unnamed(clients=0, cached=30, limit=90)
    clients = UnnamedClientThreads(f"/proc/{program.pid}/task", server.query, Unnamed.connect)
    clients.begin_step(60)  # one of Dyno, 60 clients, 30 taken
    assert clients.taken == 0
    clients.begin_step(55)
    assert clients.taken == 30


def test_a_server_that_is_gone_is_missing_and_said_once() -> None:
    log: list[str] = []
    sampler = ThreadSampler(lambda: (1 << 22) + 1, answering(), log.append, Unnamed.connect)
    for _ in range(2):
        sampler.begin_step(1)
        sampler.look()
        assert sampler.end() == NOTHING and sampler.in_step() is None and sampler.spent(1.0) == {}
        sampler.end_step()
    assert len(log) == 1 and log[0].startswith("what the server's threads did is missing: ")


def test_there_is_a_series_for_each_state() -> None:
    assert [each.name for each in SERIES] == [f"threads.{state}_pct" for state in STATES]


def test_shares_in_words_begin_with_the_largest() -> None:
    shares = {"running": 12.4, "lock": 61.0, "fsync": 0.4}
    assert shares_text(shares) == "61 % lock wait of unknown kind, 12 % running"
