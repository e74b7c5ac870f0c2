"""Actions: each with its text, its shortcut and what it does in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QCheckBox, QPushButton, QWidget

from ui.core.plain import as_tip
from ui.core.shortcuts import SHORTCUTS


def action(
    owner: QWidget,
    text: str,
    means: str,
    tip: str,
    triggered: Callable[[], object],
    checkable: bool = False,
) -> QAction:
    """An action of a page or window; the key of what it means works wherever the owner has the keyboard."""
    made = QAction(text, owner)
    made.setCheckable(checkable)
    shortcut = SHORTCUTS[means] if means else ""
    if shortcut:
        made.setShortcut(QKeySequence(shortcut))
        made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.setToolTip(as_tip(f"{tip} ({QKeySequence(shortcut).toString()})" if shortcut else tip))
    made.setStatusTip(tip)
    made.triggered.connect(lambda _checked=False: triggered())
    owner.addAction(made)
    return made


def plain_text(of: QAction) -> str:
    """Its text as a button has it: without the letter for the menu, which the page's menus need."""
    return of.text().replace("&", "")


def action_button(of: QAction) -> QPushButton:
    """A button that does what an action does, and can be pressed when that can."""
    button = QPushButton(plain_text(of))
    button.setToolTip(of.toolTip())
    button.setEnabled(of.isEnabled())
    button.clicked.connect(of.trigger)

    def follow() -> None:
        button.setText(plain_text(of))
        button.setEnabled(of.isEnabled())
        button.setToolTip(of.toolTip())

    of.changed.connect(follow)
    return button


def action_box(of: QAction) -> QCheckBox:
    """A box that is ticked as an action is."""
    box = QCheckBox(plain_text(of))
    box.setToolTip(of.toolTip())
    box.setChecked(of.isChecked())
    box.clicked.connect(of.trigger)
    of.toggled.connect(box.setChecked)
    return box
