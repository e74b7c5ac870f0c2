"""The agent file starts under every Python that is at hand, from 3.8 on, with nothing installed beside it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.protocol.events import StepEnded
from app.remote.bundle import current_bundle
from tests.integration.desktop import Desktop

IMPORT_ALL = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
for package in ("app.engines", "app.protocol", "app.stats", "app.agent"):
    folder = importlib.import_module(package).__path__
    for module in pkgutil.walk_packages(folder, package + "."):
        importlib.import_module(module.name)
from app.engines import KNOWN, engine_of
for engine in [*KNOWN.values(), engine_of("mroonga")]:
    engine.debt(lambda statement: [])
    engine.compression(lambda statement: [])
    engine.unwritten({}, lambda name, value, give: True, lambda statement: [])
    assert engine.commit({}) and engine.file_access({"innodb_flush_method": ""}) and engine.forced({}) == {}
    assert engine.give_key_cache("t", 1) and engine.bytes_per_row(1.0, "KEY_BLOCK_SIZE=8") and engine.counters
from app.stats.at_target.verdicts import cell_stopping_decisions
from app.stats.at_target.verdicts import StepResultPair, VerdictLimits
figures = (10.0, 10.2, 9.9, 10.1), (12.0, 12.3, 11.9, 12.1)
cells = [StepResultPair(*figures, column=1, by_round=by_round) for by_round in (False, True)]
assert cell_stopping_decisions(cells, VerdictLimits(repeatedly=True), 4) == ["better", "better"]
import pymysql
print("%d.%d" % sys.version_info[:2])
"""


def pythons_at_hand() -> Iterator[tuple[str, str]]:
    """Version and path of each Python from 3.8 to 3.13: on the PATH, of pyenv, and the one that runs this."""
    yield "{}.{}".format(*sys.version_info), sys.executable
    for minor in range(8, 14):
        name = f"python3.{minor}"
        found = [*Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/{name}"), shutil.which(name)]
        for path in filter(None, found):
            if _runs(str(path)):
                yield f"3.{minor}", str(path)
                break


def _runs(python: str) -> bool:
    done = subprocess.run([python, "-I", "-S", "-c", ""], capture_output=True, timeout=30)
    return done.returncode == 0  # pyenv's shims are there for versions that are not


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


PYTHONS = sorted(dict(pythons_at_hand()).items(), key=lambda at_hand: _number(at_hand[0]))
BETWEEN = [pytest.param(*each, marks=pytest.mark.full) for each in PYTHONS[1:-1]]


@pytest.mark.parametrize(("version", "python"), [PYTHONS[0], *BETWEEN, *PYTHONS[1:][-1:]])
def test_the_agent_file_starts(version: str, python: str, tmp_path: Path) -> None:
    agent = tmp_path / "agent.pyz"
    agent.write_bytes(current_bundle().content)
    argv = [python, "-I", "-S", "-W", "error", "-c", IMPORT_ALL, str(agent)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == (version, "")


def test_a_session_is_carried_out_under_the_oldest_python(desktop: Desktop) -> None:
    version, python = PYTHONS[0]
    if _number(version) >= sys.version_info[:2]:
        pytest.skip("no Python older than this one is here")
    desktop.dyno("target", "edit", "local", "--python", python)
    assert desktop.json("target", "survey", "local")["python"].startswith(f"{version}.")
    desktop.dyno("run", *desktop.plan(sequence="settled", seconds=1))
    (session,) = desktop.sessions()
    ended = [each.outcome for each in desktop.events(session["id"]) if isinstance(each, StepEnded)]
    assert ended == ["completed"] * 5
