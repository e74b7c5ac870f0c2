"""A screen of the test's own (Xvfb, openbox) and a person before it: mouse and keyboard through xdotool."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
START_S = 30.0
STEP_S = 0.05
DRAG_S = 0.2  # between two movements, and for the other program to take what is let go


def _any_display() -> str:
    """Workers do not see each other's processes, so that the first free one may be that of another worker."""
    return f":{random.randrange(100, 30_000)}"


class Screen:
    """An X server; everything that is started on it is ended with it."""

    def __init__(self, width: int, height: int) -> None:
        read, write = os.pipe()
        self.size = (width, height)
        command = ["Xvfb", _any_display(), "-displayfd", str(write), "-nolisten", "tcp"]
        command += ["-screen", "0", f"{width}x{height}x24"]
        self._server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as file:
            self.display = f":{file.readline().strip()}"
        self._desk = self._openbox()
        try:
            self._wait_for_desk()
        except AssertionError:
            self.close()
            raise

    def _openbox(self) -> subprocess.Popen[bytes]:
        nothing = subprocess.DEVNULL
        return subprocess.Popen(["openbox"], env=self.environment(), stdout=nothing, stderr=nothing)

    def _wait_for_desk(self) -> None:
        """A window that is shown just while openbox takes over is never painted."""
        end = time.monotonic() + START_S
        asked = ["xdotool", "get_num_desktops"]
        while subprocess.run(asked, env=self.environment(), capture_output=True).returncode:
            assert time.monotonic() < end, "openbox does not start"
            if self._desk.poll() is not None:  # it was before the X server, or lost it
                self._desk = self._openbox()
            time.sleep(STEP_S)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {key: value for key, value in os.environ.items() if key != "QT_QPA_PLATFORM"}
        return {**kept, "DISPLAY": self.display, "LC_ALL": "C.UTF-8", **more}

    def close(self) -> None:
        for process in (self._desk, self._server):
            process.terminate()
            process.wait(10)


class Person:
    """Sits before a window of Dyno: sees what it says, clicks and types."""

    def __init__(self, screen: Screen, home: Path, folder: Path, scale: str = "1") -> None:
        self._screen = screen
        self._name = str(folder / "inspected")
        self._log = (folder / "window.out").open("ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.ui.inspected"],
            cwd=ROOT,
            env=screen.environment(DYNO_HOME=str(home), DYNO_INSPECTED=self._name, QT_SCALE_FACTOR=scale),
            stdout=self._log,
            stderr=self._log,
        )
        self.wait_for(lambda: self.texts(), "the window is there", START_S)

    # seeing

    def ask(self, **question: Any) -> Any:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(10)
            try:
                asked.connect(self._name)
                asked.sendall(json.dumps(question).encode() + b"\n")
                with asked.makefile() as answer:
                    return json.loads(answer.readline() or "[]")
            except (ConnectionError, FileNotFoundError):  # not there yet, or not any more
                return []

    def texts(self) -> list[str]:
        return list(self.ask(texts=True))

    def sees(self, part: str) -> bool:
        """Whether some control or label says this, or a part of it."""
        return any(part in text for text in self.texts())

    def find(self, name: str) -> dict[str, Any]:
        found = self.ask(find=name)
        assert found, f"nothing shown is named {name!r}; there is: {self.texts()}"
        return dict(found[0])

    def table(self, name: str) -> list[list[dict[str, Any]]]:
        found = self.ask(table=name)
        assert found, f"no table {name!r} is shown; there is: {self.texts()}"
        return list(found[0])

    def rows(self, name: str) -> list[list[str]]:
        """None while the table is not shown."""
        return [[cell["text"] for cell in row] for table in self.ask(table=name)[:1] for row in table]

    def wait_for(self, what: Any, text: str, limit_s: float = 30.0) -> None:
        end = time.monotonic() + limit_s
        while not what():
            assert self.process.poll() is None, f"the window has ended: {self.output()}"
            assert time.monotonic() < end, f"not within {limit_s:g} s: {text}; there is: {self.texts()}"
            time.sleep(STEP_S)

    def wait_to_see(self, part: str, limit_s: float = 30.0) -> None:
        self.wait_for(lambda: self.sees(part), f"{part!r} is seen", limit_s)

    def output(self) -> str:
        return Path(self._log.name).read_text()

    # doing

    def click(self, name: str, button: int = 1) -> None:
        """In the middle of a control, once it can be clicked."""
        self.wait_for(
            lambda: any(each["enabled"] for each in self.ask(find=name)), f"{name!r} can be clicked"
        )
        self.click_at(self.find(name)["rect"], button)

    def click_at(self, rect: Sequence[int], button: int = 1) -> None:
        x, y = rect[0] + rect[2] // 2, rect[1] + rect[3] // 2
        self._xdotool("mousemove", str(x), str(y), "click", str(button))

    def drag_file(self, file: Path, rect: Sequence[int]) -> None:
        """Out of the window of another program, and let it go over a control."""
        asked = [sys.executable, "-m", "tests.ui.dragged", str(file)]
        with subprocess.Popen(
            asked, cwd=ROOT, env=self._screen.environment(), stdout=subprocess.PIPE, text=True
        ) as source:
            assert source.stdout is not None and source.stdout.readline() == "shown\n"
            x, y = rect[0] + rect[2] // 2, rect[1] + rect[3] // 2
            self._xdotool("mousemove", "40", "30", "mousedown", "1")
            for at in (50, 60):
                self._xdotool("mousemove", str(at), "40")
            for aside in (20, 10, 0):  # a drag is seen by its movements
                time.sleep(DRAG_S)
                self._xdotool("mousemove", str(x + aside), str(y))
            time.sleep(DRAG_S)
            self._xdotool("mouseup", "1")
            time.sleep(DRAG_S)
            source.terminate()

    def press(self, *keys: str) -> None:
        """Keys as xdotool names them: ctrl+r, Tab, Return."""
        self.wait_for(lambda: self.ask(listens=True), "the window has the keyboard")
        for key in keys:
            self._xdotool("key", "--clearmodifiers", key)

    def type(self, text: str) -> None:
        self.wait_for(lambda: self.ask(listens=True), "the window has the keyboard")
        self._xdotool("type", "--delay", "5", text)

    def clipboard(self) -> str:
        """What was copied last: pasted by another program."""
        asked = [sys.executable, "-m", "tests.ui.pasted"]
        done = subprocess.run(
            asked, cwd=ROOT, env=self._screen.environment(), capture_output=True, text=True, timeout=30
        )
        return done.stdout

    def leave(self) -> None:
        """Close the window as the desktop does."""
        self.press("alt+F4")
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """The window closes, and the process with it; where it hangs instead, its output says where."""
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(1)
        assert self.process.poll() == 0, self.output()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(10)
        self._log.close()

    def _xdotool(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], env=self._screen.environment(), check=True, timeout=30)


@contextmanager
def screen_of(width: int = 1280, height: int = 800) -> Iterator[Screen]:
    screen = Screen(width, height)
    try:
        yield screen
    finally:
        screen.close()


@contextmanager
def person_before(screen: Screen, home: Path, folder: Path, scale: str = "1") -> Iterator[Person]:
    person = Person(screen, home, folder, scale)
    try:
        yield person
    finally:
        person.end()
