"""One line of news in the page itself: no dialog where this will do."""

from __future__ import annotations

from itertools import zip_longest

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QFrame, QPushButton, QToolBar, QWidget

from ui.core.plain import PlainTextLabel, as_tip, error_with_details
from ui.core.shortcuts import SHORTCUTS
from ui.core.theme import SPACE

from .actions import text_without_mnemonic
from .layouts import NATIVE, in_row

NARROW = 480
WIDEST = 880  # pixels of a banner
TOP = 2  # pixels above a banner
MOST_ACTIONS = 2


class MessageBar(QFrame):
    """A line that is hidden while empty; its actions are buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self._actions: tuple[QAction, ...] = ()
        self._details = ""
        self._copy = QAction("Copy details", self)
        self._copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        self._text = PlainTextLabel(wraps=True, selectable=True)
        self.buttons = [QPushButton() for _ in range(MOST_ACTIONS)]
        dismiss = QPushButton("Dismiss")
        for button in (*self.buttons, dismiss):
            button.setAutoDefault(False)  # else one that is hidden gets Return in a dialog
        dismiss.clicked.connect(self.clear)
        for at, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, at=at: self._act(self._actions[at]))
        row = in_row(1, *self.buttons, dismiss, spacing=NATIVE)
        margins = (2 * SPACE, SPACE, 2 * SPACE, SPACE)
        self._layout: QBoxLayout = in_row((self._text, 1), row, spacing=NATIVE, margins=margins)
        self.setLayout(self._layout)
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fold(event.size().width())
        super().resizeEvent(event)

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def has_action(self) -> bool:
        return bool(self._actions) and bool(self.text)

    def show_error(self, text: str, details: str = "", action: QAction | None = None) -> None:
        """Show an error with details to copy, or with an action."""
        self._details = details
        self._show("error", text, (self._copy,) if details else (action,) if action else ())

    def show_failure(self, error: Exception) -> None:
        """Show an error, with details if it is a defect."""
        self.show_error(*error_with_details(error))

    def show_warning(self, text: str, *actions: QAction) -> None:
        self._show("warning", text, actions)

    def show_info(self, text: str, *actions: QAction) -> None:
        self._show("info", text, actions)

    @Slot()
    def clear(self) -> None:
        self._text.clear()
        self.hide()

    def _show(self, tone: str, text: str, actions: tuple[QAction, ...]) -> None:
        self._actions = actions
        self._text.setText(text)
        self.setAccessibleName(text)
        for button, action in zip_longest(self.buttons, actions):
            button.setVisible(action is not None)
            button.setText(text_without_mnemonic(action) if action else "")
            button.setToolTip(as_tip(action.statusTip()) if action else "")
        self.setProperty("tone", tone)
        self.style().polish(self)
        QApplication.sendEvent(self, QEvent(QEvent.Type.StyleChange))  # else its frame keeps the old width
        self.show()

    def _act(self, action: QAction) -> None:
        action.trigger()

    def _fold(self, width: int) -> None:
        """Put the buttons below the text in a narrow place."""
        is_narrow = width < NARROW
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._layout.setDirection(direction)


class Banner(MessageBar):
    """A message of a page in the upper right of its window, next to the menus and places.

    It covers nothing of the page; in a narrow window it may cover its upper edge, never the places.
    It hides with its page, and closes when acted on. The newest lies on top.
    """

    turned = Signal()  # it was shown or closed

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._layout.setContentsMargins(2 * SPACE, SPACE // 2, 2 * SPACE, SPACE // 2)
        self.setProperty("over", "page")
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        elif event.type() in (QEvent.Type.Show, QEvent.Type.Hide) and watched is self._page and self.text:
            self.setVisible(event.type() == QEvent.Type.Show)
            self._place()
            self.turned.emit()
        return False

    @Slot()
    def clear(self) -> None:
        at, before = QApplication.focusWidget(), self._page.focusWidget()
        super().clear()
        if at is not None and before is not None and self.isAncestorOf(at):
            before.setFocus()  # Qt would give it to the next part of the window
        self.turned.emit()

    def _show(self, tone: str, text: str, actions: tuple[QAction, ...]) -> None:
        window = self._page.window()
        if self.parent() is not window:  # over its menus too
            self.setParent(window)
            window.installEventFilter(self)
        super()._show(tone, text, actions)
        key = QKeySequence(SHORTCUTS["act on message"]).toString()
        about = actions[0].statusTip() if actions else ""
        self.buttons[0].setToolTip(as_tip(f"{about} ({key})".strip()))
        self.setVisible(self._page.isVisible())
        self.raise_()
        self._place()
        self.turned.emit()

    def _act(self, action: QAction) -> None:
        self.clear()  # first: what it does may have news
        super()._act(action)

    def _place(self) -> None:
        room = self.window().width() - 4 * SPACE - _taken(self.window())
        width = min(room, WIDEST)
        self._fold(width)
        height = self._layout.totalHeightForWidth(width)
        self.setGeometry(self.window().width() - 2 * SPACE - width, TOP, width, height)


def _taken(window: QWidget) -> int:
    """The pixels on the left in which a window has its places."""
    bar = window.findChild(QToolBar)
    return bar.sizeHint().width() if bar is not None else 0
