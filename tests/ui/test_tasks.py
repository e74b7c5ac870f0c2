"""Work off the GUI thread: it comes back, and nothing that the GUI thread owns ends on another thread."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from ui.core import tasks
from ui.core.channel import GuiThreadCallQueue
from ui.core.tasks import Tasks

HESITATION_S = 0.005


@pytest.fixture
def hesitating(dyno_home: Path) -> Iterator[Tasks]:
    """Its threads sleep after each call that they make: the GUI thread takes an answer before they go on."""

    def hesitate(frame: FrameType, event: str, _: object) -> None:
        if frame.f_code.co_filename == tasks.__file__ and event in ("return", "c_return"):
            time.sleep(HESITATION_S)

    channel = GuiThreadCallQueue()
    threading.setprofile(hesitate)
    made = Tasks(dyno_home, channel)
    threading.setprofile(None)
    yield made
    channel.close()
    made.close()


class Owner(QWidget):
    """Asks with closures over itself, as pages and dialogs do."""

    def __init__(self, ended: list[int]) -> None:
        super().__init__()
        self._label = QLabel("", self)
        self.heard: list[str] = []
        weakref.finalize(self, lambda: ended.append(threading.get_ident()))

    def ask(self, tasks: Tasks, work: Callable[[], object]) -> list[str]:
        heard = self.heard
        tasks.run(self, lambda: (self._label, work())[1], self._hear, self._hear)
        return heard

    def ask_long(self, tasks: Tasks) -> list[str]:
        heard = self.heard
        tasks.run_long(self, lambda tell: tell("half") or "whole", self._hear, self._hear, self._hear)
        return heard

    def _hear(self, value: object) -> None:
        self.heard.append(str(value))  # an error would hold its frames, and these the owner


def refuse() -> None:
    raise ValueError("no")


def test_no_widget_ends_on_a_pool_thread(qtbot: QtBot, hesitating: Tasks) -> None:
    ended: list[int] = []
    for _ in range(5):
        for begin in (
            lambda: Owner(ended).ask(hesitating, lambda: 1),
            lambda: Owner(ended).ask(hesitating, refuse),
            lambda: Owner(ended).ask_long(hesitating),
        ):
            heard = begin()
            qtbot.waitUntil(lambda heard=heard: bool(heard))  # type: ignore[misc]
    assert set(ended) == {threading.get_ident()}
    qtbot.waitUntil(lambda: len(ended) == 15)


def test_what_is_told_meanwhile_comes_first(qtbot: QtBot, hesitating: Tasks) -> None:
    owner = Owner([])
    qtbot.addWidget(owner)
    heard = owner.ask_long(hesitating)
    qtbot.waitUntil(lambda: len(heard) == 2)
    assert heard == ["half", "whole"]


def test_an_owner_that_is_gone_hears_nothing(qtbot: QtBot, hesitating: Tasks) -> None:
    owner = Owner([])
    owner.deleteLater()
    heard = owner.ask(hesitating, lambda: 1)
    other = Owner([])
    qtbot.addWidget(other)
    for _ in range(tasks.THREADS):
        asked = other.ask(hesitating, lambda: 2)
    qtbot.waitUntil(lambda: len(asked) == tasks.THREADS)
    assert heard == []


def test_after_closing_nothing_is_held(hesitating: Tasks) -> None:
    ended: list[int] = []
    for _ in range(20):
        Owner(ended).ask(hesitating, lambda: 1)
    hesitating.close()
    assert set(ended) == {threading.get_ident()}
    assert len(ended) == 20


def test_what_is_to_be_stored_behind_busy_threads_is_stored_at_closing(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(tasks, "CLOSE_S", 0.1)
    channel, owner, done = GuiThreadCallQueue(), Owner([]), threading.Event()
    made = Tasks(dyno_home, channel)
    stored: list[str] = []
    for _ in range(tasks.THREADS):
        made.run(owner, done.wait, print, print)
    made.run(owner, lambda: stored.append("read"), print, print)
    made.run(owner, refuse, print, print, stores=True)
    made.read(owner, lambda history: stored.append(history.path.name), print, print, stores=True)
    channel.close()
    made.close()
    assert stored == ["history.sqlite"]
    assert "not stored when the window was closed: no" in caplog.text
    done.set()
    made.close()
