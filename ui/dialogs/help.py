"""The shortcuts of all pages, and what every figure means."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout

from app.core.shipped import shipped_folder
from ui.pages import PLACES

if TYPE_CHECKING:
    from ui.shell.window import Window


class HelpDialog(QDialog):
    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.setWindowTitle("Shortcuts and figures")
        self.resize(720, 640)
        text = QTextBrowser()
        text.setAccessibleName("Shortcuts and figures")
        figures = (shipped_folder("resources") / "figures.html").read_text(encoding="utf-8")
        text.setHtml(f"<h2>Shortcuts</h2>{_shortcuts(window)}{figures}")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.addWidget(text)
        layout.addWidget(buttons)


def _shortcuts(window: Window) -> str:
    """Of every action that has one, also of pages that were not seen yet."""
    for place in PLACES:
        window.page(place.name)
    order = ["&File", *(place.menu for place in PLACES), "&View", "&Help"]
    parts = []
    for top in sorted(window.menuBar().actions(), key=lambda top: order.index(top.text())):
        menu: Any = top.menu()  # a QMenu, which the stubs of PySide6 do not say
        rows = [_row(each) for each in menu.actions() if each.shortcut().toString()] if menu else []
        if rows:
            parts.append(f"<h3>{escape(_plain(top))}</h3><table cellpadding='3'>{''.join(rows)}</table>")
    return "".join(parts)


def _row(action: QAction) -> str:
    keys = escape(action.shortcut().toString())
    tip = escape(action.statusTip() or action.toolTip())
    name = escape(_plain(action))
    return f"<tr><td width='110'><b>{keys}</b></td><td width='150'>{name}</td><td>{tip}</td></tr>"


def _plain(action: QAction) -> str:
    return action.text().replace("&", "").rstrip(".")
