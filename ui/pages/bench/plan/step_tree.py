"""The steps of a sequence by group, to tick: one, a group, all, none or only this."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem

from app.core.harmless import harmless
from app.planner.starting.choices import TickableStep
from ui.core.plain import as_tip
from ui.core.theme import SPACE

_STEP = Qt.ItemDataRole.UserRole
_ON, _OFF = Qt.CheckState.Checked, Qt.CheckState.Unchecked


class StepTree(QTreeWidget):
    """The tree of steps; Space ticks the selection, Ctrl+A selects what the filter shows."""

    ticked = Signal(list)  # names of all that are ticked
    profiled = Signal(list)  # names of all that are to be profiled

    def __init__(self) -> None:
        super().__init__()
        self._steps: tuple[TickableStep, ...] = ()
        self._profiled: tuple[str, ...] = ()
        self.setAccessibleName("Steps")
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(2 * SPACE)
        self.setMinimumHeight(12 * SPACE)
        self.setMinimumWidth(23 * SPACE)  # its names can be read
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.itemChanged.connect(lambda *_: self._tell())

    def show_steps(
        self, steps: tuple[TickableStep, ...], chosen: tuple[str, ...], profiled: tuple[str, ...] = ()
    ) -> None:
        """Show steps in groups; a group that appears twice in the sequence appears twice here."""
        with QSignalBlocker(self):
            self._profiled = profiled
            if steps != self._steps:
                self._steps = steps
                self.clear()
                for group, members in groupby(steps, key=lambda step: step.group):
                    _fill(QTreeWidgetItem(self, [harmless(group)]), members)
                self.expandAll()
            for item in self.items():
                step = item.data(0, _STEP)
                item.setText(0, _text(step, step.name in profiled))
                item.setCheckState(0, _ON if not chosen or step.name in chosen or step.is_fixed else _OFF)

    def items(self) -> list[QTreeWidgetItem]:
        """The items of steps, without groups."""
        return [item for group in self._groups() for item in _members(group)]

    def filter_by(self, text: str) -> None:
        """Show only steps whose line or group contains all words of a text."""
        words = text.lower().split()
        for group in self._groups():
            for item in _members(group):
                line = f"{group.text(0)} {item.text(0)}".lower()
                item.setHidden(not all(word in line for word in words))
            group.setHidden(all(item.isHidden() for item in _members(group)))

    # what a person does

    def tick_all(self) -> None:
        """Tick or clear all steps that the filter shows."""
        self._tick(self._shown(), _ON)

    def tick_none(self) -> None:
        self._tick(self._shown(), _OFF)

    def tick_only_selected(self) -> None:
        """Tick only the selected steps; clears all others, also hidden ones."""
        if chosen := self._selected():
            self._tick(self.items(), _OFF, is_last=False)
            self._tick(chosen, _ON)

    def turn_profile(self) -> None:
        """Profile the selected steps; if all of them are profiled, none of them any more."""
        names = [item.data(0, _STEP).name for item in self._selected() if item.data(0, _STEP).can_be_profiled]
        if names:
            others = [name for name in self._profiled if name not in names]
            self.profiled.emit(others if set(names) <= set(self._profiled) else [*others, *names])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and (chosen := self._selected()):
            is_on = all(item.checkState(0) == _ON or item.data(0, _STEP).is_fixed for item in chosen)
            self._tick(chosen, _OFF if is_on else _ON)
        else:
            super().keyPressEvent(event)

    # inside

    def _groups(self) -> list[QTreeWidgetItem]:
        return list(filter(None, map(self.topLevelItem, range(self.topLevelItemCount()))))

    def _shown(self) -> list[QTreeWidgetItem]:
        return [item for item in self.items() if not item.isHidden()]

    def _selected(self) -> list[QTreeWidgetItem]:
        """The selected steps; a group counts as its steps."""
        return [
            item
            for group in self._groups()
            for item in _members(group)
            if not item.isHidden() and (item.isSelected() or group.isSelected())
        ]

    def _tick(self, items: Iterable[QTreeWidgetItem], state: Qt.CheckState, is_last: bool = True) -> None:
        """Tick steps as one change of the plan."""
        with QSignalBlocker(self):
            for item in items:
                if not item.data(0, _STEP).is_fixed:
                    item.setCheckState(0, state)
        if is_last:
            self._tell()

    def _tell(self) -> None:
        steps = [(item.data(0, _STEP), item.checkState(0)) for item in self.items()]
        self.ticked.emit([step.name for step, state in steps if state == _ON or step.is_fixed])


def _members(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    return list(filter(None, map(group.child, range(group.childCount()))))


def _fill(group: QTreeWidgetItem, steps: Iterable[TickableStep]) -> None:
    group.setFlags(group.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
    for step in steps:
        group.addChild(_item(step))


def _text(step: TickableStep, is_profiled: bool) -> str:
    return harmless(" · ".join(filter(None, (step.name, step.bound, "profiled" if is_profiled else ""))))


def _item(step: TickableStep) -> QTreeWidgetItem:
    item = QTreeWidgetItem([_text(step, is_profiled=False)])
    item.setData(0, _STEP, step)
    required = "Required: nothing can be measured without it" if step.is_fixed else ""
    item.setToolTip(0, as_tip("\n".join(filter(None, (step.title, step.bound, required)))))
    if step.is_fixed:
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable)
    return item
