"""Instructions of real servers under valgrind: exact, by thread, and beside other work."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.protocol.events import Fact, StepEnded
from app.protocol.stacks import STACKS, Stacks, unpack
from tests.installed import MARIADB
from tests.integration.desktop import Desktop
from tests.running.builds import fetch

SPREADS = {"point-query": 0.01, "update-index": 0.01}  # between starts: a rate would be off by half


def _loop() -> None:
    while True:
        pass


@contextmanager
def busy_loops() -> Iterator[None]:
    loops = [multiprocessing.get_context("fork").Process(target=_loop, daemon=True) for _ in range(2)]
    for each in loops:
        each.start()
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.join()


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where reports are written."""
    monkeypatch.chdir(tmp_path)


def counts(desktop: Desktop) -> dict[tuple[str, str], list[float]]:
    """The instructions of each start, by contender and step."""
    found: dict[tuple[str, str], list[float]] = {}
    for entry in desktop.sessions():
        for step in desktop.json("session", "show", entry["id"])["steps"]:
            if step["unit"] == "instructions":
                found.setdefault((entry["contender"]["name"], step["name"]), []).append(step["value"])
    return found


def assert_stacks_are_exact(desktop: Desktop) -> None:
    """The first start of each contender has the stacks of its client: every instruction, and no sample."""
    for entry in desktop.sessions():
        events = desktop.events(entry["id"])
        facts = [Stacks(**each.value) for each in events if isinstance(each, Fact) and each.name == STACKS]
        assert len(facts) == len(SPREADS)
        ended = [each for each in events if isinstance(each, StepEnded)][-len(facts) :]
        for stacks, step in zip(facts, ended, strict=True):
            if entry["repeat"] > 1:
                assert "the first start" in stacks.problem and not stacks.on_cpu
                continue
            found = unpack(stacks.on_cpu)
            assert sum(found.values()) == stacks.on_samples
            assert abs(stacks.on_samples / stacks.events - step.value) < 0.01  # its digits
            assert not stacks.on_cut and all(stack.startswith("client;") for stack in found)
            assert any("dispatch_command" in stack for stack in found)
            reading = sum(counted for stack, counted in found.items() if ";vio_read" in stack)
            assert reading < stacks.on_samples / 10_000, "how long a client takes is no work of the server"
    plan = desktop.sessions()[0]["plan"]
    said = desktop.dyno("compare", plan, "--why", "point-query").stdout
    assert "instructions fewer than" in said and "functions without a name" in said  # of Debian's build
    assert "only in" in said and "may be inlined" in said and "sample" not in said


@pytest.mark.full
@pytest.mark.timeout(600)
def test_two_busy_loops_change_no_count(desktop: Desktop) -> None:
    words = ("work", MARIADB, "--steps", ",".join(SPREADS), "--starts", "1", "--allow-busy")
    with busy_loops():
        desktop.dyno(*words, limit_s=280)
    desktop.dyno(*words, limit_s=280)
    for (_, step), starts in counts(desktop).items():
        assert len(starts) == 2 and max(starts) / min(starts) - 1 < SPREADS[step]


@pytest.mark.full
@pytest.mark.timeout(600)
def test_two_starts_agree_and_engines_do_not(desktop: Desktop) -> None:
    steps = ("--steps", ",".join(SPREADS), "--starts", "2")
    said = desktop.dyno("work", MARIADB, f"{MARIADB}:myisam", *steps, "--allow-busy", limit_s=560).stdout
    found = counts(desktop)
    assert len(found) == 4
    for (_, step), starts in found.items():
        assert len(starts) == 2 and max(starts) / min(starts) - 1 < SPREADS[step]
    innodb, myisam = (found[f"{MARIADB}-{engine}", "point-query"][0] for engine in ("innodb", "myisam"))
    assert 30_000 < myisam < innodb < 100_000
    assert "fewer instructions than InnoDB" in said and "work, not speed" in said
    assert "engines leave different parts of a write to other threads" in " ".join(said.split())
    (first, *_) = desktop.sessions()
    facts = {each.name: each.value for each in desktop.events(first["id"]) if isinstance(each, Fact)}
    assert facts["valgrind"].startswith("3."), "which counted them"
    ended = [each for each in desktop.events(first["id"]) if isinstance(each, StepEnded)][-1]
    assert ended.per_query["other_instructions"] is not None
    assert ended.in_force["variables"]["loose_innodb_use_native_aio"] == "0"
    assert_stacks_are_exact(desktop)
    refused = desktop.refused("session", "script", first["id"], "--out", str(desktop.home / "script"), code=2)
    assert "which a script cannot repeat" in refused


@pytest.mark.full
@pytest.mark.timeout(300)
def test_a_stopped_count_leaves_no_server(desktop: Desktop) -> None:
    words = ("--steps", "read-only", "--starts", "1", "--allow-busy", "--detach")
    desktop.dyno("work", MARIADB, *words)
    end = time.monotonic() + 120
    while "read-only" not in (shown := desktop.dyno("status").stdout) and time.monotonic() < end:
        time.sleep(0.5)
    assert "read-only" in shown
    desktop.dyno("stop")
    desktop.dyno("follow", code=1)
    (entry,) = desktop.sessions()
    assert entry["state"] == "stopped"
    assert not desktop.server_pid()


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("build", ["mysql-5.6", "mysql-8.0", "mysql-9.7"])
def test_each_family_is_counted(desktop: Desktop, build: str) -> None:
    desktop.dyno("build", "install", str(fetch(build)), "--there")
    desktop.dyno("work", build, "--allow-busy", "--starts", "2", limit_s=850)
    found = counts(desktop)
    assert len(found) == 12
    assert all(max(starts) / min(starts) - 1 < 0.01 for starts in found.values())
