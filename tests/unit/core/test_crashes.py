"""The trace of a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

DIES = """
import os
from app.core.crashes import log_crashes

def dying():
    os.abort()

log_crashes()
dying()
"""


def _die(home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DYNO_HOME": str(home)}
    environment.pop("PYTHONFAULTHANDLER", None)
    return subprocess.run(
        [sys.executable, "-c", DIES], env=environment, capture_output=True, text=True, timeout=30, check=False
    )


def test_a_crash_leaves_its_stack_and_keeps_earlier_ones(tmp_path: Path) -> None:
    for number in (1, 2):
        assert _die(tmp_path / "home").returncode < 0
        log = tmp_path / "home" / "log" / "crashes.log"
        assert log.read_text().count("in dying") == number
        assert log.stat().st_mode & 0o777 == 0o600


def test_a_home_that_is_a_file_keeps_nobody_from_starting(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    assert _die(tmp_path / "home").returncode < 0
