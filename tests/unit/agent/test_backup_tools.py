"""The commands of a build that back up: whether they start."""

from __future__ import annotations

from pathlib import Path

from app.agent.server.backup_tools import DUMP, BackupTool

LACKS = "mysql: error while loading shared libraries: libncurses.so.5: cannot open shared object file"


def program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_the_first_program_that_does_not_start_says_why(tmp_path: Path) -> None:
    writes = program(tmp_path / "writes", '[ "$*" = "--no-defaults --version" ] && [ "$PLACE" = here ]')
    reads = program(tmp_path / "reads", f'echo "{LACKS}" >&2; exit 127')
    silent = program(tmp_path / "silent", "exit 3")
    assert BackupTool(DUMP, [writes]).problem({"PLACE": "here"}) == ""
    assert BackupTool(DUMP, [writes, reads]).problem({"PLACE": "here"}) == LACKS
    assert BackupTool(DUMP, [silent, reads]).problem({}) == f"{silent} does not start"
    assert "No such file" in BackupTool(DUMP, [str(tmp_path / "none")]).problem({})
