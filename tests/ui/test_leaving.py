"""The window may be closed at any moment, also while a survey is under way on a busy machine."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.screen import ROOT, Screen, screen_of

AT_MOST_S = 6.0  # from the window's first sight until it is closed
OPEN_S, END_S = 60.0, 40.0
BUSY = 2  # programs beside it
START = "import sys; from ui.main import main; sys.exit(main())"


@pytest.fixture
def busy() -> Iterator[None]:
    """Programs that take all CPU time that they get."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    yield
    for program in programs:
        program.kill()
        program.wait()


def _xdotool(screen: Screen, *words: str) -> str:
    done = subprocess.run(["xdotool", *words], env=screen.environment(), capture_output=True, text=True)
    return done.stdout.strip()


def _wait_for_window(screen: Screen, window: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + OPEN_S
    while not (found := _xdotool(screen, "search", "--onlyvisible", "--name", "Dyno$")):
        assert window.poll() is None, "the window ended before it was seen"
        assert time.monotonic() < end, "no window is seen"
        time.sleep(0.02)
    return found.splitlines()[0]


def open_and_close(screen: Screen, home: Path, after_s: float) -> str:
    """What went wrong with a window that is closed so soon, with what it left in its log; '': nothing."""
    output = home.with_suffix(".out")
    with output.open("wb") as file:
        window = subprocess.Popen(
            [sys.executable, "-c", START],
            cwd=ROOT, env=screen.environment(DYNO_HOME=str(home)), stdout=file, stderr=file,
        )  # fmt: skip
        try:
            seen = _wait_for_window(screen, window)
            time.sleep(after_s)
            _xdotool(screen, "windowfocus", "--sync", seen, "key", "ctrl+q")
            code = window.wait(END_S)
        finally:
            window.kill()
    logs = [output, *sorted((home / "log").glob("*.log"))]
    said = "".join(f"{log.name}:\n{log.read_text()}" for log in logs if log.stat().st_size)
    return f"after {after_s:.2f} s: exit code {code}; {said}" if code or said else ""


@pytest.mark.usefixtures("busy")
@pytest.mark.parametrize(
    "times", [1, pytest.param(200, marks=[pytest.mark.full, pytest.mark.alone, pytest.mark.timeout(7200)])]
)
def test_it_is_closed_at_any_moment(tmp_path: Path, times: int) -> None:
    chance = random.Random(times)
    with screen_of() as screen:
        problems = [
            problem
            for at in range(times)
            if (problem := open_and_close(screen, tmp_path / f"home-{at}", chance.uniform(0, AT_MOST_S)))
        ]
    assert not problems, f"{len(problems)} of {times} starts:\n" + "\n".join(problems)


def _left_behind(home: Path, when: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.ui.left_behind", when],
        cwd=ROOT, capture_output=True, text=True, timeout=240,
        env={**os.environ, "DYNO_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip


def test_python_deletes_no_window_while_a_thread_is_at_work(dyno_home: Path) -> None:
    """The window gives up waiting for the thread, stores what it has, and leaves at once."""
    done = _left_behind(dyno_home, "0.5")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (dyno_home / "log" / "crashes.log").read_text() == ""


def test_a_thread_imports_pages_once_all_classes_of_qt_are_named(dyno_home: Path) -> None:
    """PySide makes a class when it is first named: two threads that did so at once crashed the window."""
    done = _left_behind(dyno_home, "imported")
    imported = [line for line in done.stdout.splitlines() if " imports " in line]
    assert any(" imports ui.pages.compare: 0 unnamed" in line for line in imported), done.stdout
    assert [line for line in imported if not line.endswith(": 0 unnamed")] == []
