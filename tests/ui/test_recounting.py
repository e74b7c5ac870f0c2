"""The window counts sessions that wait anew, while people work."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.history.lists.browsing import Filter, Order, browse, read_session_lines
from app.history.recorded import recounting
from app.history.recorded.recounting import recount_backlog
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History, HistoryBusyError, HistoryError
from tests import journals
from tests.uncounted import uncount
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.shell.recounting import Recounting
from ui.shell.window import Window

SESSIONS = 30


@pytest.fixture
def old_home(dyno_home: Path) -> Path:
    """Sessions without what the list shows of them."""
    plan = journals.plan(repeats=SESSIONS)
    with History(dyno_home) as history:
        for turn in plan.turns:
            maker = journals.Maker(plan, turn.session).begin()
            maker.step(1)
            maker.end()
            JournalStorer(history).append(plan.id, turn.session, 0, maker.raw)
    uncount(dyno_home)
    return dyno_home


@pytest.fixture
def old_window(
    old_home: Path, context: WindowContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> Window:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    monkeypatch.setattr("ui.shell.window.CALM_MS", 0)
    monkeypatch.setattr("ui.shell.recounting.SLICE_S", 0.0)
    monkeypatch.setattr("ui.shell.recounting.PAUSE_MS", 1)
    monkeypatch.setattr("ui.shell.recounting.AGAIN_MS", 10)
    window = Window(context)
    qtbot.addWidget(window)
    return window


def progress(window: Window) -> str:
    """What the status bar says of it."""
    texts = [label.text() for label in window.statusBar().findChildren(QLabel)]
    return next((text for text in texts if text.startswith("Updating")), "")


def test_they_are_counted_with_progress_and_the_pages_hear_of_it(
    old_home: Path, context: WindowContext, old_window: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    said: list[str] = []
    changes: list[PartsToReload] = []
    show = Recounting._show

    def listen(recounting: Recounting, left: int) -> None:
        show(recounting, left)
        said.append(progress(old_window))

    monkeypatch.setattr(Recounting, "_show", listen)
    context.bus.changed.connect(changes.append)
    old_window.show()
    qtbot.waitUntil(lambda: len(said) == SESSIONS + 1 and not progress(old_window))
    assert said == [f"Updating older sessions: {at} of {SESSIONS}" for at in range(SESSIONS + 1)]
    assert changes[-1] == PartsToReload(sessions=True)
    with History(old_home) as history:
        found = read_session_lines(history, browse(history, Filter(), Order()).ids)
        assert recount_backlog(history) == 0
    assert len(found) == SESSIONS and all(each["headlines"]["read"].qps for each in found)


def test_what_people_ask_for_does_not_wait_for_its_end(
    context: WindowContext, old_window: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("ui.shell.recounting.PAUSE_MS", 200)
    old_window.show()
    qtbot.waitUntil(lambda: progress(old_window) != "")
    answers: list[int] = []
    for _ in range(8):
        context.tasks.read(old_window, recount_backlog, answers.append, lambda _: None)
    qtbot.waitUntil(lambda: len(answers) == 8)
    assert min(answers) > 0


def test_another_process_that_writes_for_long_is_waited_for(
    old_window: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    recount, failures = recounting.recount_within_time, [HistoryBusyError("another process is writing")] * 3

    def busy_at_first(history: History, seconds: float) -> int:
        if failures:
            raise failures.pop()
        return recount(history, seconds)

    monkeypatch.setattr(recounting, "recount_within_time", busy_at_first)
    old_window.show()
    qtbot.waitUntil(lambda: progress(old_window) != "")
    qtbot.waitUntil(lambda: not progress(old_window))
    assert old_window.message.isHidden() and not failures and not old_window.message.text


def test_a_full_disk_ends_it_until_the_next_start(
    old_window: Window, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def fail(*_: object) -> int:
        raise HistoryError("the disk is full")

    monkeypatch.setattr(recounting, "recount_within_time", fail)
    old_window.show()
    qtbot.waitUntil(lambda: "the disk is full" in old_window.message.text and not progress(old_window))


def test_a_history_of_this_version_says_nothing(
    old_home: Path, old_window: Window, context: WindowContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    with History(old_home) as history:
        recounting.recount_within_time(history, 60.0)
    changes: list[PartsToReload] = []
    left: list[int] = []
    context.bus.changed.connect(changes.append)
    on_counted = Recounting._on_counted
    monkeypatch.setattr(Recounting, "_on_counted", lambda each, n: [left.append(n), on_counted(each, n)])
    old_window.show()
    qtbot.waitUntil(lambda: left == [0])
    qtbot.wait(50)
    assert left == [0]
    assert changes == [] and not progress(old_window)
