"""Facets: a button for each, its menu ticks values and stays open while a person ticks."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QPushButton

from app.core.harmless import harmless
from app.history.lists.browsing import FacetValue
from ui.core.plain import as_tip

_SAID = {"preset": "my.cnf"}  # what people read in place of the name
_LONGEST = 20  # characters of a value on the button


class TickMenu(QMenu):
    """Stays open while its entries are ticked; Escape or a click elsewhere closes it."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._tick(self.actionAt(event.position().toPoint())):
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_key = event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if not (is_key and self._tick(self.activeAction())):
            super().keyPressEvent(event)

    def _tick(self, action: QAction | None) -> bool:
        if action is None or not action.isCheckable():
            return False
        action.trigger()
        return True


class FacetButton(QPushButton):
    """A button that shows the chosen values of its facet."""

    chosen_changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._values: Sequence[FacetValue] = ()
        self._chosen: list[str] = []
        self._menu = TickMenu(self)
        self._menu.setStyleSheet("QMenu { menu-scrollable: 1; }")
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self.setProperty("facet", True)
        self._show()

    @property
    def name(self) -> str:
        return self._name

    @property
    def chosen(self) -> tuple[str, ...]:
        return tuple(self._chosen)

    def choose(self, values: Sequence[str]) -> None:
        """Choose values without a signal."""
        self._chosen = list(values)
        self._show()

    def show_values(self, values: Sequence[FacetValue]) -> None:
        """Show new counts; an open menu keeps its values."""
        self._values = values
        self.setEnabled(bool(values))
        counts = dict(values)
        for action in self._menu.actions() if self._menu.isVisible() else ():
            if action.isCheckable():
                action.setText(_entry(action.data(), counts.get(action.data(), 0)))

    def _fill(self) -> None:
        self._menu.clear()
        for value, count in self._values:
            action = self._menu.addAction(_entry(value, count))
            action.setData(value)
            action.setCheckable(True)
            action.setChecked(value in self._chosen)
            action.toggled.connect(lambda is_on, value=value: self._on_toggled(value, is_on))
        self._menu.addSeparator()
        clear = self._menu.addAction(f"Any {_SAID.get(self._name, self._name)}")
        clear.setEnabled(bool(self._chosen))
        clear.triggered.connect(self._on_cleared)

    def _on_toggled(self, value: str, is_on: bool) -> None:
        if is_on:
            self._chosen.append(value)
        else:
            self._chosen.remove(value)
        self._menu.actions()[-1].setEnabled(bool(self._chosen))
        self._show()
        self.chosen_changed.emit()

    def _on_cleared(self) -> None:
        self.choose(())
        self.chosen_changed.emit()

    def _show(self) -> None:
        title = _SAID.get(self._name, self._name.capitalize())
        shown = self._chosen[0] if len(self._chosen) == 1 else f"{len(self._chosen)} selected"
        if len(shown) > _LONGEST:
            shown = f"{shown[: _LONGEST - 1]}…"
        self.setText(harmless(f"{title}: {shown}" if self._chosen else title))
        only = f"only {', '.join(self._chosen)}" if self._chosen else "any"
        self.setToolTip(as_tip(f"Filter by {_SAID.get(self._name, self._name)}: {only}"))
        self.setAccessibleName(f"{title}: {only}")
        if self.property("isChosen") != bool(self._chosen):
            self.setProperty("isChosen", bool(self._chosen))
            self.style().polish(self)


def _entry(value: str, count: int) -> str:
    """An entry of the menu, with its count in the place of a shortcut."""
    return f"{value.replace('&', '&&')}\t{count:,}"
