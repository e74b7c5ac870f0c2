"""Wheel and sdist carry everything: Dyno finds its own files in an empty environment, and starts there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "ui", "resources", "workloads", "cnf_presets")


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and sdist, and the sources that they were made of."""
    folder = tmp_path_factory.mktemp("dist")
    copy_sources(folder / "source")
    _done([sys.executable, "-m", "build", "--outdir", str(folder), str(folder / "source")])
    return folder


@pytest.fixture(scope="module")
def dyno(dist: Path) -> Path:
    """The dyno command of an environment that holds the wheel; what it asks for is that of the tests."""
    (wheel,) = dist.glob("*.whl")
    _install(dist / "venv", "--no-deps", str(wheel))
    (site,) = dist.glob("venv/lib/python*/site-packages")
    (site / "others.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return dist / "venv/bin/dyno"


def _install(venv: Path, *packages: str) -> None:
    _done([sys.executable, "-m", "venv", "--without-pip", str(venv)])  # pip itself takes some seconds
    pip = [sys.executable, "-m", "pip", "--python", f"{venv}/bin/python"]
    _done([*pip, "install", "-q", "--disable-pip-version-check", *packages])


@pytest.fixture(scope="module", params=["pipx, wheel", "pipx, sdist", "uv, wheel", "uv, sdist"])
def tool(request: pytest.FixtureRequest, dist: Path, installers: Path) -> Path:
    """The environment that pipx or uv made for Dyno."""
    installer, _, kind = request.param.partition(", ")
    (package,) = dist.glob("*.whl" if kind == "wheel" else "*.tar.gz")
    home = dist / f"{installer} {kind}"
    if installer == "pipx":
        argv = [f"{installers}/bin/pipx", "install", "--python", sys.executable, f"{package}[window]"]
        _done(argv, PIPX_HOME=f"{home}", PIPX_BIN_DIR=f"{home}/bin", PIPX_MAN_DIR=f"{home}/man")
        return home / "venvs" / "dyno"
    argv = [
        f"{installers}/bin/uv",
        "tool",
        "install",
        "--python",
        sys.executable,
        f"dyno[window] @ file://{package}",
    ]
    _done(argv, UV_TOOL_DIR=f"{home}", UV_TOOL_BIN_DIR=f"{home}/bin", UV_CACHE_DIR=f"{dist}/cache")
    return home / "dyno"


@pytest.fixture(scope="module")
def installers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with pipx and uv."""
    venv = tmp_path_factory.mktemp("installers") / "venv"
    _install(venv, "pipx", "uv")
    return venv


def copy_sources(into: Path) -> None:
    """A copy, for setuptools leaves folders behind in the tree it builds from."""
    caches = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, into / package, ignore=caches)
    for name in ("setup.cfg", "pyproject.toml", "LICENSE", "README.md"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, into)


def _done(argv: Sequence[str], folder: Path | None = None, **more: str) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | more
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


@pytest.mark.full
@pytest.mark.parametrize(
    ("noun", "entry"), [("workload", "point-query"), ("sequence", "duel"), ("preset", "baseline")]
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


# where there is neither MariaDB nor sysbench

NOTHING_THERE = """
for each in /usr/sbin/mariadbd /usr/sbin/mysqld /usr/bin/sysbench; do
    [ ! -e $each ] || mount --bind /dev/null $each
done
exec "$@"
"""
SHOWN = """
import sys
import sysconfig
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QLabel
import ui.shell.application
from ui.main import main

def look():
    shown = [each for each in QApplication.allWidgets() if isinstance(each, QLabel) and each.isVisible()]
    text = "\\n".join(each.text() for each in shown)
    if "sysbench" in text:
        print(text)
        QApplication.closeAllWindows()

def make_application():
    application = made()
    QTimer(application, interval=100, timeout=look).start()
    return application

made, ui.shell.application.make_application = ui.shell.application.make_application, make_application
sys.argv = ["dyno"]
sys.exit(main())
"""


def _with_nothing(argv: Sequence[str], home: Path, folder: Path) -> str:
    """The output of a command on a machine without MariaDB and sysbench."""
    hidden = ["unshare", "--mount", "sh", "-c", NOTHING_THERE, "sh"]
    path = "/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {
        "HOME": str(home),
        "DYNO_HOME": f"{home}/dyno",
        "PATH": path,
        "QT_QPA_PLATFORM": "offscreen",
    }
    return _done([*hidden, *argv], folder, **environment)


@pytest.mark.full
@pytest.mark.root
@pytest.mark.timeout(900)
def test_what_pipx_and_uv_install_starts(tool: Path, folder_with_an_app: Path, tmp_path: Path) -> None:
    dyno = str(tool / "bin" / "dyno")
    for folder in (Path("/"), folder_with_an_app):
        assert _with_nothing([dyno, "--version"], tmp_path, folder).startswith("dyno ")
        assert "point-query" in _with_nothing([dyno, "workload", "list"], tmp_path, folder)
    shown = _with_nothing([str(tool / "bin" / "python"), "-c", SHOWN], tmp_path, Path("/"))
    print(shown)
    assert "sysbench is missing" in shown
