"""Load from other machines: two sshd of this one stand for them, over loopback."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import ssl
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.agent.system.directory import MarkedDirectory
from app.history.steps.conditions import conditions_text
from app.protocol.events import StepEnded
from app.protocol.load_link import Hello, encode
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.integration.netns import Network
from tests.integration.sshd import Sshd
from tests.plans import write
from tests.sequences import INDEX, LOAD, keep_own, own_sequence
from tests.waiting import beside, wait_until

NAMES = ("client-1", "client-2")
FROM = ("--clients-on", ",".join(NAMES), "--load-address", "127.0.0.1", "--allow-busy")
SMALL = {"seconds": 2, "warmup": 1, "threads": 3, "others_pct": 100}
PAIR = (f"{MARIADB}:innodb", f"{MARIADB}:myisam")


@pytest.fixture
def clients(desktop: Desktop, start_sshd: Callable[..., Sshd]) -> list[Sshd]:
    made = [start_sshd() for _ in NAMES]
    for sshd, name in zip(made, NAMES, strict=True):
        sshd.add_target(name, sshd.directory)
    return made


def last(desktop: Desktop) -> dict[str, Any]:
    found: dict[str, Any] = desktop.json("session", "show", "last")
    return found


def driven(desktop: Desktop, session: str) -> list[StepEnded]:
    """The ends of the steps behind load and index."""
    return [each for each in desktop.events(session) if isinstance(each, StepEnded)][2:]


def load_agent(sshd: Sshd) -> int:
    """The process that serves the plan there; 0: none."""
    holder = MarkedDirectory(sshd.directory).holder() if Path(sshd.directory, "lock").exists() else {}
    return int(holder.get("pid", 0))


def test_two_load_targets_drive_a_session(desktop: Desktop, clients: list[Sshd]) -> None:
    done = desktop.dyno("run", *desktop.plan(**SMALL), *FROM, "--details")
    assert "client-1 reaches 127.0.0.1: round trip" in done.stdout
    found = last(desktop)
    steps = {each["name"]: each for each in found["steps"]}
    assert all(each["state"] == "completed" for each in steps.values())
    loads = [each["load"] for each in found["steps"]]
    assert loads[:2] == [None, None]
    for load in loads[2:]:
        assert [(each["name"], each["threads"]) for each in load["targets"]] == [
            ("client-1", 2),
            ("client-2", 1),
        ]
        assert all(each["events"] > 0 and each["clock_error_ms"] < 50 for each in load["targets"])
        assert load["apart_ms"] < 500  # on a busy machine; at rest about 1
    assert all("tunnelled" in steps[name]["marks"] for name in ("point-query", "update-index"))
    query = driven(desktop, found["id"])[0]
    assert query.totals.clients == 3 and query.latency_ms["p99"] > 0
    events = sum(each["events"] for each in loads[2]["targets"])
    assert query.totals.events == events
    counted = sum(count for _, count in query.buckets)
    assert counted == pytest.approx(events, abs=4)  # events across the end of the warm-up
    series = desktop.json("session", "series", found["id"], "point-query", "--series", "load.queries")
    assert any(series["values"])
    assert "load from other machines" in desktop.dyno("session", "show", "last").stdout
    wait_until(lambda: not any(map(load_agent, clients)), "both load targets are free again")
    for sshd in clients:
        assert list(Path(sshd.directory, "sessions").iterdir()) == []
    again = desktop.refused("run", "--again", "last", "--queue", code=2)
    assert "cannot wait in the queue" in again


@pytest.mark.full
def test_load_targets_drive_slices_at_a_rate(desktop: Desktop, clients: list[Sshd]) -> None:
    words = desktop.plan(*PAIR, seconds=3, warmup=1, threads=3, others_pct=100, order="slices")
    desktop.dyno("run", *words, "--arrivals", "even", *FROM)
    for session in desktop.sessions():
        found = desktop.json("session", "show", session["id"])
        for step in driven(desktop, session["id"]):
            assert step.outcome == "completed" and step.in_force["slices"] >= 1
            assert 280 < step.schedule.achieved < 460  # 400 at rest: each step of tiny asks for it
            assert 1200 * 0.7 < step.totals.events < 1200 * 1.15 + 400  # what the warm-up left behind
        assert [len(each["load"]["targets"]) for each in found["steps"][2:]] == [2, 2]


@pytest.mark.full
def test_a_load_target_that_drops_out_ends_the_step_and_is_used_again(
    desktop: Desktop, clients: list[Sshd]
) -> None:
    words = desktop.plan(seconds=6, warmup=0, threads=2, others_pct=100)
    run = desktop.begin("run", *words, *FROM)
    agent = Path(desktop.home, "target")
    wait_until(lambda: _has_sample(agent), "the first step is measured", 180)
    pid = load_agent(clients[0])
    os.kill(pid, signal.SIGSTOP)
    try:
        wait_until(lambda: "dropped out" in _journal(agent), "its silence is noticed", 180)
    finally:
        os.kill(pid, signal.SIGCONT)
    run.communicate(timeout=120)
    steps = {each["name"]: each for each in last(desktop)["steps"]}
    assert steps["point-query"]["state"] == "failed"
    assert "the load target client-1 dropped out" in steps["point-query"]["reason"]
    assert steps["update-index"]["state"] == "completed"


@pytest.mark.full
def test_a_load_target_that_is_restarted_is_called_again(desktop: Desktop, clients: list[Sshd]) -> None:
    run = desktop.begin("run", *desktop.plan(seconds=6, warmup=0, threads=2, others_pct=100), *FROM)
    wait_until(lambda: _has_sample(desktop.target), "the first step is measured", 180)
    os.kill(load_agent(clients[0]), signal.SIGKILL)
    run.communicate(timeout=120)
    found = last(desktop)
    steps = {each["name"]: each for each in found["steps"]}
    assert "the load target client-1 dropped out" in steps["point-query"]["reason"]
    assert steps["update-index"]["state"] == "completed"
    assert [each["text"] for each in found["notes"]] == ["the load target client-1 was called again"]
    wait_until(lambda: not any(map(load_agent, clients)), "both load targets are free again")


def _hold_back(sshd: Sshd, stop: threading.Event) -> None:
    """Its sysbench gets a twentieth of the time that it asks for."""
    while not stop.wait(0.01):
        with contextlib.suppress(OSError):
            listed = (file.read_text() for file in Path(f"/proc/{load_agent(sshd)}/task").glob("*/children"))
            pids = [int(pid) for text in listed for pid in text.split()]
            for word, seconds in ((signal.SIGSTOP, 0.19), (signal.SIGCONT, 0.01)):
                for pid in pids:
                    os.kill(pid, word)
                time.sleep(seconds)


@pytest.mark.full
def test_a_load_target_that_hardly_drives_is_seen_in_the_step(desktop: Desktop, clients: list[Sshd]) -> None:
    keep_own(desktop.home, 'workload = "point-query"')  # at full speed: at a rate it catches up
    words = desktop.plan(sequence="own", rows=2000, seconds=4, warmup=0, threads=2, others_pct=100)
    run = desktop.begin("run", *words, *FROM)
    with beside(partial(_hold_back, clients[0])):
        run.communicate(timeout=120)
    for step in last(desktop)["steps"][2:]:
        slow, quick = (each["events"] for each in step["load"]["targets"])
        assert quick >= 4 * slow and "lopsided" in step["marks"], step["load"]
    shown = desktop.dyno("session", "show", "last").stdout
    assert f"client-1 drove {slow:,} events, client-2 {quick:,}" in shown


@pytest.mark.full
def test_load_targets_let_go_when_the_conductor_is_killed(desktop: Desktop, clients: list[Sshd]) -> None:
    run = desktop.begin("run", *desktop.plan(seconds=60, warmup=0, threads=2, others_pct=100), *FROM)
    wait_until(lambda: _has_sample(desktop.target), "the first step is measured", 180)
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    wait_until(lambda: not any(map(load_agent, clients)), "both have given up", 180)
    for sshd in clients:
        assert list(Path(sshd.directory, "sessions").iterdir()) == []
    run.communicate(timeout=120)
    assert desktop.sessions()[0]["state"] == "lost"
    desktop.dyno("run", *desktop.plan(**SMALL), *FROM)  # nothing stands in the way of the next plan
    assert last(desktop)["state"] == "completed"


@pytest.mark.full
def test_a_load_target_that_carries_out_a_plan_is_refused(desktop: Desktop, clients: list[Sshd]) -> None:
    desktop.dyno(
        "run", *desktop.plan(target="client-2", seconds=60), "--name", "other", "--detach", "--allow-busy"
    )
    done = desktop.dyno("run", *desktop.plan(**SMALL), *FROM, code=1)
    assert "client-2:" in done.stderr and "plan other" in done.stderr
    assert not desktop.agent_pid()
    desktop.dyno("stop", "--target", "client-2")


def _journal(target: Path) -> str:
    return "".join(path.read_text() for path in target.glob("sessions/*/journal.jsonl"))


def _has_sample(target: Path) -> bool:
    return '"kind":"sample"' in _journal(target).partition('"kind":"step_started","seq"')[2] and (
        _journal(target).count('"kind":"step_started"') >= 3
    )


def test_who_is_no_load_target_is_not_let_in(desktop: Desktop, clients: list[Sshd]) -> None:
    """A stranger on the network who finds the port, with a wrong token."""
    port = _free_port()
    words = desktop.plan(seconds=20, warmup=0, threads=2, others_pct=100)
    run = desktop.begin(
        "run", *words, "--clients-on", "client-1", "--load-address", f"127.0.0.1:{port}", "--allow-busy"
    )
    wait_until(lambda: load_agent(clients[0]), "the load target is called", 180)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10)) as stranger:
        stranger.sendall(encode(Hello("client-1", "0" * 64)))
        assert stranger.recv(100) == b""
    desktop.dyno("stop")
    run.communicate(timeout=120)
    assert last(desktop)["state"] == "stopped"
    wait_until(lambda: not load_agent(clients[0]), "the load target is free again")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.full
@pytest.mark.root
def test_sixteen_load_targets_over_a_network(desktop: Desktop, sixteen_targets: Network) -> None:
    names = [f"client-{number}" for number in range(1, 17)]
    for name, sshd in zip(names, sixteen_targets.sshds, strict=True):
        sshd.add_target(name, sshd.directory)
    words = desktop.plan(seconds=5, warmup=1, threads=32, others_pct=100)
    load = ("--clients-on", ",".join(names), "--load-address", sixteen_targets.here, "--allow-busy")
    desktop.dyno("run", *words, *load, "--detach", limit_s=300)
    desktop.dyno("follow", limit_s=120)  # the desktop was closed meanwhile
    found = last(desktop)
    for step in driven(desktop, found["id"]):
        assert step.outcome == "completed" and "tunnelled" not in step.marks
        assert step.totals.clients == 32
        assert step.totals.events == pytest.approx(2000, rel=0.05)  # 400 a second
    for step in found["steps"][2:]:
        assert [each["name"] for each in step["load"]["targets"]] == names
        assert all(each["threads"] == 2 and each["events"] > 0 for each in step["load"]["targets"])


VERSIONS = ("mysql-5.5", "mysql-5.6", "mysql-5.7", "mysql-8.0", "mysql-9.7")
OF_MYSQL = [pytest.param(name, marks=pytest.mark.build(name)) for name in VERSIONS]


@pytest.mark.full
@pytest.mark.parametrize("name", OF_MYSQL)
def test_load_targets_reach_each_version(
    desktop: Desktop, clients: list[Sshd], build_path: Callable[[str], Path], name: str
) -> None:
    """Each has its own way to make an account and to check a password."""
    desktop.dyno("target", "edit", "local", "--search-path", str(build_path(name)))
    (build,) = [each["name"] for each in desktop.json("build", "list") if each["name"].startswith(name)]
    desktop.dyno("run", *desktop.plan(f"{build}:innodb", **SMALL), *FROM)
    for step in driven(desktop, last(desktop)["id"]):
        assert step.outcome == "completed" and step.totals.clients == 3, step.reason


@pytest.mark.full
def test_load_targets_search_a_limit(desktop: Desktop, clients: list[Sshd]) -> None:
    search = 'name = "search"\nworkload = "point-query"\nlimit_ms = 200\ncap_s = 600'
    (desktop.home / "sequences/mine.toml").write_text(own_sequence("mine", LOAD, INDEX, search, threads=[4]))
    words = ("run", "--sequence", "mine", "--contender", f"{MARIADB}:innodb", "--others-pct", "100")
    desktop.dyno(*words, *FROM, limit_s=1000)
    step = last(desktop)["steps"][-1]
    assert step["state"] == "completed" and step["limit"]["rate"] > 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--clients-on", "client-1"), "load targets need load_address"),
        (("--load-address", "10.0.0.5"), "only for plans with load targets"),
        (("--clients-on", "local", "--load-address", "127.0.0.1"), "local is the target of the server"),
        (("--clients-on", "a,a", "--load-address", "127.0.0.1"), "names a twice"),
        (("--clients-on", "a", "--load-address", "8.8.8.8"), "8.8.8.8 is no private address"),
        (("--clients-on", "a", "--load-address", "0.0.0.0"), "0.0.0.0 is no private address"),
        (("--clients-on", "a", "--load-address", "nuc"), "like 10.0.0.5 or 10.0.0.5:7700, not 'nuc'"),
        (("--clients-on", "a", "--load-address", "10.0.0.5:x"), "like 10.0.0.5 or 10.0.0.5:7700"),
        (
            ("--clients-on", "a", "--load-address", "127.0.0.1", "--transport", "socket"),
            "leave transport out",
        ),
        (("--clients-on", "a", "--load-address", "127.0.0.1", "--cpus", "own"), "leave them out"),
        (("--clients-on", "a", "--load-address", "127.0.0.1"), "no target a"),
    ],
)
def test_wrong_load_targets_are_refused(desktop: Desktop, words: tuple[str, ...], reason: str) -> None:
    assert reason in desktop.refused("run", *desktop.plan(), *words, "--allow-busy")


def test_a_load_target_that_cannot_reach_the_server_is_named(desktop: Desktop, clients: list[Sshd]) -> None:
    words = ("--clients-on", "client-1", "--load-address", "10.255.255.1", "--allow-busy")
    done = desktop.dyno("run", *desktop.plan(), *words, code=1)
    assert "cannot listen on 10.255.255.1" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("workload", ["orders-specified", "accounts"])
def test_load_targets_leave_orders_and_accounts_consistent(
    desktop: Desktop, clients: list[Sshd], workload: str
) -> None:
    steps = (f'workload = "{workload.partition("-")[0]}-load"', f'workload = "{workload}"\nthreads = [5]')
    write(desktop.home / "sequences/mine.toml", own_sequence("mine", *steps, seconds=4))
    words = desktop.plan(f"{MARIADB}:innodb", rows=1000, others_pct=100)
    words[words.index("tiny")] = "mine"
    desktop.dyno("run", *words, *FROM)
    found = last(desktop)
    by_targets = next(each["load"] for each in found["steps"] if each["load"])
    assert [each["threads"] for each in by_targets["targets"]] == [3, 2]
    assert all(each["events"] > 0 for each in by_targets["targets"])
    assert "conditions held after the load and after the last step" in conditions_text(found["conditions"])
