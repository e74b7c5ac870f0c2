"""Actions: each with its text, its shortcut and what it does in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QCheckBox, QPushButton, QToolButton, QWidget

from ui.core.plain import as_tip
from ui.core.shortcuts import SHORTCUTS


class ListedAction(NamedTuple):
    """An action in a list of all: its page need not be made for that."""

    menu: str  # its title
    at: int  # its place in the menu, separators left out
    name: str
    key: str
    tip: str


def listed_actions(menu: str, actions: Iterable[QAction]) -> list[ListedAction]:
    """The actions of a menu."""
    named = (each for each in actions if not each.isSeparator())
    return [
        ListedAction(
            plain_name(menu), at, plain_name(each.text()), each.shortcut().toString(), each.statusTip()
        )
        for at, each in enumerate(named)
    ]


def plain_name(text: str) -> str:
    """A text of a menu without its mnemonic, dots and the arrow of what it unfolds."""
    return text.replace("&", "").removesuffix("…").lstrip("▸▾ ")


def action(
    owner: QWidget,
    text: str,
    means: str,
    tip: str,
    triggered: Callable[[], object] | None = None,
    checkable: bool = False,
) -> QAction:
    """An action of a page or window; its key works wherever the owner has focus.

    Without `triggered` others connect to it.
    """
    made = QAction(text, owner)
    made.setCheckable(checkable)
    shortcut = SHORTCUTS[means] if means else ""
    if shortcut:
        made.setShortcut(QKeySequence(shortcut))
        made.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    made.setToolTip(as_tip(f"{tip} ({QKeySequence(shortcut).toString()})" if shortcut else tip))
    made.setStatusTip(tip)
    if triggered is not None:
        made.triggered.connect(lambda _checked=False: triggered())
    owner.addAction(made)
    return made


def text_without_mnemonic(of: QAction) -> str:
    """Its text for a button, without the mnemonic that menus need."""
    return of.text().replace("&", "")


def action_button(of: QAction, has_mnemonic: bool = False) -> QPushButton:
    """A button for an action; enabled and checked when the action is. Those of dialogs have a mnemonic."""
    button = QPushButton()
    button.setCheckable(of.isCheckable())
    button.clicked.connect(of.trigger)

    def follow() -> None:
        button.setText(of.text() if has_mnemonic else text_without_mnemonic(of))
        button.setEnabled(of.isEnabled())
        button.setChecked(of.isChecked())
        button.setToolTip(of.toolTip())

    follow()
    of.changed.connect(follow)
    return button


def short_button(of: QAction, text: str) -> QToolButton:
    """A flat button for an action whose text would be too long for a row."""
    of.setIconText(text)
    button = QToolButton()
    button.setDefaultAction(of)
    button.setAccessibleName(text)
    button.setAutoRaise(True)
    return button


def action_check_box(of: QAction) -> QCheckBox:
    """A check box for an action."""
    box = QCheckBox(text_without_mnemonic(of))
    box.setToolTip(of.toolTip())
    box.setChecked(of.isChecked())
    box.clicked.connect(of.trigger)
    of.toggled.connect(box.setChecked)
    return box
