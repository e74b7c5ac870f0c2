"""Where logind ends processes with the login, the agent starts over inside a scope, once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.agent.system.scope import own_command_line

# stands in for systemd-run: says how it was called, then is what it was to start
FAKE_SYSTEMD_RUN = """#!/bin/sh
echo "$@" >> {log}
while [ "${{1#--}}" != "$1" ]; do shift; done
exec "$@"
"""
PROGRAM = """
import sys
sys.path.insert(0, {root!r})
from app.agent.system import scope
scope.kills_user_processes = lambda: {kills}
scope.enter_scope()
print("inside", sys.stdin.read())
"""
ROOT = str(Path(__file__).parents[3])
SAY = f"""import sys; sys.path.insert(0, {ROOT!r})
from app.agent.system.scope import own_words; print(*own_words())"""


def enter(tmp_path: Path, *, kills: bool, has_scope: bool = True) -> tuple[str, list[str]]:
    """What the program said, and how systemd-run was called."""
    folder, log, program = tmp_path / "bin", tmp_path / "log", tmp_path / "agent.py"
    folder.mkdir()
    if has_scope:
        (folder / "systemd-run").write_text(FAKE_SYSTEMD_RUN.format(log=log))
        (folder / "systemd-run").chmod(0o755)
    program.write_text(PROGRAM.format(root=ROOT, kills=kills))
    environment = {**os.environ, "PATH": f"{folder}:/usr/bin:/bin" if has_scope else str(folder)}
    command = [sys.executable, "-I", str(program), "start", "--directory", "/d"]
    done = subprocess.run(
        command, input="plan", env=environment, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout.strip(), log.read_text().splitlines() if log.exists() else []


def test_it_starts_over_inside_a_scope_with_its_input_untouched(tmp_path: Path) -> None:
    said, calls = enter(tmp_path, kills=True)
    assert said == "inside plan"
    assert len(calls) == 2
    assert calls[0].endswith("--collect true")
    assert calls[1].endswith("agent.py start --directory /d")
    assert "--user --scope" in calls[1]


@pytest.mark.parametrize(("kills", "has_scope"), [(False, True), (True, False)])
def test_it_goes_on_as_it_is_where_none_is_needed_or_to_be_had(
    tmp_path: Path, kills: bool, has_scope: bool
) -> None:
    said, calls = enter(tmp_path, kills=kills, has_scope=has_scope)
    assert (said, calls) == ("inside plan", [])


def test_the_starter_is_started_again_too() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SAY, "run", "/d/agents/0a1b.pyz"], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["-c", *SAY.split(), "run", "/d/agents/0a1b.pyz"]
    assert own_command_line() == sys.orig_argv[1:]
