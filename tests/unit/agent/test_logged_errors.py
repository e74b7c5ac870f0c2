"""What of an error log is told in the journal."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from app.agent.steps.running import ErrorLogCopier

LOG = """\
2026-11-23 0 [Warning] mysqld: unknown variable 'loose_ssl=0'
2026-11-23 0 [Note] InnoDB: ready
2026-11-23 0 [Warning] the disk is slow
"""


def test_what_a_preset_lets_be_ignored_is_no_warning(tmp_path: Path) -> None:
    path, told = tmp_path / "error.log", []
    path.write_text(LOG)
    journal: Any = SimpleNamespace(log=lambda text, level, source: told.append((text, level, source)))
    server: Any = SimpleNamespace(error_log=str(path))
    ErrorLogCopier(journal).write_new(server)
    assert told == [("2026-11-23 0 [Warning] the disk is slow", "warning", "server")]
