"""A memory limit: where a group can be made it holds, elsewhere it is said why there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.agent.sampling.process import quotas_of
from app.agent.server import cgroup
from app.agent.server.cgroup import (
    FIRST,
    SECOND,
    MemoryLimit,
    cgroup_limit_problem,
    make_group,
    memory_cgroup_of,
    remove_group,
)
from app.agent.system.errors import AgentError

MB = 1 << 20
WRITES = "[f.write(bytes(1 << 20)) for _ in range(96)]; f.flush(); print('written', flush=True); input()"
NEEDS_MORE = "block = bytearray({0} << 20); print(len(block) + sum(block[::4096]))"


def groups(monkeypatch: pytest.MonkeyPatch, root: Path, lines: str) -> None:
    """A machine whose groups lie in `root`, and on which every process is in these."""
    monkeypatch.setattr(cgroup, "CGROUPS", str(root))
    monkeypatch.setattr(cgroup, "read_lines", lambda _: iter(lines.splitlines()))


def test_groups_of_both_versions_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("memory/a/b", "user.slice/x.scope"):
        (tmp_path / path).mkdir(parents=True)
    groups(monkeypatch, tmp_path, "3:cpu:/z\n2:memory,hugetlb:/a/b\n0::/user.slice/x.scope")
    assert memory_cgroup_of("self") == (str(tmp_path / "memory/a/b"), FIRST)
    groups(monkeypatch, tmp_path, "0::/user.slice/x.scope")
    assert memory_cgroup_of("self") == (str(tmp_path / "user.slice/x.scope"), SECOND)
    groups(monkeypatch, tmp_path, "0::/not/seen/in/a/container")
    assert memory_cgroup_of("self") == (str(tmp_path), SECOND)


@pytest.mark.parametrize(
    ("lines", "word", "held"),
    [
        ("3:cpu,cpuacct:/a/b\n0::/c", "throttled_time", ["cpu/a/b", "cpu/a"]),
        ("2:memory:/c\n0::/a/b", "throttled_usec", ["a/b", "a"]),
        ("0::/", "throttled_usec", ["."]),  # a container, for which its own group is the top
    ],
)
def test_each_group_from_its_own_to_the_top_can_hold_a_process_back(
    lines: str, word: str, held: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for each in held:
        (tmp_path / each).mkdir(parents=True, exist_ok=True)
        (tmp_path / each / "cpu.stat").write_text(f"{word} 0\n")
    groups(monkeypatch, tmp_path, lines)
    assert [(path, of) for path, of, _ in quotas_of(os.getpid())] == [
        (str(tmp_path / each / "cpu.stat"), word) for each in held
    ]


def test_of_the_second_version_it_is_made_beside_the_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files stand for those that the kernel makes."""
    (tmp_path / "slice/own.scope").mkdir(parents=True)
    groups(monkeypatch, tmp_path, "0::/slice/own.scope")
    make = os.mkdir

    def make_as_the_kernel(path: str) -> None:
        make(path)
        for name in SECOND:
            Path(path, name).touch()

    monkeypatch.setattr(cgroup.os, "mkdir", make_as_the_kernel)
    made = Path(make_group("dyno-S", 64 * MB))
    assert made == tmp_path / "slice/dyno-S"
    assert ((made / "memory.max").read_text(), (made / "memory.swap.max").read_text()) == (str(64 * MB), "0")


def test_a_group_without_the_controller_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slice/own.scope").mkdir(parents=True)
    groups(monkeypatch, tmp_path, "0::/slice/own.scope")
    with pytest.raises(AgentError, match="slice cannot limit memory: the memory controller is not"):
        make_group("dyno-S", 64 * MB)
    assert not (tmp_path / "slice/dyno-S").exists()


def test_where_none_can_be_made_a_scope_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups(monkeypatch, tmp_path / "gone", "0::/")
    monkeypatch.setattr(cgroup, "can_scope", lambda: False)
    with pytest.raises(
        AgentError, match=r"cannot create a cgroup in .*gone: .*; and systemd cannot create a scope"
    ):
        MemoryLimit(64 * MB, str(tmp_path)).prepare()
    assert cgroup_limit_problem().endswith("(systemd-run --user --scope)")
    monkeypatch.setattr(cgroup, "can_scope", lambda: True)
    assert cgroup_limit_problem().endswith("and systemd does not delegate the memory controller to this user")
    handed = tmp_path / "gone/user.slice/user-{0}.slice/user@{0}.service".format(os.geteuid())
    monkeypatch.setattr(
        cgroup, "read_text", lambda path: {f"{handed}/cgroup.controllers": "cpu memory"}.get(path)
    )
    assert cgroup_limit_problem() == ""
    words = MemoryLimit(64 * MB, str(tmp_path)).prepare()
    assert words[:3] == ["systemd-run", "--user", "--scope"]
    assert words[-5:] == ["-p", "MemoryMax=67108864", "-p", "MemorySwapMax=0", "--"]


def test_a_limit_holds_here_or_it_is_said_why_not(tmp_path: Path) -> None:
    """A real process that needs more than it may have; on a machine without groups the refusal."""
    session = tmp_path / "SESSION"
    session.mkdir()
    limit = MemoryLimit(48 * MB, str(session))
    problem = cgroup_limit_problem()
    if problem:
        with pytest.raises(AgentError) as refused:
            limit.prepare()
        assert str(refused.value) == problem
        return
    before = limit.prepare()
    group = Path((session / cgroup.RECORD).read_text()) if not before else None
    try:
        assert _carried_out(limit, before, 16) == 0
        assert not limit.has_killed
        assert _carried_out(limit, before, 96) == -9
    finally:
        limit.remove()
    assert group is None or not group.exists()


def _carried_out(limit: MemoryLimit, before: list[str], megabytes: int) -> int:
    """The exit code of a process under the limit that takes so much memory, and what is read back of it."""
    program = "print('here', flush=True); input(); " + NEEDS_MORE.format(megabytes)
    process = subprocess.Popen(
        [*before, sys.executable, "-I", "-S", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=limit.enter,
    )
    assert process.stdout and process.stdout.readline() == b"here\n"
    limit.verify(process.pid)
    assert limit.in_force == 48 * MB
    assert 0 < (limit.used or 0) <= 48 * MB
    process.communicate(b"\n", timeout=60)
    assert limit.peak is None or limit.peak <= 48 * MB
    if process.returncode and not before:
        assert limit.has_killed
    return process.returncode


@pytest.mark.skipif(bool(cgroup_limit_problem()), reason="no cgroup can be made here")
def test_cached_files_count_and_make_room(on_disk: Path) -> None:
    """Twice as much as may be cached is written, and nobody is killed."""
    session = on_disk / "SESSION"
    session.mkdir()
    limit = MemoryLimit(48 * MB, str(session))
    before = limit.prepare()
    program = f"f = open({str(on_disk / 'file')!r}, 'wb'); " + WRITES
    process = subprocess.Popen(
        [*before, sys.executable, "-I", "-S", "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        preexec_fn=limit.enter,
    )
    try:
        with process:  # its pipes are closed even where this fails: no other test is blamed for them
            assert process.stdout and process.stdout.readline() == b"written\n"
            limit.verify(process.pid)
            assert 24 * MB < (limit.used or 0) <= 48 * MB
            process.communicate(b"\n", timeout=60)
            assert process.returncode == 0
    finally:
        process.kill()
        limit.remove()


def test_only_the_group_of_the_session_is_taken_away(tmp_path: Path) -> None:
    session, other = tmp_path / "S", tmp_path / "dyno-OTHER"
    session.mkdir()
    other.mkdir()
    (session / cgroup.RECORD).write_text(str(other))
    remove_group(str(session))
    assert other.exists()
    ours = tmp_path / "dyno-S"
    ours.mkdir()
    (session / cgroup.RECORD).write_text(str(ours))
    remove_group(str(session))
    assert not ours.exists()
    assert not (session / cgroup.RECORD).exists()
