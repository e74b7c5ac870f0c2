"""Tags for all selected sessions: those there are to tick, and a line for a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget, QWidgetAction

from app.core.harmless import harmless

from .facets import TickMenu


class TagMenu(TickMenu):
    """Deletes itself when it closes."""

    toggled = Signal(str, bool)  # tag, whether all selected are to have it

    def __init__(self, tags: Mapping[str, bool], parent: QWidget) -> None:
        super().__init__(parent)
        self._line = QLineEdit()
        self._line.setPlaceholderText("New tag")
        self._line.setAccessibleName("New tag")
        self._line.returnPressed.connect(self._on_entered)
        line = QWidgetAction(self)
        line.setDefaultWidget(self._line)
        self.addAction(line)
        for tag, is_on in sorted(tags.items()):
            action = self.addAction(harmless(tag).replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(is_on)
            action.toggled.connect(lambda is_on, tag=tag: self.toggled.emit(tag, is_on))
        self.aboutToHide.connect(self.deleteLater)
        self.setActiveAction(line)
        self._line.setFocus()

    def _on_entered(self) -> None:
        tag = self._line.text().strip()
        if tag:
            self.toggled.emit(tag, True)
        self.close()


def shared_tags(all_tags: Iterable[str], of_each: Iterable[Iterable[str]]) -> dict[str, bool]:
    """All tags; those that each session has are ticked."""
    sets = [set(tags) for tags in of_each]
    shared = set.intersection(*sets) if sets else set()
    return {tag: tag in shared for tag in {*all_tags, *set().union(*sets)}}
