"""What lets the workers of pytest-xdist run tests beside each other without seeing one another.

As root each worker is in a PID namespace of its own, as an agent refuses a plan while it sees another one
carried out. Its temporary files are in memory: servers on one disk wait for it. Where that is not
allowed, the tests that carry out plans share a worker.
"""

from __future__ import annotations

import gc
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import pytest

ORDER = ("tests/integration/", "tests/ui/", "")
ALONE = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
# the shell stays: it is the first process of its namespace, and takes in what has lost its parent
BEGIN = 'mount -t tmpfs -o mode=755 dyno-tests "$0" && mkdir "$0/w" && TMPDIR="$0" "$@"; exit $?'
PLAYED = ("tests/ui/test_keyboard.py", "tests/ui/test_walk.py")  # in a window, by a person
SHARED = ("password_user", "recorded_home")  # useradd locks the users; that session is carried out once
PLANNING = {"desktop", "recorded_home", "alternating"}  # fixtures with which a test carries out plans
PLACE = pytest.StashKey[str]()  # of the temporary files of the workers: each has a file system of its own


def can_be_alone() -> bool:
    """Whether namespaces and mounts are allowed here."""
    return os.geteuid() == 0 and subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose where the workers have their temporary files, before pytest does."""
    begins_workers = getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput")
    if begins_workers and not config.option.basetemp and can_be_alone():
        place = tempfile.mkdtemp(prefix="dyno-t-")
        config.add_cleanup(lambda: shutil.rmtree(place, ignore_errors=True))
        config.option.basetemp = f"{place}/w"
        config.stash[PLACE] = place


def pytest_xdist_setupnodes(config: pytest.Config, specs: list[Any]) -> None:
    """Called before the workers are started."""
    if PLACE in config.stash:
        begin = [*ALONE, "sh", "-c", BEGIN, config.stash[PLACE], sys.executable]
        for spec in specs:
            spec.python = shlex.join(begin)
            spec.env["DYNO_WORKER_ALONE"] = "1"


def group_of(item: pytest.Item) -> str:
    """Tests of one group share a worker: they use the same server, or would be in each other's way."""
    file, _, _ = item.nodeid.partition("::")
    fixtures: dict[str, Any] = item._fixtureinfo.name2fixturedefs  # type: ignore[attr-defined]
    if (PLANNING & {*fixtures} or file in PLAYED) and "DYNO_WORKER_ALONE" not in os.environ:
        return "plans"
    for fixture in SHARED:
        if fixture in fixtures:
            return fixture
    shared = any(each.scope == "module" for found in fixtures.values() for each in found)
    return file if shared or not file.startswith("tests/integration/") else ""


def share_out(items: list[pytest.Item]) -> None:
    """The longest first: at the end neither worker waits long for the other."""
    if moving := [item.nodeid for item in items if " at 0x" in item.nodeid]:
        raise pytest.UsageError(f"{moving[0]}: a name with an address differs between workers; give it ids")
    items.sort(key=_turn)
    for item in items:
        group = group_of(item)
        if group:
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Exclude what was collected from garbage collection (an eighth of the CPU of unit tests).

    A worker reads the group of a test from its name: a pytest in which names cannot be changed is refused.
    """
    gc.freeze()
    if hasattr(session.config, "workerinput"):
        grouped = [item.nodeid for item in session.items if item.get_closest_marker("xdist_group")]
        if not all("@" in name for name in grouped):
            raise pytest.UsageError(f"pytest {pytest.__version__} keeps no groups together: see setup.cfg")


def _turn(item: pytest.Item) -> int:
    return next(at for at, folder in enumerate(ORDER) if item.nodeid.startswith(folder))
