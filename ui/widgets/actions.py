"""Actions: each with its text, its shortcut and what it does in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


def action(
    owner: QWidget,
    text: str,
    shortcut: str,
    tip: str,
    triggered: Callable[[], object],
    checkable: bool = False,
) -> QAction:
    """An action of a page or window; its shortcut works wherever the owner has the keyboard."""
    made = QAction(text, owner)
    made.setCheckable(checkable)
    if shortcut:
        made.setShortcut(QKeySequence(shortcut))
        made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.setToolTip(f"{tip} ({QKeySequence(shortcut).toString()})" if shortcut else tip)
    made.setStatusTip(tip)
    made.triggered.connect(lambda _checked=False: triggered())
    owner.addAction(made)
    return made
