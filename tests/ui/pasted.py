"""Prints what lies in the clipboard, as another program gets it."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication

if __name__ == "__main__":
    application = QGuiApplication([])
    for _ in range(20):
        application.processEvents()
    print(QGuiApplication.clipboard().text(), end="")
