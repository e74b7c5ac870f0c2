"""The window with tasks at work, and what a test must know of it: `python -m tests.ui.left_behind WHEN`.

WHEN to close it: a number of seconds, or `imported`: as soon as the pages are imported.

Printed is each import of Qt by another thread, with the number of classes that nobody has named before, and
whether Python ended as it does by itself.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType

OF_QT = ("PySide6", "shiboken6", "pyqtgraph", "ui.pages", "ui.widgets", "ui.dialogs", "ui.models", "ui.shell")
LONG_S = 600.0  # longer than the process lasts
LOOK_MS = 50


class Watching(MetaPathFinder):
    """Finds nothing, and sees who imports."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        thread = threading.current_thread()
        if name.startswith(OF_QT) and thread is not threading.main_thread():
            print(f"{thread.name} imports {name}: {len(_unnamed())} unnamed", flush=True)


def _unnamed() -> list[str]:
    """Classes that PySide has not made yet: it makes one when it is first named."""
    from ui.shell.ahead import NAMED

    return [name for module in NAMED for name in dir(module) if name not in vars(module)]


def main(when: str) -> int:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    import ui.shell.application
    from ui.core import tasks
    from ui.core.context import WindowContext
    from ui.main import main
    from ui.shell.ahead import ON_A_THREAD

    make_context = ui.shell.application.make_window_context

    def with_a_task_at_work(home: Path) -> WindowContext:
        context = make_context(home)
        context.tasks.run(context.bus, lambda: time.sleep(LONG_S), print, print)
        if when == "imported":
            QTimer(QApplication.instance(), interval=LOOK_MS, timeout=quit_once_imported).start()
        else:
            QTimer.singleShot(int(float(when) * 1000), QApplication.quit)
        return context

    def quit_once_imported() -> None:
        if all(name in sys.modules for name in ON_A_THREAD):
            QApplication.quit()

    tasks.CLOSE_S = 0.1
    ui.shell.application.make_window_context = with_a_task_at_work
    return main()


if __name__ == "__main__":
    sys.meta_path.insert(0, Watching())
    atexit.register(print, "Python tidies up")
    sys.exit(main(sys.argv.pop()))
