"""What tests of the window share: a context on a home of their own, of which nothing is left behind."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.history.exchange.importing import import_session
from app.history.store.history import History
from tests.fakes import ScriptedAgent
from tests.integration.desktop import desktop
from tests.integration.netns import two_targets
from tests.integration.sshd import password_user, ssh_folder, sshd, start_sshd
from tests.journals import Maker
from tests.ui.live_page import Follow, shown
from tests.ui.targets_panel import open_panel
from tests.ui.watched import WatchedPlans, watched
from ui.core.context import WindowContext
from ui.core.theme import Theme
from ui.pages.live import LivePage
from ui.shell.application import close_context, make_window_context
from ui.widgets.charts.lines import ChartLine
from ui.widgets.charts.time_chart import TimeChart

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

__all__ = [
    "desktop",
    "open_panel",
    "password_user",
    "ssh_folder",
    "sshd",
    "start_sshd",
    "two_targets",
]  # fixtures

PATIENCE_MS = 30_000  # until a task has answered
ENDING_S = 30.0  # a thread that imports a module on a busy machine takes its time
DATA = Path(__file__).parents[1] / "data" / "0.1.0"


class PatientBot(QtBot):
    """Waits as long as a machine needs that carries out three other tests."""

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **more: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **more)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(autouse=True)
def _options_of_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dialogs ask for them by themselves: no agent is brought anywhere for that."""
    monkeypatch.setattr("ui.pages.bench.variables.reached", ScriptedAgent().reached)


@pytest.fixture(autouse=True)
def _status_of_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bench asks whether a target is busy: no plan is at work there."""
    monkeypatch.setattr("ui.pages.bench.busy.reached", ScriptedAgent().reached)


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    return QApplication


@pytest.fixture(autouse=True, scope="package")
def _cycles_afterwards() -> Iterator[None]:
    yield
    gc.unfreeze()
    gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def _cycles_on_this_thread_alone() -> None:
    """As in the window: a thread that another test has left behind would delete widgets.

    They are not looked for among what was there before the first test: thousands of tests and their modules.
    """
    if gc.isenabled():
        gc.disable()
        gc.collect()
        gc.freeze()


@pytest.fixture
def context(qapp: QApplication, dyno_home: Path) -> Iterator[WindowContext]:
    """A context as the window has it; what it began has ended when the test has."""
    qapp.setStyle("Fusion")
    before = set(threading.enumerate())
    made = make_window_context(dyno_home)
    made.theme.set_appearance("light")
    yield made
    close_context(made)
    _let_go(qapp)
    for thread in set(threading.enumerate()) - before:
        thread.join(ENDING_S)  # of a connection that was closed just now
    left = [thread.name for thread in set(threading.enumerate()) - before]
    assert not left, f"threads that the test has left behind: {left}"


@pytest.fixture
def plans(context: WindowContext) -> tuple[WindowContext, WatchedPlans]:
    return watched(context)


@pytest.fixture
def followed(plans: tuple[WindowContext, WatchedPlans]) -> WatchedPlans:
    return plans[1]


ShowLive = Callable[[WindowContext], LivePage]


@pytest.fixture
def show(qtbot: QtBot) -> ShowLive:
    """The Live page, before it has read anything."""

    def make(context: WindowContext) -> LivePage:
        page = LivePage(context)
        qtbot.addWidget(page)
        page.resize(1200, 760)
        page.show()
        qtbot.waitExposed(page)
        return page

    return make


@pytest.fixture
def drawn(show: ShowLive, qtbot: QtBot) -> ShowLive:
    """With the curves of a session."""

    def make(context: WindowContext) -> LivePage:
        page = show(context)
        qtbot.waitUntil(lambda: page.watching.loaded is not None)
        return page

    return make


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    qapp.setStyle("Fusion")
    made = Theme()
    made.set_appearance("light")
    return made


@pytest.fixture
def chart(qtbot: QtBot, theme: Theme) -> TimeChart:
    """600 s of a curve at 100, with none from 200 to 300; a second at 40."""
    made = TimeChart(theme, "QPS", "queries/s")
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.set_lines(
        [ChartLine("one", "InnoDB", theme.contender(0)), ChartLine("two", "RocksDB", theme.contender(1))]
    )
    made.track("one").extend(range(601), [None if 200 <= t < 300 else 100.0 for t in range(601)])
    made.track("two").extend(range(601), [40.0] * 601)
    made.show()
    qtbot.waitExposed(made)
    made.axis.set_range(0.0, 600.0)
    return made


@pytest.fixture
def released(dyno_home: Path) -> Path:
    """A home with the session of an earlier version in its history."""
    with History(dyno_home) as history:
        import_session(history, DATA / "session.zip")
    return dyno_home


def _let_go(application: QApplication) -> None:
    """Widgets that were closed are deleted now, and not in a later test."""
    for widget in application.topLevelWidgets():
        widget.close()
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    application.processEvents()
    gc.collect()


@pytest.fixture
def follow(plans: tuple[WindowContext, WatchedPlans], show: ShowLive, qtbot: QtBot) -> Follow:
    """The page with a session that is followed, as far as it has come."""
    context, followed = plans

    def make(maker: Maker) -> LivePage:
        followed.watch(maker.plan)
        followed.bring(maker)
        page = show(context)
        qtbot.waitUntil(lambda: shown(page) == maker.session)
        return page

    return make
