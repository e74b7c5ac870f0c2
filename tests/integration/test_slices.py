"""A plan in slices: contenders that take turns, four a second, one server at work, the others stopped."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest

from app.agent.sampling.proc_files import parse_process
from app.agent.server.server import start_ticks
from app.history.store.distributions import counts_by_bucket, decode_distributions
from app.protocol.events import Event, LogEvent, MomentEvent, Sample, SessionEnded, StepEnded
from app.protocol.latency import counts_of
from app.protocol.states import DECIDED, IN_PART, UNDECIDABLE
from tests.installed import MARIADB
from tests.integration.desktop import READ, WRITE, Desktop
from tests.integration.on_target import journals
from tests.sequences import INDEX, LOAD, own_sequence
from tests.waiting import wait_until

TWO = (f"{MARIADB}:innodb", f"{MARIADB}:myisam")
SLICES = {"order": "slices", "seconds": 4, "warmup": 1}
SOON_S = 20.0
START_S = 180.0  # for two servers, and their load
LOOKS = (
    10  # in a row that see two at work: within a look the baton may change hands, not within each of so many
)


HOLDERS: list[int] = []  # the server at work, look by look


@pytest.fixture(scope="module")
def alternating(tmp_path_factory: pytest.TempPathFactory) -> Desktop:
    """A home from which a plan of two contenders in slices was carried out; never did two servers work."""
    HOLDERS.clear()
    made = Desktop(tmp_path_factory.mktemp("slices") / "dyno-home")
    running = made.begin("run", *made.plan(*TWO, **SLICES))
    wait_until(in_slices(made), "a slice of each", START_S)
    seen, together, most = set[int](), 0, 0
    while running.poll() is None:
        working = [pid for pid in servers(made) if not is_stopped(pid)]
        seen.update(working)
        HOLDERS.extend(working if len(working) == 1 else ())
        together = together + 1 if len(working) > 1 else 0
        most = max(together, most)
        time.sleep(0.01)
    said, _ = running.communicate()
    assert running.returncode == 0, said
    assert len(seen) == 2  # each had its turn
    assert most < LOOKS
    return made


def events_of(desktop: Desktop) -> list[list[Event]]:
    return [desktop.events(each["id"]) for each in desktop.sessions()]


def samples(events: list[Event], step: int) -> list[Sample]:
    return [each for each in events if isinstance(each, Sample) and each.step == step]


def ended(events: list[Event], step: int) -> StepEnded:
    (found,) = [each for each in events if isinstance(each, StepEnded) and each.step == step]
    return found


def test_one_works_at_a_time_there_and_back_again(alternating: Desktop) -> None:
    """Of 40 slices of each, two follow one another (A B B A); a slow machine makes them longer."""
    runs = [len(list(looks)) for _, looks in groupby(HOLDERS)]
    assert len(runs) >= 12, runs
    shares = [HOLDERS.count(server) / len(HOLDERS) for server in {*HOLDERS}]
    assert shares == pytest.approx([0.5, 0.5], abs=0.15)


@pytest.mark.parametrize("step", [READ, WRITE])
def test_both_have_the_same_slices(alternating: Desktop, step: int) -> None:
    first, second = (ended(events, step).in_force for events in events_of(alternating))
    assert first["slices"] == second["slices"]
    assert first["slices"] in range(4, 17)  # of a quarter of a second, or as long as a slow machine needs
    assert first["slice_s"] == second["slice_s"] == pytest.approx(4 / first["slices"], abs=0.001)


@pytest.mark.parametrize("step", [READ, WRITE])
def test_each_has_its_own_seconds_and_figures(alternating: Desktop, step: int) -> None:
    for events in events_of(alternating):
        done, seconds = ended(events, step), [each.s for each in samples(events, step)]
        assert seconds[:2] == [-1, 0]
        assert sorted({*seconds}) == seconds
        assert len(seconds) - 1 == min(4, done.in_force["slices"])
        assert done.outcome == "completed"
        assert done.seconds == pytest.approx(4.0, abs=0.8)  # a slice may end late on a busy machine
        assert done.value == pytest.approx(done.totals.queries / done.seconds, rel=0.001)
        assert sum(count for _, count in done.buckets) == done.totals.events
        measured_codes = [each.latency for each in samples(events, step) if each.s >= 0]
        assert counts_by_bucket(decode_distributions(measured_codes).total()) == counts_of(done.buckets)
        assert done.latency_ms["p99"] > 0
        measured = [each for each in samples(events, step) if each.s >= 0]
        # with what is done between slices, which a busy machine does slowly, but not the time of the other
        assert done.seconds - 0.1 <= sum(each.dt for each in measured) < 1.5 * done.seconds


def test_the_lengths_of_both_are_the_same(alternating: Desktop) -> None:
    first, second = ([each.dt for each in samples(events, READ)] for events in events_of(alternating))
    assert len(first) == len(second)
    apart = sorted(abs(one - other) for one, other in zip(first, second, strict=True))
    assert apart[len(apart) // 2] < 0.3  # one of them may end late on a busy machine


def test_a_rate_holds_in_the_time_of_each(alternating: Desktop) -> None:
    """The workloads of `tiny` ask for 400 events a second; none makes up for the time of the other."""
    for events in events_of(alternating):
        for step in (READ, WRITE):
            done = ended(events, step)
            rate = done.totals.events / done.seconds
            assert rate < 460 and (rate > 340 or "rate-missed" in done.marks)  # on a busy machine


def test_costs_are_those_of_its_own_time(alternating: Desktop) -> None:
    """The seconds of the other are not among them, and its server is not named as another program."""
    for events in events_of(alternating):
        done = ended(events, READ)
        assert done.per_query["machine_cpu_us"] * done.totals.queries < 2.2e6 * done.seconds * os.cpu_count()
        assert not done.others.stopped_s  # by Dyno's own signals
        names = [each.name for each in done.others.programs]
        assert not {"mariadbd", "mysqld"} & {*names} or os.environ.get("PYTEST_XDIST_WORKER")  # other tests


def servers(desktop: Desktop) -> list[int]:
    """The servers that live, of all sessions of the target."""
    found = []
    for path in desktop.target.glob("sessions/*/server.pid"):
        words = path.read_text().split(" ", 2)
        if len(words) == 3 and start_ticks(int(words[0])) == words[1]:
            found.append(int(words[0]))
    return found


def is_stopped(pid: int) -> bool:
    try:
        return parse_process(Path(f"/proc/{pid}/stat").read_bytes()).state == "T"
    except OSError:
        return True


def in_slices(desktop: Desktop, step: int = READ) -> Callable[[], bool]:
    """Whether both have had a slice of the step."""

    def has_begun() -> bool:
        found = journals(desktop)
        return len(found) == 2 and all(samples(events, step) for events in found)

    return has_begun


def processes(desktop: Desktop) -> list[str]:
    """Servers and load generators of the target that are there, by their command lines."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_text(errors="replace")
        except OSError:
            continue
        if f"{desktop.target}/sessions/" in text or ("--gate-fd" in text and "sysbench" in text):
            found.append(text.replace("\0", " ")[:200])
    return found


def loading(which: int) -> Callable[[Desktop], Callable[[], bool]]:
    """Whether so many sessions have begun their load."""

    def of(desktop: Desktop) -> Callable[[], bool]:
        return lambda: sum(bool(samples(events, 0)) for events in journals(desktop)) > which

    return of


@pytest.mark.full
@pytest.mark.parametrize(
    "when", [pytest.param(loading(1), id="the second loads"), pytest.param(in_slices, id="in slices")]
)
def test_with_the_agent_the_servers_of_all_end_stopped_ones_too(
    desktop: Desktop, when: Callable[[Desktop], Callable[[], bool]]
) -> None:
    rows = {"rows": 60_000} if when is not in_slices else {}
    running = desktop.begin("run", *desktop.plan(*TWO, **SLICES, **rows))
    wait_until(when(desktop), "the moment", START_S)
    assert servers(desktop)
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    wait_until(lambda: not processes(desktop), "servers and load have ended", 20)
    assert running.wait(60) != 0
    desktop.dyno("run", *desktop.plan(steps="load,index"))
    states = [each["state"] for each in desktop.sessions()]
    assert states.count("lost") == 2
    assert states.count("completed") == 1


@pytest.mark.full
def test_a_stop_ends_both(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(*TWO, **SLICES))
    wait_until(in_slices(desktop), "a slice of each", START_S)
    began = time.monotonic()
    desktop.dyno("stop")
    running.wait(60)
    assert time.monotonic() - began < SOON_S
    assert {each["state"] for each in desktop.sessions()} == {"stopped"}
    assert not processes(desktop)


@pytest.mark.full
def test_a_skip_is_for_all_contenders(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(*TWO, **{**SLICES, "seconds": 20}))
    wait_until(in_slices(desktop), "a slice of each", START_S)
    desktop.dyno("skip")
    assert running.wait(100) == 0
    for events in events_of(desktop):
        assert ended(events, READ).outcome == "skipped"
        assert ended(events, WRITE).outcome == "completed"


@pytest.mark.full
def test_a_server_that_dies_while_it_is_stopped_spoils_its_own_step_only(desktop: Desktop) -> None:
    running = desktop.begin("run", *desktop.plan(*TWO, **SLICES))
    wait_until(in_slices(desktop), "a slice of each", START_S)
    wait_until(lambda: any(is_stopped(pid) for pid in servers(desktop)), "a stopped server")
    os.kill(next(pid for pid in servers(desktop) if is_stopped(pid)), signal.SIGKILL)
    running.wait(100)
    outcomes = []
    for events in events_of(desktop):
        crashed = any(isinstance(each, MomentEvent) and each.name == "crash" for each in events)
        outcomes.append((crashed, ended(events, READ).outcome, ended(events, WRITE).outcome))
        assert isinstance(events[-1], SessionEnded)
        assert events[-1].outcome == "completed"
    assert sorted(outcomes) == [(False, "completed", "completed"), (True, "failed", "completed")]


@pytest.mark.full
def test_a_plan_until_decided_ends_when_it_is(desktop: Desktop) -> None:
    """InnoDB writes each commit to its log, MyISAM has none: a few rounds tell."""
    how = {**SLICES, "seconds": 2, "repeats": "until-decided"}
    drives = 'workload = "point-query"', 'workload = "update-index"'
    fast = own_sequence("tiny", LOAD, INDEX, *drives, warmup=1)
    (desktop.home / "sequences/tiny.toml").write_text(fast)  # results at a rate are not judged
    desktop.dyno("run", *desktop.plan(*TWO, **how), limit_s=400)
    states = [(each["state"], each["reason"]) for each in desktop.sessions()]
    assert len(states) == 16
    carried_out = states.count(("completed", ""))
    not_needed = [reason for state, reason in states if state == "stopped"]
    assert 6 <= carried_out == 16 - len(not_needed) < 16, states
    assert {*not_needed} <= {DECIDED, IN_PART, UNDECIDABLE}  # a busy machine is a noisy one
    found = desktop.json("compare", *[each["id"] for each in desktop.sessions()])
    assert {len(each["ids"]) for each in found["sessions"]} == {carried_out // 2}
    assert {word for row in found["rows"] for word in row["verdict"] if row["kind"] == "drive"} <= {
        "base", "better", "worse", "same", "too small to matter", "~", "marked",
    }  # fmt: skip
    spared = next(each["id"] for each in desktop.sessions() if each["state"] == "stopped")
    said = [each.text for each in desktop.events(spared) if isinstance(each, LogEvent)]
    assert any(text.startswith(f"after {carried_out // 2} repeats: ") for text in said)
