"""One line of news in the page itself: no dialog where this will do."""

from __future__ import annotations

from itertools import zip_longest

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Slot
from PySide6.QtGui import QAction, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QPushButton, QWidget

from ui.core.plain import Label, error_lines
from ui.core.theme import SPACE

from .actions import plain_text

NARROW = 480
WIDEST = 720  # of a banner
MOST_ACTIONS = 2


class Message(QFrame):
    """A line that is hidden while empty; its actions are buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self._actions: tuple[QAction, ...] = ()
        self._details = ""
        self._copy = QAction("Copy details", self)
        self._copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(self._details))
        self._text = Label()
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.buttons = [QPushButton() for _ in range(MOST_ACTIONS)]
        dismiss = QPushButton("Dismiss")
        dismiss.clicked.connect(self.clear)
        row = QHBoxLayout()
        row.addStretch(1)
        for at, button in enumerate(self.buttons):
            button.clicked.connect(lambda _=False, at=at: self._act(self._actions[at]))
            row.addWidget(button)
        row.addWidget(dismiss)
        self._layout = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._layout.setContentsMargins(16, 8, 16, 8)
        self._layout.addWidget(self._text, 1)
        self._layout.addLayout(row)
        self.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fold(event.size().width())
        super().resizeEvent(event)

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, text: str, details: str = "", action: QAction | None = None) -> None:
        """Show an error with details to copy, or with an action."""
        self._details = details
        self._show("error", text, (self._copy,) if details else (action,) if action else ())

    def show_failure(self, error: Exception) -> None:
        """Show an error, with details if it is a defect."""
        self.show_error(*error_lines(error))

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
            button.setText(plain_text(action) if action else "")
        self.setProperty("tone", tone)
        self.style().polish(self)
        self.show()

    def _act(self, action: QAction) -> None:
        action.trigger()

    def _fold(self, width: int) -> None:
        """Put the buttons below the text in a narrow place."""
        is_narrow = width < NARROW
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        self._layout.setDirection(direction)


class Banner(Message):
    """A message over the lower left of a page; hides when acted on."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.setProperty("over", "page")
        page.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return False

    def _show(self, tone: str, text: str, actions: tuple[QAction, ...]) -> None:
        super()._show(tone, text, actions)
        self.raise_()
        self._place()
        for each in self._page.findChildren(Banner):
            each._place()

    def _act(self, action: QAction) -> None:
        self.clear()  # first: what it does may have news
        super()._act(action)

    def _place(self) -> None:
        width = min(self._page.width() - 4 * SPACE, WIDEST)
        self._fold(width)
        height = self._layout.totalHeightForWidth(width)
        self.setGeometry(2 * SPACE, self._lowest() - height - SPACE, width, height)

    def _lowest(self) -> int:
        """The lower edge of the page, or of the parent's banner if that covers it."""
        edges = [self._page.height()]
        for each in self.window().findChildren(Banner):
            if each._page.isAncestorOf(self._page) and each is not self and not each.isHidden():
                edges.append(self._page.mapFromGlobal(each.mapToGlobal(QPoint())).y())
        return min(edges)
