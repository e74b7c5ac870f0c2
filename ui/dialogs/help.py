"""The help: the shortcuts of all pages, and what each number means."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.metadata import version
from itertools import groupby

from PySide6.QtCore import qVersion
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QTextEdit, QWidget

from app.core.shipped import shipped_folder
from app.engines import KNOWN
from app.engines.panel import BETTER
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.actions import ListedAction
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import dialog_buttons, in_row, lay_out_dialog

_ABOVE = 5  # this part of the text is above a word that was found


class HelpDialog(QDialog):
    def __init__(self, actions: Iterable[ListedAction], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Shortcuts and figures")
        self.resize(720, 640)
        self._text = QTextBrowser()
        self._text.setAccessibleName("Shortcuts and figures")
        figures = (shipped_folder("resources") / "figures.html").read_text(encoding="utf-8")
        self._text.setHtml(f"<h2>Shortcuts</h2>{_shortcuts(actions)}{figures}{_engines()}")
        self.line = FilterLine("Search", "search", "Enter goes to the next place")
        self.line.textChanged.connect(self._find_first)
        self.line.left.connect(self._find_next)
        self.found = PlainTextLabel(role="muted")
        close = dialog_buttons(self, QDialogButtonBox.StandardButton.Close)
        lay_out_dialog(self, in_row((self.line, 1), self.found), (self._text, 1), close)
        self.line.setFocus()

    def _find_first(self) -> None:
        self._text.moveCursor(QTextCursor.MoveOperation.Start)
        self._find_next()

    def _find_next(self) -> None:
        """Go to the next place with these words, from the end to the first; all of them are marked."""
        places = self._places()
        self._text.setExtraSelections([_marked(each) for each in places])
        here = self._text.textCursor().selectionEnd()
        after = [at for at, each in enumerate(places) if each.selectionEnd() > here]
        at = after[0] if after else 0
        if places:
            self._text.setTextCursor(places[at])
            self._scroll_up_to_cursor()
        said = f"{at + 1} of {len(places)}" if places else "not found"
        self.found.setText(said if self.line.text().strip() else "")

    def _scroll_up_to_cursor(self) -> None:
        """A word on the last visible line would hide its explanation."""
        bar, top = self._text.verticalScrollBar(), self._text.cursorRect().top()
        bar.setValue(bar.value() + top - self._text.viewport().height() // _ABOVE)

    def _places(self) -> list[QTextCursor]:
        found, document, words = [], self._text.document(), self.line.text().strip()
        cursor = QTextCursor(document)
        while words and not (cursor := document.find(words, cursor)).isNull():
            found.append(cursor)
        return found


def _marked(place: QTextCursor) -> QTextEdit.ExtraSelection:
    made = QTextEdit.ExtraSelection()
    made.cursor = place
    made.format.setFontUnderline(True)
    return made


def _shortcuts(actions: Iterable[ListedAction]) -> str:
    """The shortcuts of all actions, menu by menu."""
    with_keys = (each for each in actions if each.key)
    return "".join(
        f"<h3>{escape(menu)}</h3><table cellpadding='3'>{''.join(map(_row, rows))}</table>"
        for menu, rows in groupby(with_keys, key=lambda each: each.menu)
    )


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


def _row(action: ListedAction) -> str:
    key, name, tip = map(escape, (action.key, action.name, action.tip))
    return f"<tr><td width='110'><b>{key}</b></td><td width='150'>{name}</td><td>{tip}</td></tr>"


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
