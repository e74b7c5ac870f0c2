"""Dyno without the libraries of the window; numpy and paramiko are imported where they are needed only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from configparser import ConfigParser
from pathlib import Path

import pytest

from app.cli.words import nouns
from app.core.desktop_needs import WINDOW
from tests import comparable

ROOT = Path(__file__).parents[2]
OF_WINDOW = ("PySide6", "shiboken6", "pyqtgraph")
SELDOM = ("numpy", "paramiko", "jinja2", "pymysql", "cryptography", "duckdb")
Run = Callable[..., subprocess.CompletedProcess[str]]

IMPORT_ALL = """
import importlib, pkgutil, app
for each in pkgutil.walk_packages(app.__path__, "app."):
    if not each.name.startswith("app.remote.starter") and not each.name.endswith("__main__"):
        importlib.import_module(each.name)
        print(each.name)
"""
ABSENT = """
import importlib
for name in {names!r}:
    try:
        importlib.import_module(name)
        print(name)
    except ModuleNotFoundError:
        pass
"""
COMMAND = "import sys; from ui.main import main; sys.argv[0] = 'dyno'; sys.exit(main())"
# what came of each command, in one process: its code, what it printed, which of these it has imported by then
COMMANDS = """
import contextlib, io, json, sys
from ui.main import main
found = []
for words in {commands!r}:
    sys.argv = ["dyno", *words]
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main()
        except SystemExit as end:
            code = end.code or 0
    loaded = sorted(set({seldom!r}) & sys.modules.keys())
    found.append([" ".join(words), code, bool(out.getvalue()), err.getvalue(), loaded])
print(json.dumps(found))
"""


def _site(folder: Path, absent: Sequence[str]) -> Path:
    """The libraries of this environment, without some."""
    folder.mkdir()
    for each in Path(sysconfig.get_path("purelib")).iterdir():
        if not each.name.lower().startswith(tuple(name.lower() for name in absent)):
            (folder / each.name).symlink_to(each)
    return folder


def _python(site: Path, home: Path) -> Run:
    """Runs code with these libraries alone, without a terminal or a display."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "TERM", "DYNO_COVERED")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"PYTHONPATH": f"{site}:{ROOT}", "DYNO_HOME": str(home)}

    def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-S", "-c", code, *words]
        pipes = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
        return subprocess.run(argv, cwd="/", env=environment, timeout=120, **pipes)  # type: ignore[call-overload]

    return run


@pytest.fixture
def headless(tmp_path: Path, dyno_home: Path) -> Run:
    """A Python without the libraries of the window and without numpy."""
    run = _python(_site(tmp_path / "site", (*OF_WINDOW, "numpy")), dyno_home)
    assert run(ABSENT.format(names=(*OF_WINDOW, "numpy", "numpy.linalg"))).stdout == ""
    return run


@pytest.fixture
def session_names(dyno_home: Path) -> list[str]:
    """Sessions of two contenders, with steps of seconds."""
    return list(comparable.keep(dyno_home, comparable.plan(2, 3)))


def test_all_of_app_is_imported_without_window_and_numpy(headless: Run) -> None:
    done = headless(IMPORT_ALL)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) > 400


def test_each_command_explains_itself_without_them(headless: Run) -> None:
    code = f"""
import contextlib, io
from app.cli import main
for noun in {sorted(nouns())!r}:
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        main([noun, "--help"])
    assert said.getvalue().startswith("usage: dyno"), noun
"""
    done = headless(code)
    assert done.returncode == 0, done.stderr


def test_what_reads_no_seconds_needs_none_of_them(headless: Run, session_names: list[str]) -> None:
    a, b = session_names[:2]
    commands = [
        ["--version"], ["session", "list"], ["session", "show", a], ["session", "settings", a],
        ["plan", "list"], ["compare", a, b], ["compare", a, b, "--json"],
        ["gate", b, a, "--difference", "50"], ["chart", "bars", a, b], ["target", "list"],
        ["workload", "list"], ["sequence", "list"], ["preset", "list"], ["doctor"], ["status"],
    ]  # fmt: skip
    done = headless(COMMANDS.format(commands=commands, seldom=OF_WINDOW))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[" ".join(words), 0, True, "", []] for words in commands]


def test_the_window_says_in_one_line_what_to_install(headless: Run) -> None:
    done = headless(COMMAND)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and not done.stdout
    assert done.stderr.startswith(f"dyno: the window is not installed: {sys.executable} -m pip install ")
    assert all(f"'{each}'" in done.stderr for each in WINDOW.values())
    assert any(
        line.startswith("the window is not installed")
        for line in headless(COMMAND, "doctor").stdout.splitlines()
    )


def test_a_picture_says_so_too_and_numbers_are_written(
    headless: Run, session_names: list[str], tmp_path: Path
) -> None:
    picture, numbers = tmp_path / "bars.png", tmp_path / "bars.csv"
    done = headless(COMMAND, "chart", "bars", *session_names[:2], "--out", str(picture))
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and not picture.exists()
    said = f"dyno: {picture} cannot be drawn, save as .csv instead: the window is not installed: "
    assert done.stderr.startswith(said)
    assert headless(COMMAND, "chart", "bars", *session_names[:2], "--out", str(numbers)).returncode == 0
    assert numbers.read_text().count("\n") > 3


def test_a_window_that_lacks_one_package_names_that_alone(tmp_path: Path, dyno_home: Path) -> None:
    done = _python(_site(tmp_path / "site", ["pyqtgraph"]), dyno_home)(COMMAND)
    assert "pyqtgraph" in done.stderr and "PySide6" not in done.stderr and done.stderr.count("\n") == 1


def test_what_is_seldom_needed_is_not_imported_where_it_is_there(
    tmp_path: Path, dyno_home: Path, session_names: list[str]
) -> None:
    a, b = session_names[:2]
    commands = [
        ["--help"], ["run", "--help"], ["session", "list"], ["plan", "list"], ["compare", a, b],
        ["gate", b, a, "--difference", "50"],
    ]  # fmt: skip
    seconds = ["session", "series", a, "point-query threads=1"]
    run = _python(_site(tmp_path / "site", ()), dyno_home)
    done = run(COMMANDS.format(commands=[*commands, seconds], seldom=SELDOM + OF_WINDOW))
    assert done.returncode == 0, done.stderr
    *found, of_seconds = json.loads(done.stdout)
    assert found == [[" ".join(words), 0, True, "", []] for words in commands]
    assert of_seconds[-1] == ["numpy"]


def test_the_line_names_what_setup_cfg_has() -> None:
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert setup["options.extras_require"]["window"].split() == list(WINDOW.values())
    assert not [each for each in WINDOW.values() if each in setup["options"]["install_requires"]]
