"""Pages and dialogs come and go while tasks answer late: nothing reaches what is closed."""

from __future__ import annotations

import random
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import SIGNAL, QCoreApplication, QEvent, QMetaMethod, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.core.errors import DynoError
from app.remote.hostkeys import HostKey, HostKeyUnknownError, OfferedHostKey
from app.remote.target import LOCAL
from app.targets.store import Targets
from tests.ui.find import find
from tests.ui.test_looks import CUT, NAMES, SMALL, _let_close, fill, open_window, settled, show
from ui.core import tasks
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.pages.bench.targets.survey_card import BuildTree
from ui.shell.window import Window

__all__ = ["open_window", "settled"]  # fixtures

LATE_S = 0.02  # at most, until a task begins
UI = Path(tasks.__file__).parent
PER_WINDOW = 20  # pages and dialogs
ACTIONS = (
    ("bench", "&Settings…"), ("bench", "&Find an action…"), ("bench", "&Shortcuts and figures"),
    ("bench", "&About Dyno"),
    ("bench", "Edit or check…"), ("bench", "Sweep…"), ("bench", "Custom SQL…"),
    ("bench", "Save plan…"), ("bench", "Open plan…"), ("bench", "&Install a build…"),
    ("bench", "&Notes of the build…"), ("bench", "Sna&pshots…"),
    ("bench", "Queue plan…"), ("bench", "Several targets…"), ("live", "Queue…"),
    ("live", "Stop session…"), ("live", "Stop plan…"), ("live", "Save charts…"),
    ("history", "&Export…"), ("history", "&Script…"), ("history", "&Import…"),
    ("history", "Import a &folder…"), ("compare", "R&eport…"), ("compare", "E&xplain…"),
    ("compare", "Bisect buil&ds…"), ("compare", "G&ate…"),
)  # fmt: skip
Open = Callable[[], QDialog]


@pytest.fixture(autouse=True)
def _late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers come when their owner may be gone; no target is gone to."""
    answer = tasks._answer

    def answer_late(work: Callable[[], Any]) -> Any:
        time.sleep(random.random() * LATE_S)
        return answer(work)

    def unreachable(*_: object) -> None:
        raise DynoError("nobody is there")

    monkeypatch.setattr(tasks, "_answer", answer_late)
    monkeypatch.setattr("ui.pages.bench.targets.surveying.survey_target", unreachable)
    monkeypatch.setattr("ui.pages.bench.targets.machine_commands.delete_target_snapshots", lambda *_: [])
    monkeypatch.setattr("app.targets.queue.queue_of", unreachable)


@pytest.fixture
def window(settled: WindowContext, open_window: Any, qtbot: QtBot) -> Window:
    sessions = fill(settled)
    made: Window = open_window(SMALL, "light")
    show_all(made, sessions, qtbot)
    return made


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def show_all(window: Window, sessions: list[str], qtbot: QtBot) -> None:
    """Every page, with what it has to show; a build is chosen."""
    for name in NAMES:
        show(window, name, sessions, qtbot)
    bench: Any = window.page("bench")
    find(bench.targets, BuildTree).topLevelItem(0).setSelected(True)


def every_dialog(window: Window, qtbot: QtBot) -> Iterator[Open]:
    """Opens each as a person or a thread does."""
    for page, text in ACTIONS:
        yield lambda page=page, text=text: _by_action(window, qtbot, page, text)  # type: ignore[misc]
    for opening in (_cut, _host_key, _closing, _secret):
        yield lambda opening=opening: _opened(qtbot, lambda: opening(window))  # type: ignore[misc]


def _by_action(window: Window, qtbot: QtBot, page: str, text: str) -> QDialog:
    window.show_page(page)
    (action,) = (each for each in window.findChildren(QAction) if each.text() == text)
    qtbot.waitUntil(action.isEnabled)
    return _opened(qtbot, action.trigger)


def _cut(window: Window) -> None:
    page: Any = window.page("history")
    page.cutting._open("a session", "rocksdb-default", 1, CUT)


def _host_key(window: Window) -> None:
    error = HostKeyUnknownError(OfferedHostKey(LOCAL, "far.invalid", 22, HostKey("ssh-ed25519", b"key")))
    known: Any = window.page("bench").targets.known  # type: ignore[attr-defined]
    known._surveying.show_host_key(Targets(window.context.home).get(LOCAL), error)


def _closing(window: Window) -> None:
    window._may_close = False
    window.close()
    window._may_close = True


def _secret(window: Window) -> None:
    ask = window.context.secrets.ask
    threading.Thread(target=lambda: ask("password of me@nuc: "), daemon=True).start()


def _opened(qtbot: QtBot, opening: Callable[[], object]) -> QDialog:
    opening()
    qtbot.waitUntil(lambda: bool(_dialogs()))
    (dialog,) = _dialogs()
    return dialog


def _dialogs() -> list[QDialog]:
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, QDialog) and each.isVisible()]


def close(dialog: QDialog) -> None:
    dialog.reject()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


class Receivers:
    """How many each signal has of what lives as long as the window."""

    def __init__(self, window: Window) -> None:
        context = window.context
        lasting = (context.theme, context.bus, context.plans, context.team, window)
        objects = {each for one in lasting for each in (one, *one.findChildren(QObject))}
        self._signals = [(each, name) for each in objects for name in _signals_of(each)]
        self._counts = self._count()

    def more(self) -> list[str]:
        """The signals that have more of them now."""
        pairs = zip(self._signals, self._counts, self._count(), strict=True)
        return [f"{type(each).__name__}.{name}" for (each, name), before, now in pairs if now > before]

    def _count(self) -> list[int]:
        return [
            each.receivers(SIGNAL(name)) if shiboken6.isValid(each) else 0 for each, name in self._signals
        ]


def _signals_of(each: QObject) -> list[str]:
    if isinstance(each, QAction):  # Qt connects an action once more whenever it is checked
        return []
    kind = each.metaObject()
    methods = (kind.method(at) for at in range(kind.methodCount()))
    return [
        method.methodSignature().toStdString()
        for method in methods
        if method.methodType() == QMetaMethod.MethodType.Signal and method.name() != b"destroyed"  # Qt's own
    ]


def _use(widget: QWidget) -> None:
    """Tab through it, have it laid out anew and painted."""
    for _ in range(random.randrange(6)):
        QTest.keyClick(widget.focusWidget() or widget, Qt.Key.Key_Tab)
    widget.resize(widget.width() + random.randrange(200), widget.height() + random.randrange(100))
    widget.grab()
    QTest.qWait(random.randrange(20))


def _change_all(context: WindowContext) -> None:
    context.theme.set_appearance("light" if context.theme.is_dark else "dark")
    for what in ("sessions", "targets", "presets", "sequences", "settings"):
        context.bus.changed.emit(PartsToReload(**{what: True}))


def test_what_outlives_a_page_is_connected_to_no_lambda() -> None:
    """Qt ends a connection to a method with the widget that has it; a lambda is called all the same."""
    lasting = re.compile(r"\b(theme|bus|plans)\.\w+\.connect\((?!self\.|window\.)")
    found = [path.name for path in UI.rglob("*.py") if lasting.search(path.read_text())]
    assert found == []


@pytest.mark.full
def test_what_is_closed_is_connected_to_nothing(window: Window, qtbot: QtBot) -> None:
    for open_ in every_dialog(window, qtbot):
        close(open_())  # what is made once is made
    receivers = Receivers(window)
    for open_ in every_dialog(window, qtbot):
        dialog = open_()
        title = dialog.windowTitle()
        close(dialog)
        assert not shiboken6.isValid(dialog), f"{title} is closed, and still there"
    _change_all(window.context)
    qtbot.wait(100)
    assert receivers.more() == []


def test_who_stays_is_not_closed_when_the_plans_end(window: Window, qtbot: QtBot) -> None:
    close(_opened(qtbot, lambda: _closing(window)))
    for followed in window.context.plans.active():
        followed.is_over = True
        window.context.plans.ended.emit(followed.id)
    assert window.isVisible()


@pytest.mark.parametrize(
    "times", [10, pytest.param(500, marks=[pytest.mark.full, pytest.mark.timeout(1800)])]
)
@pytest.mark.usefixtures("restless")
def test_pages_and_dialogs_come_and_go(settled: WindowContext, qtbot: QtBot, times: int) -> None:
    """Opened, used and closed so many times, in any order; windows with their pages come and go with them."""
    random.seed(times)
    sessions = fill(settled)
    for at in range(0, times, PER_WINDOW):
        window = Window(settled)
        window.resize(*SMALL)
        window.show()
        show_all(window, sessions, qtbot)
        dialogs = list(every_dialog(window, qtbot))
        for _ in range(min(PER_WINDOW, times - at)):
            _open_something(window, random.choice(dialogs))
        _let_close(window)
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        assert not shiboken6.isValid(window)


def _open_something(window: Window, open_: Open) -> None:
    if random.random() < 0.3:
        window.show_page(random.choice(NAMES))
        _use(window)
    else:
        dialog = open_()
        _use(dialog)
        close(dialog)
    if random.random() < 0.2:
        _change_all(window.context)
