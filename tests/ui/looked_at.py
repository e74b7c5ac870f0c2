"""What is wrong with a window at a look: texts cut off, controls without a name or beyond reach, units."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractListModel,
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QMenu,
    QPlainTextEdit,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QTextEdit,
    QWidget,
)

from ui.widgets.elided import ElidedLabel

LARGEST = QSize(1280, 760)  # of what a window may demand: a small screen less the frame
GIVE_WAY = ("Overlay", "Last chart")  # boxes with names of sessions and series
_ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)
Index = QModelIndex | QPersistentModelIndex
_DECIMAL = re.compile(r"\b[KMGT]B\b")
_MOST = 400  # presses of Tab, of which no page needs as many


def faults(window: QWidget) -> list[str]:
    """Everything that is wrong with what is shown."""
    shown = list(_shown(window))
    found = [f"has no name: {_told(each)}" for each in shown if _is_control(each) and not _name(each)]
    found += [f"is cut off: {_told(each)}, {lack}" for each in shown if (lack := _lack(each))]
    found += [f"is outside its parent: {_told(each)}" for each in shown if _is_outside(each)]
    found += [f"lies over another: {_told(one)}, {_told(other)}" for one, other in _overlapping(shown)]
    found += [f"is not reached by Tab: {_told(each)}" for each in unreached(window)]
    found += [f"is given twice: {key}: {', '.join(names)}" for key, names in _keys(window, shown).items()]
    found += [f"names no binary unit: {text}" for each in shown for text in decimal_units(each)]
    least = window.minimumSizeHint()
    if least.width() > LARGEST.width() or least.height() > LARGEST.height():
        found.append(f"demands {least.width()} x {least.height()}")
    return found


def decimal_units(widget: QWidget) -> list[str]:
    """Its texts that say KB, MB or GB: all sizes in Dyno are powers of 1024."""
    return [text for text in _texts(widget) if _DECIMAL.search(text)]


def _texts(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription())
    if isinstance(widget, QAbstractButton | QLabel | QLineEdit):
        yield widget.text()
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        yield widget.toPlainText()
    if isinstance(widget, QComboBox):
        yield from _cells(widget.model())
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _cells(widget.model())


def _cells(model: QAbstractItemModel, parent: Index = QModelIndex()) -> Iterator[str]:  # noqa: B008
    """Heads and cells with their tooltips; of a tree also those below."""
    is_list = isinstance(model, QAbstractListModel)
    is_tree = not isinstance(model, QAbstractListModel | QAbstractTableModel)
    for column in range(1 if is_list else model.columnCount(parent)):
        yield from (str(model.headerData(column, Qt.Orientation.Horizontal, role)) for role in _ROLES)
        for row in range(model.rowCount(parent)):
            index = model.index(row, column, parent)
            yield from (str(index.data(role)) for role in _ROLES)
            if is_tree and model.hasChildren(index):
                yield from _cells(model, index)


def unreached(window: QWidget) -> list[QWidget]:
    """Controls that Tab does not come to."""
    wanted = {each for each in _shown(window) if _is_control(each) and each.isEnabled() and _is_entered(each)}
    for _ in range(_MOST):
        at = QApplication.focusWidget()
        wanted.discard(at)  # type: ignore[arg-type]
        if not wanted or at is None:
            break
        QTest.keyClick(at, Qt.Key.Key_Tab)
    return sorted(wanted, key=_told)


def _shown(window: QWidget) -> Iterator[QWidget]:
    for each in [window, *window.findChildren(QWidget)]:
        if each.isVisible() and each.window() is window and not each.visibleRegion().isEmpty():
            yield each


def _is_control(widget: QWidget) -> bool:
    policy = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(policy) and widget.focusProxy() is None and not widget.isWindow()


def _is_entered(widget: QWidget) -> bool:
    """By Tab; of buttons of which one is chosen that one is, arrows lead to the others."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    if group is not None and group.exclusive() and group.checkedButton() is not widget:
        return False
    return not widget.objectName().startswith("qt_") or isinstance(widget, QTabBar)


def _name(widget: QWidget) -> str:
    if isinstance(widget, QTabBar):
        return widget.parentWidget().accessibleName()
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def _told(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QAbstractButton | QLabel) else ""
    chain = [type(widget).__name__]
    parent = widget.parentWidget()
    while parent is not None and len(chain) < 4:
        chain.append(type(parent).__name__)
        parent = parent.parentWidget()
    return f"{_name(widget) or text or widget.objectName()!r} ({' in '.join(chain)})"


def _lack(widget: QWidget) -> str:
    """How much of its text does not fit, where it does not give way on purpose."""
    if isinstance(widget, QComboBox):
        return _lack_of_box(widget)
    if isinstance(widget, ElidedLabel) or not isinstance(widget, QAbstractButton | QLabel):
        return ""
    if not widget.text():
        return ""
    least = widget.minimumSizeHint()
    if isinstance(widget, QLabel) and widget.wordWrap():
        least.setHeight(widget.heightForWidth(widget.width()))
    wide, high = least.width() - widget.width(), least.height() - widget.height()
    return f"by {wide} x {high} pixels" if wide > 0 or high > 0 else ""


def _lack_of_box(box: QComboBox) -> str:
    option = QStyleOptionComboBox()
    box.initStyleOption(option)
    field = QStyle.SubControl.SC_ComboBoxEditField
    room = box.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, box).width()
    wide = box.fontMetrics().horizontalAdvance(box.currentText()) - room
    return f"by {wide} pixels" if wide > 0 and box.accessibleName() not in GIVE_WAY else ""


def _is_outside(widget: QWidget) -> bool:
    parent = widget.parentWidget()
    if parent is None or widget.isWindow() or widget.objectName().startswith("qt_"):
        return False
    if isinstance(parent, QAbstractScrollArea) or isinstance(parent.parentWidget(), QAbstractScrollArea):
        return False  # is scrolled to
    return not parent.rect().contains(widget.geometry())


def _overlapping(shown: list[QWidget]) -> Iterator[tuple[QWidget, QWidget]]:
    """Controls and labels of one parent that are drawn over each other."""
    told = [each for each in shown if isinstance(each, QAbstractButton | QLabel | QComboBox | QLineEdit)]
    for one, other in combinations(told, 2):
        if one.parentWidget() is other.parentWidget() and one.geometry().intersects(other.geometry()):
            yield one, other


def _keys(window: QWidget, shown: list[QWidget]) -> dict[str, list[str]]:
    """Keys that lead to more than one thing on what is shown."""
    found: dict[str, set[str]] = defaultdict(set)
    for action in window.findChildren(QAction):
        owner = action.parent()
        is_there = not isinstance(owner, QWidget) or owner is window or owner in shown
        if is_there and not isinstance(owner, QMenu):
            for key in action.shortcuts():
                found[key.toString()].add(f"{action.text()} of {type(owner).__name__}")
    if isinstance(window, QMainWindow):
        for menu in window.menuBar().actions():
            if menu.isVisible():
                found[QKeySequence.mnemonic(menu.text()).toString()].add(f"menu {menu.text()}")
    for each in shown:
        if isinstance(each, QAbstractButton | QLabel) and each.isEnabled():
            found[QKeySequence.mnemonic(each.text()).toString()].add(f"{each.text()} {id(each)}")
    return {key: sorted(names) for key, names in found.items() if key and len(names) > 1}
