"""Allocator, NUMA policy and memory limit of real servers: in force, kept and compared, or refused."""

from __future__ import annotations

import math
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.agent.server.cgroup import RECORD, cgroup_limit_problem
from app.agent.server.memory import check_memory_library, find_library, mapped
from app.agent.survey.builds import environment
from app.agent.system.errors import AgentError
from app.protocol.events import Fact
from tests.installed import MARIADB, SERVER
from tests.integration.desktop import Desktop
from tests.sequences import INDEX, LOAD, own_sequence
from tests.waiting import wait_until

MB = 1 << 20
CONTENDER = f'[[contender]]\nbuild = "{MARIADB}"\nengine = "innodb"\n'
SMALL = "[mysqld]\ninnodb_buffer_pool_size=16M\nkey_buffer_size=8M\n"
PLAN = 'target = "local"\nsequence = "short"\nstart = "restarted"\n'
SEQUENCE = own_sequence("short", LOAD, INDEX, 'workload = "point-query"', tables=1, rows=500, threads=[1])


def plan_file(desktop: Desktop, *contenders: str) -> str:
    (desktop.home / "sequences" / "short.toml").write_text(SEQUENCE)
    path = desktop.home / "memory.toml"
    path.write_text(PLAN + "".join(f"\n{CONTENDER}{each}\n" for each in contenders))
    return str(path)


def memory_of(desktop: Desktop, session: str) -> dict[str, Any]:
    """What the session says of it in the end, and what the server itself called its allocator."""
    facts = {each.name: each.value for each in desktop.events(session) if isinstance(each, Fact)}
    return {**facts["memory"], "said": facts["variables"]["version_malloc_library"]}


@pytest.mark.full
def test_what_is_asked_for_is_in_force_kept_and_compared(desktop: Desktop) -> None:
    limit = "" if cgroup_limit_problem() else '\nmemory_limit = "640M"'
    first = f'preset = "small"\nallocator = "jemalloc"\nnuma = "interleave=all"{limit}'
    second = 'preset = "small"\nallocator = "tcmalloc"\nnuma = "membind=0"'
    write_small(desktop)
    running = desktop.begin("run", plan_file(desktop, first, second))
    wait_until(lambda: has_jemalloc(server_of_a_session(desktop)), "a server with jemalloc", 180)
    look_at(server_of_a_session(desktop), bool(limit))
    assert not has_jemalloc(desktop.agent_pid())
    said, _ = running.communicate(timeout=120)
    assert running.returncode == 0, said
    jemalloc, tcmalloc = (memory_of(desktop, each["id"]) for each in desktop.sessions())
    assert (jemalloc["said"].split()[0], tcmalloc["said"].split()[0]) == ("jemalloc", "tcmalloc")
    assert os.path.basename(tcmalloc["allocator"]).startswith("libtcmalloc_minimal.so")
    assert jemalloc["numa"].startswith("interleave:0")
    assert tcmalloc["numa"].startswith("bind:0")
    assert tcmalloc["limit_bytes"] is None
    if limit:
        assert jemalloc["limit_bytes"] == 640 * MB
        assert 32 * MB < jemalloc["used_bytes"] <= (jemalloc["peak_bytes"] or 640 * MB) <= 640 * MB
    check_compared(desktop)


def write_small(desktop: Desktop) -> None:
    folder = desktop.home / "presets" / "innodb"
    folder.mkdir(parents=True)
    (folder / "small.cnf").write_text(SMALL)


def server_of_a_session(desktop: Desktop) -> int:
    """Not that of a rehearsal, which is soon gone; 0 while there is none."""
    paths = desktop.target.glob("sessions/[0-9]*/server.pid")
    return next((int(path.read_text().split()[0]) for path in paths), 0)


def has_jemalloc(pid: int) -> bool:
    return any("libjemalloc.so" in each for each in mapped(pid))


def look_at(pid: int, is_limited: bool) -> None:
    """At the server itself, in words of the kernel alone."""
    assert " interleave:0" in Path(f"/proc/{pid}/numa_maps").read_text()
    groups = Path(f"/proc/{pid}/cgroup").read_text()
    assert ("/dyno-" in groups or ".scope" in groups) == is_limited


def check_compared(desktop: Desktop) -> None:
    ids = [each["id"] for each in desktop.sessions()]
    shown = desktop.dyno("session", "show", ids[0]).stdout
    assert "allocator /usr/lib" in shown
    desktop.dyno("report", *ids, "--out", str(desktop.home / "report.md"))
    differing = (desktop.home / "report.md").read_text()
    assert "libjemalloc.so.2" in differing
    assert "bind:0" in differing


def test_what_cannot_be_had_is_refused_before_anything_starts(desktop: Desktop) -> None:
    assert math.pi
    (libm,) = {each for each in mapped(os.getpid()) if os.path.basename(each).startswith("libm.so")}
    asked = (
        'allocator = "/etc/passwd"',
        f'allocator = "{libm}"',
        'allocator = "/gone.so"',
        'numa = "membind=63"',
    )
    said = desktop.refused("run", plan_file(desktop, *asked), code=1)
    assert said.startswith(f"nothing was started: /etc/passwd is not a shared library for {SERVER}: ")
    assert f"{libm} is not an allocator for {SERVER}, which has malloc from " in said
    assert "the allocator /gone.so does not exist" in said
    assert "numactl --membind=63 does not work here: " in said
    assert desktop.sessions() == []


@pytest.mark.full
@pytest.mark.build("mariadb-10.2")
def test_a_build_with_an_allocator_of_its_own_takes_no_other(
    build_path: Callable[[str], Path],
) -> None:
    server = str(build_path("mariadb-10.2") / "bin/mysqld")
    library = find_library("jemalloc")
    with pytest.raises(AgentError, match=f"^{server} has a built-in allocator and would not use {library}$"):
        check_memory_library(library, server, environment(os.path.dirname(os.path.dirname(server)), server))


@pytest.mark.full
@pytest.mark.skipif(bool(cgroup_limit_problem()), reason="no cgroup can be made here")
def test_the_group_of_a_killed_agent_goes_with_it(desktop: Desktop) -> None:
    write_small(desktop)
    plan = plan_file(desktop, 'preset = "small"\nmemory_limit = "640M"')
    running = desktop.begin("run", plan)
    wait_until(lambda: server_of_a_session(desktop) > 0, "a server", 180)
    (record,) = desktop.target.glob(f"sessions/[0-9]*/{RECORD}")
    group = Path(record.read_text())
    os.kill(desktop.agent_pid(), signal.SIGKILL)
    running.communicate(timeout=60)
    wait_until(lambda: not group.exists(), "its group is gone", 20)
    desktop.dyno("run", plan)


def test_a_server_that_needs_more_than_its_limit_is_told(desktop: Desktop) -> None:
    write_small(desktop)
    said = desktop.refused("run", plan_file(desktop, 'preset = "small"\nmemory_limit = "32M"'), code=1)
    expected = cgroup_limit_problem() or "it needed more than its memory limit and was killed"
    assert expected in said
    # other tests may rehearse at this moment
    wait_until(lambda: not list(Path("/sys/fs/cgroup").glob("**/dyno-rehearsal*")), "its cgroup is gone", 180)
