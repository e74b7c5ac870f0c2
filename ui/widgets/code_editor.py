"""Text in one width of letters: to read, to edit with marked lines, and with names that are completed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from PySide6.QtCore import QEvent, QRect, QSize, QStringListModel, Qt
from PySide6.QtGui import (
    QFontDatabase,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QPlainTextEdit, QTextEdit, QToolTip, QWidget

from app.core.harmless import harmless_text
from ui.core.plain import as_tip
from ui.core.theme import SPACE, Theme

_TINT = 36  # of 255: the letters stay what is read


class CodeEditor(QPlainTextEdit):
    """An editor that Tab leaves, like every other widget here."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__()
        self.theme = theme
        self._wrong: frozenset[int] = frozenset()
        self._doubtful: frozenset[int] = frozenset()
        self._said: Mapping[int, str] = {}
        self._numbers = _Numbers(self)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.blockCountChanged.connect(lambda _: self._make_room())
        self.updateRequest.connect(lambda *_: self._numbers.update())
        theme.changed.connect(self._paint_marks)
        self._make_room()

    def mark_lines(
        self, wrong: Collection[int], doubtful: Collection[int] = (), said: Mapping[int, str] | None = None
    ) -> None:
        """Mark lines, from 1, as errors or warnings. `said`: tooltips by line."""
        self._wrong, self._doubtful, self._said = frozenset(wrong), frozenset(doubtful), said or {}
        self._paint_marks()

    def _paint_marks(self) -> None:
        self._numbers.update()
        self.setExtraSelections([self._tint(line) for line in sorted(self._wrong | self._doubtful) if line])

    def _tint(self, line: int) -> QTextEdit.ExtraSelection:
        made, colour = QTextEdit.ExtraSelection(), self.theme.colour(self._colour_of(line))
        colour.setAlpha(_TINT)
        made.format.setBackground(colour)
        made.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        made.cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        return made

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return super().viewportEvent(event)
        line = self.cursorForPosition(event.pos()).blockNumber() + 1
        QToolTip.showText(event.globalPos(), as_tip(self._said.get(line, "")), self.viewport())
        return True

    def go_to_line(self, line: int) -> None:
        block = self.document().findBlockByNumber(max(line, 1) - 1)
        self.setTextCursor(QTextCursor(block if block.isValid() else self.document().lastBlock()))
        self.centerCursor()
        self.setFocus()

    @property
    def numbers_width(self) -> int:
        digits = max(2, len(str(self.blockCount())))
        return self.fontMetrics().horizontalAdvance("9" * digits) + 2 * SPACE

    def paint_numbers(self, painter: QPainter, rect: QRect) -> None:
        painter.fillRect(rect, self.theme.colour("window"))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= rect.bottom():
            line, height = block.blockNumber() + 1, self.blockBoundingRect(block).height()
            painter.setPen(self.theme.colour(self._colour_of(line)))
            place = QRect(0, round(top), self.numbers_width - SPACE, self.fontMetrics().height())
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(line))
            block, top = block.next(), top + height

    def _colour_of(self, line: int) -> str:
        if line in self._wrong:
            return "bad"
        return "warn" if line in self._doubtful else "muted"

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._numbers.setGeometry(inside.left(), inside.top(), self.numbers_width, inside.height())

    def _make_room(self) -> None:
        self.setViewportMargins(self.numbers_width, 0, 0, 0)


class _Numbers(QWidget):
    """The line numbers, painted by the editor."""

    def __init__(self, editor: CodeEditor) -> None:
        super().__init__(editor)
        self._editor = editor

    def sizeHint(self) -> QSize:
        return QSize(self._editor.numbers_width, 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._editor.font())
        self._editor.paint_numbers(painter, event.rect())
        painter.end()


_NAME = re.compile(r"\s*(?:loose[-_])?([a-z][\w-]{2,})", re.IGNORECASE)
_OF_POPUP = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


class CompletingEditor(CodeEditor):
    """An editor that completes names once it gets some."""

    def __init__(self, theme: Theme, name: str) -> None:
        super().__init__(theme, name)
        self.completer = _completer((), self)
        self.completer.setWidget(self)
        self.names = QListView()
        self.completer.setPopup(self.names)
        self.completer.activated.connect(self._take)

    def complete_with(self, names: Iterable[str]) -> None:
        self.completer.setModel(QStringListModel(sorted(names), self.completer))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.names.isVisible() and event.key() in _OF_POPUP:
            event.ignore()  # the list takes it
            return
        super().keyPressEvent(event)
        if event.text() and not self.isReadOnly():
            self._offer()

    def _offer(self) -> None:
        """Offer names that contain the typed text."""
        prefix = self._typed()
        self.completer.setCompletionPrefix(prefix.replace("-", "_"))
        found = self.completer.completionCount()
        if not prefix or not found or (found == 1 and self.completer.currentCompletion() == prefix):
            self.names.hide()
            return
        place = self.cursorRect().translated(self.viewport().pos())
        bar = self.names.verticalScrollBar().sizeHint().width()
        place.setWidth(self.names.sizeHintForColumn(0) + bar + 2 * SPACE)
        self.completer.complete(place)

    def _typed(self) -> str:
        """The name before the cursor; '' elsewhere."""
        cursor = self.textCursor()
        found = _NAME.fullmatch(cursor.block().text()[: cursor.positionInBlock()])
        return found[1] if found else ""

    def _take(self, name: str) -> None:
        cursor = self.textCursor()
        cursor.movePosition(cursor.MoveOperation.Left, cursor.MoveMode.KeepAnchor, len(self._typed()))
        cursor.insertText(name)
        self.setTextCursor(cursor)


def add_name_completer(field: QLineEdit, names: Iterable[str]) -> None:
    """Complete a line edit by names that contain the typed text."""
    field.setCompleter(_completer(sorted(names), field))


def _completer(names: Iterable[str], parent: QWidget) -> QCompleter:
    made = QCompleter(list(names), parent)
    made.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    made.setFilterMode(Qt.MatchFlag.MatchContains)
    return made


class CodeView(QPlainTextEdit):
    """Text to select and copy; Tab leaves it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))

    def show_text(self, text: str) -> None:
        """Show a text; the same one keeps its place."""
        shown = harmless_text(text)
        if shown != self.toPlainText():
            self.setPlainText(shown)
