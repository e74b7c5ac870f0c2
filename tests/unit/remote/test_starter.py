"""The starter, as old Pythons and many Dynos at once meet it; its refusals are tried over SSH too."""

from __future__ import annotations

import ast
import errno
import io
import json
import os
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from app.core.errors import InputError, TargetError
from app.remote import agent, starter
from app.remote.agent import RemoteAgent, starter_script
from app.remote.bundle import current_bundle, make_bundle
from app.remote.connection import LocalConnection
from app.remote.reach import reached
from app.targets.store import Targets


@pytest.fixture
def no_directory(tmp_path: Path) -> Path:
    (tmp_path / "there").mkdir()
    return tmp_path / "there" / "dyno"


def agent_in(directory: object) -> RemoteAgent:
    return RemoteAgent(LocalConnection(), str(directory), sys.executable)


def test_it_is_one_line_that_every_old_python_can_read() -> None:
    assert "\n" not in starter_script() and "'" not in starter_script() and "\\" not in starter_script()
    source = Path(agent.__file__).with_name("starter.py").read_text()
    tree = ast.parse(source, feature_version=(3, 4))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.JoinedStr | ast.AnnAssign | ast.NamedExpr | ast.Nonlocal)
        if isinstance(node, ast.FunctionDef):
            every = [*node.args.args, *node.args.kwonlyargs]
            assert node.returns is None and not any(each.annotation for each in every)
            assert not node.args.kwonlyargs
        if isinstance(node, ast.Raise):
            assert node.cause is None
    assert source.isascii()
    assert list(tokenize.generate_tokens(io.StringIO(source).readline))


def test_the_directory_is_made(no_directory: Path) -> None:
    assert agent_in(no_directory).deploy() == str(no_directory)
    assert no_directory.stat().st_mode & 0o777 == 0o700
    assert (no_directory / "agents" / f"{current_bundle().sha}.pyz").is_file()


def test_a_path_through_a_link_is_resolved(no_directory: Path, tmp_path: Path) -> None:
    (tmp_path / "there").rename(tmp_path / "real")
    (tmp_path / "there").symlink_to(tmp_path / "real")
    assert agent_in(no_directory).deploy() == str(tmp_path / "real" / "dyno")


def test_a_home_relative_directory_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    mine = agent_in("~/dyno/")
    assert mine.deploy() == mine.directory == str(tmp_path / "dyno")
    assert mine.status().locked is False


def test_relative_paths_are_wrong_input() -> None:
    with pytest.raises(InputError, match="relative/dyno is not absolute"):
        agent_in("relative/dyno").deploy()


def test_nothing_is_made_where_a_disk_may_not_be_mounted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"local: there is no {tmp_path}/disk to make .* mkdir -p"):
        agent_in(tmp_path / "disk" / "dyno").deploy()
    (tmp_path / "disk").symlink_to(tmp_path / "gone")
    with pytest.raises(InputError, match=f"there is no {tmp_path}/disk to make"):
        agent_in(tmp_path / "disk" / "dyno").deploy()
    assert os.listdir(tmp_path) == ["disk"]


@pytest.mark.parametrize("below", ["file/dyno", "file/more/dyno"])
def test_a_file_on_the_way(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is not a directory: name another one"):
        agent_in(tmp_path / below).deploy()


def test_a_directory_that_cannot_be_made() -> None:
    with pytest.raises(TargetError, match=r"local: /sys/dyno cannot be used: .*: name a directory"):
        agent_in("/sys/dyno").deploy()


@pytest.mark.parametrize(
    ("number", "todo"),
    [
        (errno.ENOSPC, "No space left on device: free some space, or name a directory on another disk"),
        (errno.EROFS, "Read-only file system: name a directory on a disk that is not mounted read-only"),
        (errno.EACCES, "Permission denied: name a directory that this user may write in"),
        (errno.EIO, "Input/output error: name another directory"),
    ],
)
def test_a_push_that_fails_says_what_to_do(monkeypatch: pytest.MonkeyPatch, number: int, todo: str) -> None:
    def fail(_directory: str, _sha: str) -> None:
        raise OSError(number, os.strerror(number), ".0a1b.4711")

    monkeypatch.setattr(starter, "push", fail)
    assert starter.push_agent_or_error("/srv/dyno", "0a1b") == {
        "error": f"/srv/dyno cannot be used: {todo}",
        "input": False,
    }


def test_this_computer_begins_with_nothing(dyno_home: Path) -> None:
    target = Targets().get("local")
    with reached(target, lambda _prompt: None) as agent:
        assert agent.directory == str(dyno_home / "target")
    assert dyno_home.stat().st_mode & 0o777 == 0o700


def test_an_empty_directory_is_taken_and_a_marked_one_kept(no_directory: Path) -> None:
    no_directory.mkdir(0o700)
    agent_in(no_directory).deploy()
    (no_directory / "more").write_text("")
    agent_in(no_directory).deploy()
    assert (no_directory / "more").exists()


def test_many_at_once_push_one_whole_file(no_directory: Path) -> None:
    bundle = current_bundle()
    command = [sys.executable, "-I", "-S", "-c", starter_script(), "push", str(no_directory), bundle.sha]
    started = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(6)]
    answers = [json.loads(process.communicate(bundle.content, timeout=30)[0]) for process in started]
    assert answers == [{"directory": str(no_directory), "there": True}] * 6
    assert os.listdir(no_directory / "agents") == [f"{bundle.sha}.pyz"]
    assert (no_directory / "agents" / f"{bundle.sha}.pyz").read_bytes() == bundle.content


def test_a_damaged_transfer_is_refused(no_directory: Path) -> None:
    bundle = current_bundle()
    command = [sys.executable, "-I", "-S", "-c", starter_script(), "push", str(no_directory), bundle.sha]
    said = subprocess.run(command, input=bundle.content[:-1], capture_output=True, timeout=30)
    assert "came through damaged" in json.loads(said.stdout)["error"]
    assert os.listdir(no_directory / "agents") == []


COUNTING = b"""import app, zipimport

print(zipimport._get_module_code.cache_info()[:2])
"""


def test_each_module_is_compiled_once(tmp_path: Path) -> None:
    bundle = make_bundle({"__main__.py": COUNTING, "app/__init__.py": b""})
    file = tmp_path / "dyno" / "agents" / f"{bundle.sha}.pyz"
    file.parent.mkdir(parents=True, mode=0o700)
    file.parent.parent.chmod(0o700)
    file.write_bytes(bundle.content)
    file.chmod(0o600)
    command = [sys.executable, "-I", "-S", "-c", starter_script(), "run", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert said.stdout == "(1, 2)\n", said  # taken from memory once, compiled twice: of each module
