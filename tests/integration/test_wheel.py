"""The wheel carries everything: installed alone in an empty environment, Dyno finds its own files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "ui", "resources", "workloads", "cnf_presets")


@pytest.fixture(scope="module")
def dyno(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dyno command of an environment that holds the wheel and what it asks for."""
    folder = tmp_path_factory.mktemp("wheel")
    _copy_sources(folder / "source")
    _done([sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(folder / "source")])
    (wheel,) = folder.glob("*.whl")
    _done([sys.executable, "-m", "venv", str(folder / "venv")])
    pip = [str(folder / "venv/bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    _done([*pip, str(wheel)])
    return folder / "venv/bin/dyno"


def _copy_sources(into: Path) -> None:
    """A copy, for setuptools leaves folders behind in the tree it builds from."""
    caches = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, into / package, ignore=caches)
    for name in ("setup.cfg", "pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, into)


def _done(argv: Sequence[str], folder: Path | None = None) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(argv, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder_with_an_app(tmp_path: Path) -> Path:
    """A folder with packages named as Dyno's own, which must not be taken for them."""
    for package in PACKAGES:
        (tmp_path / "mine" / package).mkdir(parents=True)
        (tmp_path / "mine" / package / "__init__.py").write_text("raise SystemExit('not Dyno')\n")
    return tmp_path / "mine"


@pytest.mark.parametrize(
    ("noun", "entry"), [("workload", "point-query"), ("sequence", "duel"), ("preset", "default")]
)
def test_it_finds_its_own_files(dyno: Path, folder_with_an_app: Path, noun: str, entry: str) -> None:
    listed = _done([str(dyno), noun, "list"], Path("/"))
    assert entry in listed
    assert _done([str(dyno), noun, "list"], folder_with_an_app) == listed


def test_it_carries_every_shipped_file(dyno: Path) -> None:
    (site,) = dyno.parents[1].glob("lib/python*/site-packages")
    source = dyno.parents[2] / "source"
    shipped = [path for package in PACKAGES for path in (source / package).rglob("*") if path.is_file()]
    assert [path for path in shipped if not (site / path.relative_to(source)).is_file()] == []
