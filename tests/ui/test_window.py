"""The window as a whole: when it begins to work."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.following.adoption import RemotePlan
from app.following.progress import stored_plan_progress, stored_progress
from app.history.recorded.writing import record_unlocked_journals
from app.history.store.history import History
from app.protocol.answers import SessionJournalSize
from tests import sliced
from tests.journals import Maker, contender, plan, whole
from tests.ui.watched import WatchedPlans, keep, watched
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.shell.notices import Notices, SavedFileMessages
from ui.shell.window import Window


def test_plans_are_followed_in_a_window_that_is_not_painted(
    context: WindowContext, dyno_home: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    monkeypatch.setattr("ui.shell.window.UNSEEN_MS", 50)
    changed, plans = watched(context)
    adopted: list[bool] = []
    monkeypatch.setattr(plans, "adopt", lambda: adopted.append(True))
    window = Window(changed)
    qtbot.addWidget(window)
    window.setUpdatesEnabled(False)  # as one that opens minimised, or on another desk
    window.show()
    qtbot.waitUntil(lambda: bool(adopted))
    assert list(window.pages) == ["bench"]
    window.setUpdatesEnabled(True)
    qtbot.wait(100)
    assert adopted == [True], "it begins once"


TWENTY = plan([contender(), contender("rocksdb")], repeats=10)


def under_way() -> list[Maker]:
    """Twenty sessions, of which three are over and the fourth is in its second step."""
    makers = [whole(TWENTY, turn.session) for turn in TWENTY.turns[:3]]
    at_hand = Maker(TWENTY, TWENTY.turns[3].session).begin()
    at_hand.step(0)
    at_hand.start_step(1)
    at_hand.samples(1, range(-2, 3))
    return [*makers, at_hand, *(Maker(TWENTY, turn.session).planned() for turn in TWENTY.turns[4:])]


@pytest.fixture
def open_begun(
    context: WindowContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> Callable[[], tuple[Window, WatchedPlans, list[str]]]:
    """Opens a window; no target answers, and what was asked for is remembered."""
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)

    def open_window() -> tuple[Window, WatchedPlans, list[str]]:
        changed, plans = watched(context)
        asked: list[str] = []
        monkeypatch.setattr(plans, "adopt", lambda: asked.append("targets"))
        window = Window(changed)
        show_page = window.show_page
        monkeypatch.setattr(window, "show_page", lambda name: (asked.append(name), show_page(name)))
        qtbot.addWidget(window)
        window.show()
        qtbot.waitUntil(lambda: "targets" in asked)
        return window, plans, asked

    return open_window


def test_during_a_plan_it_opens_on_live_before_a_target_answers(
    context: WindowContext, open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]], qtbot: QtBot
) -> None:
    makers = under_way()
    keep(context, makers)
    window, plans, asked = open_begun()
    assert asked == ["live", "targets"]
    page: Any = window.page("live")
    qtbot.waitUntil(lambda: page.watching.loaded is not None)
    at_hand = makers[3]
    assert page.watching.request.session == at_hand.session
    assert page.watching.loaded.curves.t == at_hand.t
    assert "4/20 rocksdb-default-2  2/5 point-query threads=1: second 3 of 5" in page.body.header.text
    followed = plans.watch(TWENTY)  # the target answers
    with History(context.home) as history:
        followed.progress, _ = stored_plan_progress(history, TWENTY.id, followed.sessions)
    plans.changed.emit(TWENTY.id)
    qtbot.waitUntil(lambda: "connecting" in page.body.header.text)
    assert "second 3 of 5" in page.body.header.text


@pytest.mark.parametrize("why", ["over", "lost", "nothing", "target is gone", "long ago"])
def test_where_nothing_goes_on_it_opens_on_bench(
    context: WindowContext,
    open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]],
    why: str,
) -> None:
    its_plan = plan(target="far" if why == "target is gone" else "local")
    maker = Maker(its_plan).begin()
    if why != "nothing":
        keep(context, [maker.end() if why == "over" else maker])
    journal = context.home / "journals" / f"{maker.session}.jsonl"
    if why == "lost":
        with History(context.home) as history:
            record_unlocked_journals(history, [maker.session])
    elif why == "long ago":
        os.utime(journal, (1e9, 1e9))
    _, _, asked = open_begun()
    assert asked == ["bench", "targets"]


def test_a_history_that_cannot_be_read_opens_on_bench(
    context: WindowContext, open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]]
) -> None:
    context.home.mkdir(exist_ok=True)
    (context.home / "history.sqlite").write_bytes(b"no history" * 1000)
    _, _, asked = open_begun()
    assert asked == ["bench", "targets"]


def test_a_history_that_keeps_it_waiting_opens_on_bench(
    context: WindowContext,
    open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    answer = threading.Event()
    monkeypatch.setattr("ui.shell.opening.PATIENCE_MS", 50)
    monkeypatch.setattr("ui.shell.opening._is_under_way", lambda history: answer.wait(20))
    _, _, asked = open_begun()
    answer.set()
    qtbot.wait(100)
    assert asked == ["bench", "targets"], "a late answer takes nobody away"


def test_a_place_that_was_chosen_meanwhile_stays(
    context: WindowContext, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    keep(context, under_way())
    changed, plans = watched(context)
    adopted: list[bool] = []
    monkeypatch.setattr(plans, "adopt", lambda: adopted.append(True))
    window = Window(changed)
    qtbot.addWidget(window)
    window.show_page("history")
    window.show()
    qtbot.waitUntil(lambda: bool(adopted))
    assert list(window.pages) == ["history"]


def adopted(plans: WatchedPlans, locked: bool = True) -> Maker:
    """A plan that only its target knows is found there."""
    at_hand = under_way()[3]
    followed = plans.watch(TWENTY)
    summaries = [SessionJournalSize(each, 0, False) for each in followed.sessions]
    found = RemotePlan(followed.target, "/dyno", TWENTY.id, "x", "a" * 64, locked, summaries)
    plans.follow = lambda *_: None  # type: ignore[method-assign]  # its journals are brought here
    plans._on_found(followed.target, [found])
    return at_hand


def test_a_plan_that_only_its_target_knows_is_shown_on_live_once_it_is_found(
    open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]], qtbot: QtBot
) -> None:
    window, plans, asked = open_begun()
    at_hand = adopted(plans)
    assert asked == ["bench", "targets", "live"]
    for maker in (*under_way()[:3], at_hand):
        plans.bring(maker)
    page: Any = window.page("live")
    qtbot.waitUntil(lambda: ": second 3 of 5" in page.body.header.text)
    window.show_page("bench")
    adopted(plans)
    assert asked[-1] == "bench", "it moves nobody twice"


@pytest.mark.parametrize("why", ["clicked", "typed", "over", "late"])
def test_a_plan_that_is_found_moves_nobody_who_is_at_work(
    open_begun: Callable[[], tuple[Window, WatchedPlans, list[str]]],
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
    why: str,
) -> None:
    if why == "late":
        monkeypatch.setattr("ui.shell.opening.FOUND_MS", 0)
    window, plans, asked = open_begun()
    if why == "clicked":
        QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(600, 700))
    elif why == "typed":
        QTest.keyClick(window.windowHandle(), Qt.Key.Key_Tab)
    elif why == "late":
        qtbot.wait(50)
    adopted(plans, locked=why != "over")
    assert asked == ["bench", "targets"]


def test_what_was_saved_can_be_opened_and_found(
    context: WindowContext, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    window = Window(context)
    qtbot.addWidget(window)
    SavedFileMessages(context, window, window.message)
    for button in window.message.buttons:
        context.bus.saved.emit(tmp_path / "chart.png", "chart.png is saved")
        assert context.memory.folder == str(tmp_path), "where the next dialog begins"
        assert window.message.text == "chart.png is saved"
        button.click()
        assert window.message.text == ""
    assert opened == [str(tmp_path / "chart.png"), str(tmp_path)]


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        (["completed"] * 4, "has ended"),
        (["completed", "failed", "completed", "completed"], "has ended: 1 of 4 sessions failed"),
        (["completed", "partly", "partly", "completed"], "has ended: 2 of 4 sessions with failed steps"),
        (["completed", "stopped", "completed", "completed"], "has ended: 1 of 4 sessions stopped"),
        (["completed", "stopped", "stopped", "stopped"], "was stopped: 1 of 4 sessions completed"),
        (["failed", "stopped", "stopped", "stopped"], "was stopped: 0 of 4 sessions completed, 1 failed"),
    ],
)
def test_how_a_plan_has_ended_is_said(
    context: WindowContext, qtbot: QtBot, ends: list[str], text: str
) -> None:
    changed, plans = watched(context)
    window = Window(changed)
    qtbot.addWidget(window)
    Notices(changed, window, window.message).begin()
    its_plan = plan([contender(), contender("rocksdb")], repeats=2)
    followed = plans.watch(its_plan)
    for turn, how in zip(its_plan.turns, ends, strict=True):
        maker = Maker(its_plan, turn.session).begin()
        if how == "partly":
            maker.step(0, "failed", "sysbench: FATAL: error 1205")
            how = "completed"
        maker.end(how, "asked for by a person" if how == "stopped" else "")
        plans.bring(maker)
    plans.ended.emit(its_plan.id)
    assert window.message.text.startswith(f"{its_plan.name} on local {text}")
    assert window.message.text.splitlines()[0].endswith(text)
    assert followed.progress.is_over


def test_a_plan_that_has_ended_says_what_it_came_to(context: WindowContext, qtbot: QtBot) -> None:
    changed, plans = watched(context)
    its_plan = sliced.plan()
    with History(context.home) as history:
        sliced.keep(history, its_plan, (1.0, 0.5))
    window = Window(changed)
    qtbot.addWidget(window)
    Notices(changed, window, window.message).begin()
    followed = plans.watch(its_plan)
    with History(context.home) as history:
        followed.progress = stored_progress(history, its_plan)
    followed.is_over = True
    plans.ended.emit(its_plan.id)
    assert "has ended" in window.message.text
    qtbot.waitUntil(lambda: window.message.text.count("MyRocks at 0.50 of InnoDB's rate (") == 1)
    window.message.show_info("something else")
    plans.ended.emit(its_plan.id)
    window.message.clear()
    qtbot.wait(300)
    assert window.message.text == ""  # dismissed meanwhile
    plans.ended.emit(its_plan.id)
    changed.bus.wanted.emit(ShowPageRequest("history", tuple(followed.progress.sessions)))
    assert window.message.text == "", "a person looks at its sessions"


@pytest.fixture
def ended_plan(
    context: WindowContext, qtbot: QtBot
) -> Callable[[], tuple[Window, WatchedPlans, tuple[str, ...]]]:
    """A window with the message of a plan that has ended, and the sessions of that plan."""

    def make() -> tuple[Window, WatchedPlans, tuple[str, ...]]:
        changed, plans = watched(context)
        its_plan = sliced.plan()
        with History(context.home) as history:
            sliced.keep(history, its_plan, (1.0, 0.5))
            progress = stored_progress(history, its_plan)
        window = Window(changed)
        qtbot.addWidget(window)
        window.show_page("compare")
        window.show()
        Notices(changed, window, window.message).begin()
        followed = plans.watch(its_plan)
        followed.progress, followed.is_over = progress, True
        plans.changed.emit(its_plan.id)
        plans.ended.emit(its_plan.id)
        qtbot.waitUntil(lambda: "MyRocks at 0.50" in window.message.text)
        return window, plans, tuple(progress.sessions)

    return make


@pytest.mark.parametrize("way", ["ticked", "back to the page"])
def test_the_message_of_an_ended_plan_goes_when_compare_shows_the_plan(
    ended_plan: Callable[[], tuple[Window, WatchedPlans, tuple[str, ...]]], qtbot: QtBot, way: str
) -> None:
    window, _, sessions = ended_plan()
    compare: Any = window.page("compare")
    if way == "ticked":
        compare.chooser.ticked.emit(sessions[0], True)
    else:
        window.show_page("bench")
        compare.columns.tick(sessions[0], True)
        assert "has ended" in window.message.text, "nobody has looked yet"
        window.show_page("compare")
    assert window.message.text == ""
    qtbot.waitUntil(lambda: compare.columns.chosen.ids == sessions[:1])


def test_it_stays_while_compare_reads_anew_what_was_open(
    ended_plan: Callable[[], tuple[Window, WatchedPlans, tuple[str, ...]]], qtbot: QtBot
) -> None:
    window, plans, sessions = ended_plan()
    compare: Any = window.page("compare")
    compare.columns.tick(sessions[0], True)
    qtbot.waitUntil(lambda: compare.body.comparison is not None)
    plans.ended.emit(plans.all()[0].id)
    compare.reload()
    qtbot.wait(300)
    qtbot.waitUntil(lambda: "MyRocks at 0.50" in window.message.text)


def test_it_goes_when_another_plan_starts(
    ended_plan: Callable[[], tuple[Window, WatchedPlans, tuple[str, ...]]],
) -> None:
    window, plans, _ = ended_plan()
    plans.changed.emit(plans.all()[0].id)
    assert "has ended" in window.message.text
    another = plans.watch(plan(number=9))
    assert window.message.text == ""
    another.is_over = True
