"""The real window in a process of its own, which tells a test where its controls are.

Started as `python -m tests.ui.inspected`. Only where things are is answered; xdotool does the rest.
One JSON object a line over the local socket named by DYNO_INSPECTED, one line as the answer.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
from typing import Any

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QApplication, QLabel, QWidget

import ui.shell.application
from ui.main import main

PAINTED_MS = 500
SMALLEST = 0  # of the qualities of a PNG file: packed best


class Inspector(QObject):
    """Answers questions about the widgets that are shown."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._server = QLocalServer(self)
        QLocalServer.removeServer(os.environ["DYNO_INSPECTED"])  # of a window that was killed
        assert self._server.listen(os.environ["DYNO_INSPECTED"]), self._server.errorString()
        self._server.newConnection.connect(self._on_connection)

    def _on_connection(self) -> None:
        socket = self._server.nextPendingConnection()
        socket.readyRead.connect(lambda: self._on_question(socket))
        socket.disconnected.connect(socket.deleteLater)

    def _on_question(self, socket: QLocalSocket) -> None:
        while socket.canReadLine():
            question = json.loads(bytes(socket.readLine().data()))
            socket.write(json.dumps(_answer(question)).encode() + b"\n")


def _answer(question: dict[str, Any]) -> Any:
    match question:
        case {"find": name}:
            return [_entry(widget) for widget in _shown() if name in _names(widget)]
        case {"table": name}:
            return [
                _table(view)
                for view in _shown()
                if isinstance(view, QAbstractItemView) and name in _names(view)
            ]
        case {"texts": True}:
            return sorted({name for widget in _shown() for name in _names(widget) if name})
        case {"listens": True}:
            return _listens()
        case {"picture": path}:
            return _take_picture(str(path))
    raise ValueError(question)


def _listens() -> bool:
    """Whether keys go where a person looks: a dialog is seen a moment before it has the keyboard."""
    active, modal = QApplication.activeWindow(), QApplication.activeModalWidget()
    return active is not None and modal in (None, active)


def _shown() -> list[QWidget]:
    """The newest window first: a dialog lies over what is below it."""
    tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
    tops.sort(key=lambda top: top is not QApplication.activeModalWidget())
    return [
        widget for top in tops for widget in [top, *top.findChildren(QWidget)]
        if widget.isVisible() and not widget.visibleRegion().isEmpty()
    ]  # fmt: skip


def _names(widget: QWidget) -> tuple[str, ...]:
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    return widget.objectName(), widget.accessibleName(), text.replace("&", ""), widget.windowTitle()


def _take_picture(path: str) -> bool:
    """Of the window in front, once what was begun is painted; the keyboard's cursor does not blink in it."""
    QApplication.setCursorFlashTime(0)
    QTest.qWait(PAINTED_MS)
    active = QApplication.activeWindow()
    return active is not None and active.grab().save(path, None, SMALLEST)


def _entry(widget: QWidget) -> dict[str, Any]:
    return {
        "rect": _global(widget, widget.rect()),
        "enabled": widget.isEnabled(),
        "text": _names(widget)[2],
        "tip": widget.toolTip(),
        "checked": isinstance(widget, QAbstractButton) and widget.isChecked(),
        "focus": widget.hasFocus(),
    }


def _table(view: QAbstractItemView) -> list[list[dict[str, Any]]]:
    model = view.model()
    return [
        [
            {"text": str(index.data() or ""), "rect": _global(view.viewport(), view.visualRect(index))}
            for column in range(model.columnCount())
            for index in [model.index(row, column)]
        ]
        for row in range(min(model.rowCount(), 200))
    ]


def _global(widget: QWidget, rect: QRect) -> list[int]:
    """In pixels of the screen."""
    corner = widget.mapToGlobal(QPoint(rect.x(), rect.y()))
    ratio = widget.devicePixelRatioF()
    return [round(each * ratio) for each in (corner.x(), corner.y(), rect.width(), rect.height())]


def _with_inspector() -> QApplication:
    application = _make_application()
    Inspector(application)
    return application


_make_application = ui.shell.application.make_application

if __name__ == "__main__":
    faulthandler.register(signal.SIGUSR1)  # tells a test where a window hangs
    ui.shell.application.make_application = _with_inspector
    sys.argv = ["dyno"]
    sys.exit(main())
