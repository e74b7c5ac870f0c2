"""Carry out once more, alone, what failed while five workers kept two cores busy.

    python -m tests.running.again OPTIONS        those of the run for its workers, of which one is left

Tests with real servers and windows wait for times that a busy machine does not keep. A test that passes alone
is named, so that somebody makes it say what it means; one that fails again has failed. Nothing is tried after
more than three failures, after one of a unit test, or after the crash of a worker, which ends a run at once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CACHE = Path(".pytest_cache/v")
CRASHED = "dyno/crashed"
MOST = 3
TRIED = ("tests/integration/", "tests/ui/")


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, sched: Any) -> None:
    """A hook of pytest-xdist."""
    sched.config.cache.set(CRASHED, crashitem)


def failures(cache: Path = CACHE) -> list[str]:
    """The tests that failed, without the group that pytest-xdist puts behind a name."""
    found = cache / "cache/lastfailed"
    names = json.loads(found.read_text()) if found.exists() else {}
    return sorted(name if name.endswith("]") else name.partition("@")[0] for name in names)


def may_try(failed: list[str], cache: Path = CACHE) -> bool:
    """Whether they may be tried again."""
    timed = all(name.startswith(TRIED) for name in failed)
    return 0 < len(failed) <= MOST and timed and not (cache / CRASHED).exists()


def main() -> int:
    failed = failures()
    if not may_try(failed):
        return 1
    print(f"Once more, alone: {len(failed)} tests that failed beside others.", flush=True)
    code = subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:], "-n", "1", *failed]).returncode
    print(
        "Passed only alone:" if code == 0 else "Failed beside others, at least one alone, too:",
        *failed,
        sep="\n  ",
    )
    return code


if __name__ == "__main__":
    sys.exit(main())
