"""Opening the window: the application, the context that its parts are given, the one door for defects."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import traceback
from io import TextIOWrapper
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.core.errors import DynoError
from app.core.private import private
from app.core.settings import Settings, home, read_settings
from app.core.shipped import shipped_folder
from ui.core.bus import Bus
from ui.core.channel import GuiThreadCallQueue
from ui.core.context import WindowContext
from ui.core.gc_timer import GarbageCollectionTimer
from ui.core.looking import RunningPlanFinder
from ui.core.memory import WindowStateFile
from ui.core.plans import PlanFollowing
from ui.core.queues import Queues
from ui.core.secrets import SecretPrompter
from ui.core.tasks import Tasks
from ui.core.team import TeamExchange
from ui.core.theme import Theme

from .window import Window

SWITCH_S = 0.001  # Python's own 5 ms would make the window late while journals are taken in
_qt_log = logging.getLogger("ui.qt")


def open_window() -> int:
    """Open the window and run it; returns the exit code."""
    sys.setswitchinterval(SWITCH_S)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl+C in the terminal: nothing is lost by it
    application = make_application()
    directory = home()
    log_to(directory / "log")
    context = make_window_context(directory)
    try:
        settings = read_settings(directory)
    except DynoError as error:
        settings = Settings()
        problem = str(error)
    else:
        problem = ""
    context.theme.set_text_size(settings.text_size)
    context.theme.set_appearance(settings.appearance)
    window = Window(context)
    GarbageCollectionTimer(application)
    _catch_defects(window)
    if problem:
        window.message.show_error(problem)
    window.show()
    code = application.exec()
    close_context(context)
    leave_if_a_thread_stays(code)
    return code


def make_application() -> QApplication:
    QApplication.setApplicationName("dyno")
    QApplication.setApplicationDisplayName("Dyno")
    QApplication.setDesktopFileName("dyno")
    application = QApplication(sys.argv[:1])
    application.setStyle("Fusion")
    application.setWindowIcon(QIcon(str(shipped_folder("resources") / "icons" / "dyno.svg")))
    return application


def make_window_context(directory: Path) -> WindowContext:
    """The objects that live as long as the window; the application owns their widgets."""
    application = QApplication.instance()
    channel, bus = GuiThreadCallQueue(), Bus(application)
    tasks, secrets = Tasks(directory, channel), SecretPrompter(channel)
    plans = PlanFollowing(directory, channel, tasks, bus, secrets, application)
    looking = RunningPlanFinder(directory, tasks, bus, plans, application)
    return WindowContext(
        home=directory,
        channel=channel,
        tasks=tasks,
        bus=bus,
        plans=plans,
        looking=looking,
        queues=Queues(tasks, plans, looking, secrets, application),
        theme=Theme(application),
        memory=WindowStateFile(directory / "window.ini"),
        secrets=secrets,
        team=TeamExchange(directory, channel, bus, plans, secrets, application),
    )


def close_context(context: WindowContext) -> None:
    """Close the channel first, then questions, followers and tasks; plans run on at their targets."""
    context.channel.close()
    context.secrets.close()
    context.team.close()
    context.plans.close()
    context.tasks.close()
    context.memory.store()


def leave_if_a_thread_stays(code: int) -> None:
    """End the process now: Python would first delete the window, and what such a thread works with."""
    if threading.active_count() > 1:
        logging.shutdown()
        sys.stdout.flush()
        os._exit(code)


# defects


class _PrivateLog(logging.FileHandler):
    """A private log file, because it may name what a person measures."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", opener=private)


def log_to(folder: Path) -> None:
    """Write messages of Dyno and Qt to a log file."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    handler = _PrivateLog(folder / "window.log", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logging.getLogger("ui").addHandler(handler)
    logging.getLogger("app").addHandler(handler)
    qInstallMessageHandler(_on_qt_said)


def _on_qt_said(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    level = logging.INFO if kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) else logging.WARNING
    _qt_log.log(level, text)


def _catch_defects(window: Window) -> None:
    """Log unexpected errors and show them with details; the window stays open."""
    log = logging.getLogger("ui.defect")

    def on_defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        log.error("%s", "".join(traceback.format_exception(kind, error, trace)))
        if isinstance(error, Exception) and threading.current_thread() is threading.main_thread():
            window.message.show_failure(error)

    sys.excepthook = on_defect
    threading.excepthook = lambda found: on_defect(
        found.exc_type, found.exc_value or Exception("unknown"), found.exc_traceback
    )
