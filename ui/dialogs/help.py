"""The help: the shortcuts of all pages, and what each number means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.metadata import version

from PySide6.QtCore import qVersion
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QWidget

from app.core.shipped import shipped_folder
from app.engines import KNOWN
from app.engines.panel import BETTER
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.layouts import dialog_buttons, lay_out_dialog

Menus = Iterable[tuple[str, Sequence[QAction]]]  # each with its title


class HelpDialog(QDialog):
    def __init__(self, menus: Menus, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts and figures")
        self.resize(720, 640)
        text = QTextBrowser()
        text.setAccessibleName("Shortcuts and figures")
        figures = (shipped_folder("resources") / "figures.html").read_text(encoding="utf-8")
        text.setHtml(f"<h2>Shortcuts</h2>{_shortcuts(menus)}{figures}{_engines()}")
        lay_out_dialog(self, text, dialog_buttons(self, QDialogButtonBox.StandardButton.Close))


def _shortcuts(menus: Menus) -> str:
    """The shortcuts of all actions."""
    parts = []
    for title, actions in menus:
        rows = [_row(each) for each in actions if each.shortcut().toString()]
        if rows:
            parts.append(f"<h3>{escape(_plain(title))}</h3><table cellpadding='3'>{''.join(rows)}</table>")
    return "".join(parts)


def _engines() -> str:
    """The figures of each engine, in the words of its file."""
    parts = ["<h2>Figures of the engines</h2>"]
    for engine in (each for each in KNOWN.values() if each.panel):
        rows = "".join(
            f"<tr><td width='170'><b>{escape(figure.title)}</b></td>"
            f"<td>{escape(figure.meaning)} {escape(BETTER[figure.direction].capitalize())}.</td></tr>"
            for figure in engine.panel
        )
        parts.append(f"<h3>{escape(engine.title)}</h3><table cellpadding='3'>{rows}</table>")
    return "".join(parts)


def _row(action: QAction) -> str:
    keys = escape(action.shortcut().toString())
    tip = escape(action.statusTip() or action.toolTip())
    name = escape(_plain(action.text()))
    return f"<tr><td width='110'><b>{keys}</b></td><td width='150'>{name}</td><td>{tip}</td></tr>"


def _plain(text: str) -> str:
    return text.replace("&", "").removesuffix("…")


# the dialog with name, version and licence


class AboutDialog(QDialog):
    def __init__(self, context: WindowContext, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("About Dyno")
        text = PlainTextLabel(
            "The test bench for MySQL storage engines.\n\n"
            f"Qt {qVersion()}, PySide6 {version('PySide6-Essentials')} (LGPL), MIT licence.\n"
            f"Everything is stored in {context.home}",
            wraps=True,
            selectable=True,
        )
        text.setMinimumWidth(400)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        lay_out_dialog(
            self, PlainTextLabel(f"Dyno {version('dyno')}", "title"), text, buttons, spacing=2 * SPACE
        )
