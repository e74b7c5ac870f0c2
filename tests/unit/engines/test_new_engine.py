"""An engine with one counter is a file, its presets and a row of the docs: no test wants more."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plans import changed

PROJECT = Path(__file__).parents[3]
ENGINE = """\
from __future__ import annotations

from .counter import rate
from .engine import Engine

ENGINE = Engine(
    "mroonga",
    "Mroonga",
    has_facts=True,
    plugin="ha_mroonga.so",
    counters=(rate("mroonga.rows_written", "handler_write", "rows written"),),
)
"""
STOCK = """\
# title: The build's own settings, memory aside
# purpose: Mroonga and the server as the build has them
# durability: the engine's own; a binary log only where the build writes one by itself
# source: Dyno

"""
LOADED = "[mariadb]\nplugin_load_add=ha_mroonga\n"
ROW = "| Aria | `aria` | the same |\n"
HAVING = '    "aria": (DEBIAN_12, "mariadb-11.4.5"),\n'
TESTS = (
    "tests/unit/engines/test_engines.py",
    "tests/unit/engines/test_panels.py",
    "tests/unit/engines/test_waits.py",
    "tests/unit/catalog",
    "tests/unit/agent/test_builds.py",
    "tests/unit/agent/test_counters.py",
    "tests/unit/test_docs.py",
    "tests/unit/test_imports.py",
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with one engine more."""
    skipped = shutil.ignore_patterns("__pycache__", ".*", "build", "dist", "*.egg-info")
    shutil.copytree(PROJECT, tmp_path / "dyno", ignore=skipped)
    its = tmp_path / "dyno"
    (its / "app/engines/mroonga.py").write_text(f'"""Mroonga, of MariaDB."""\n\n{ENGINE}')
    presets = its / "cnf_presets"
    (presets / "mroonga").mkdir()
    (presets / "mroonga/stock.cnf").write_text(STOCK + LOADED)
    baseline = (presets / "other/baseline.cnf").read_text()
    (presets / "mroonga/baseline.cnf").write_text(baseline.replace("[mariadb]\n", LOADED))
    changed(its / "docs/builds.md", ROW, f"{ROW}| Mroonga | `mroonga` | rows written |\n")
    tested = its / "tests/unit/catalog/test_preset_library.py"
    changed(tested, HAVING, HAVING + HAVING.replace("aria", "mroonga"))
    return its


@pytest.mark.full
def test_an_engine_with_one_counter_passes_the_tests(project: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    environment["PYTHONPATH"] = str(project)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *TESTS],
        cwd=project, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
