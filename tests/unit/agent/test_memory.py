"""What a contender asks for the memory of its server: how it is brought about, and when it is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from app.agent.server import memory
from app.agent.server.memory import (
    ServerMemory,
    check_memory_library,
    check_policy,
    find_library,
    library_of,
    mapped,
    numa_policies,
)
from app.agent.server.program import ProgramOutput
from app.agent.system.errors import AgentError

LDCONFIG = """2 libs found in cache `/etc/ld.so.cache'
\tlibjemalloc.so.2 (libc6,x86-64) => /lib/x86_64-linux-gnu/libjemalloc.so.2
\tlibtcmalloc_minimal_debug.so.4 (libc6,x86-64) => /lib/x86_64-linux-gnu/libtcmalloc_minimal_debug.so.4
\tlibtcmalloc_minimal.so.4 (libc6,x86-64) => /lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4
"""
BINDING = "{:>10}:\tbinding file /usr/sbin/mysqld [0] to {} [0]: normal symbol `malloc' [GLIBC_2.2.5]\n"


def asked(monkeypatch: pytest.MonkeyPatch, answer: ProgramOutput) -> None:
    monkeypatch.setattr(memory, "ask", lambda *_: answer)


def test_a_name_is_a_library_as_the_loader_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, ProgramOutput(0, LDCONFIG, ""))
    assert find_library("jemalloc") == "/lib/x86_64-linux-gnu/libjemalloc.so.2"
    assert find_library("tcmalloc") == "/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4"
    asked(monkeypatch, ProgramOutput(0, "", ""))
    with pytest.raises(AgentError, match="the allocator jemalloc is not installed"):
        library_of("jemalloc")


def test_a_path_is_itself_if_it_is_there(tmp_path: Path) -> None:
    (tmp_path / "lib.so").touch()
    assert library_of(str(tmp_path / "lib.so")) == str(tmp_path / "lib.so")
    assert library_of("") == ""
    with pytest.raises(AgentError, match=r"gone\.so does not exist"):
        library_of(str(tmp_path / "gone.so"))


def test_only_the_server_loads_the_allocator(tmp_path: Path) -> None:
    asking = ServerMemory({"server": "mysqld", "allocator": "/a.so", "numa": "interleave=all"}, str(tmp_path))
    asking._library = "/a.so"
    command = asking.wrap_command(["mysqld", "--x"])
    assert command == ["numactl", "--interleave=all", "env", "LD_PRELOAD=/a.so", "mysqld", "--x"]
    assert ServerMemory({"server": "mysqld"}, str(tmp_path)).wrap_command(["mysqld"]) == ["mysqld"]


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (
            "ERROR: ld.so: object '/a.so' from LD_PRELOAD cannot be preloaded (invalid ELF header): ignored.",
            "/a.so is not a shared library for /usr/sbin/mysqld: invalid ELF header",
        ),
        (
            BINDING.format(1, "/lib/libc.so.6"),
            "/a.so is not an allocator for /usr/sbin/mysqld, which has malloc from /lib/libc.so.6",
        ),
        (  # as mariadb-10.2.11 of its own tarball is, with jemalloc
            BINDING.format(1, "/usr/sbin/mysqld"),
            "/usr/sbin/mysqld has a built-in allocator and would not use /a.so",
        ),
    ],
)
def test_the_loader_says_what_is_no_allocator(
    monkeypatch: pytest.MonkeyPatch, said: str, complaint: str
) -> None:
    asked(monkeypatch, ProgramOutput(0, "", said))
    with pytest.raises(AgentError, match=complaint):
        check_memory_library("/a.so", "/usr/sbin/mysqld", {})


def test_the_loader_is_content_with_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, ProgramOutput(0, "", BINDING.format(1, "/a.so")))
    check_memory_library("/a.so", "/usr/sbin/mysqld", {})


def test_a_library_without_malloc_is_refused_by_the_loader_of_this_machine() -> None:
    """Asked of a real program, which has its malloc from libc."""
    (libm,) = {each for each in _libraries() if os.path.basename(each).startswith("libm.so")}
    with pytest.raises(
        AgentError, match=r"is not an allocator for /usr/bin/env, which has malloc from .*libc"
    ):
        check_memory_library(libm, "/usr/bin/env", {})
    with pytest.raises(AgentError, match="/etc/passwd is not a shared library for /usr/bin/env: "):
        check_memory_library("/etc/passwd", "/usr/bin/env", {})


def _libraries() -> set[str]:
    import math

    assert math.pi
    return mapped(os.getpid())


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        ({"allocator": "/a.so"}, "the allocator is not in force: /a.so is not in /proc/"),
        ({"numa": "membind=0"}, "NUMA policy membind=0 is not in force: .* says default"),
        ({"memory_limit": 12345678}, "the memory limit is not in force: .*, not 12345678"),
    ],
)
def test_what_is_not_in_force_is_refused(wanted: dict[str, Any], complaint: str, tmp_path: Path) -> None:
    """Of this very process, which nobody has given any of it."""
    asking = ServerMemory({"server": "mysqld", **wanted}, str(tmp_path))
    asking._library = str(wanted.get("allocator", ""))
    with pytest.raises(AgentError, match=complaint):
        asking.verify(os.getpid())


def test_what_nobody_asked_for_is_told_as_it_is(tmp_path: Path) -> None:
    usual = ServerMemory({"server": "mysqld"}, str(tmp_path))
    usual.verify(os.getpid())
    found = usual.in_force()
    assert (found["allocator"], found["limit_bytes"], found["peak_bytes"]) == ("system", None, None)
    assert found["numa"] == (", ".join(sorted(numa_policies(os.getpid()))) or None)


def test_policies_as_the_kernel_calls_them(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["5581 interleave:0-1 file=/usr/sbin/mysqld", "7f01 prefer (many):0 anon=1", "7f02 bind:0 stack"]
    monkeypatch.setattr(memory, "read_lines", lambda _: iter(lines))
    assert numa_policies(1) == {"interleave:0-1", "prefer (many):0", "bind:0"}


def test_numactl_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(AgentError, match="numactl is not installed"):
        check_policy("interleave=all")
