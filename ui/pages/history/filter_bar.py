"""Above the list: text that filters as it is typed, the facets, how many sessions fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.history.lists.browsing import FACETS, FacetValue, Filter
from ui.core.plain import PlainTextLabel
from ui.core.shortcuts import SHORTCUTS
from ui.core.theme import SPACE
from ui.widgets.filter_line import FilterLine
from ui.widgets.layouts import in_row

from .facets import FacetButton


class FilterBar(QWidget):
    """Emits the filter with every key."""

    changed = Signal(object)  # Filter
    left = Signal()  # towards the list

    def __init__(self) -> None:
        super().__init__()
        tip = f"Show sessions that contain each word ({SHORTCUTS['find']})"
        self._text = FilterLine("Filter sessions", "Filter: name, target, contender, tag, note…", tip)
        self._text.setMinimumWidth(160)
        self._facets = [FacetButton(name) for name in FACETS]
        self._count = PlainTextLabel(role="muted")
        self._count.setMinimumWidth(130)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._clear = QPushButton("Clear")
        self._clear.setToolTip("Show all sessions: clear the text and all filters")
        self._clear.clicked.connect(self.clear)
        right = (*self._facets, self._clear, self._count)
        self.setLayout(in_row((self._text, 1), *right, spacing=SPACE // 2))
        self._text.textChanged.connect(self._on_changed)
        self._text.left.connect(self.left)
        for facet in self._facets:
            facet.chosen_changed.connect(self._on_changed)
        self._clear.setEnabled(False)

    @property
    def filter(self) -> Filter:
        return Filter(self._text.text(), {each.name: each.chosen for each in self._facets if each.chosen})

    def show_count(self, fitting: int, total: int) -> None:
        many = f"{total:,} session{'' if total == 1 else 's'}"
        self._count.setText(many if fitting == total else f"{fitting:,} of {many}")

    def show_facets(self, values: Mapping[str, Sequence[FacetValue]]) -> None:
        for facet in self._facets:
            facet.show_values(values.get(facet.name, ()))

    def clear(self) -> None:
        with QSignalBlocker(self._text):
            self._text.clear()
        for facet in self._facets:
            facet.choose(())
        self._on_changed()

    def focus_text(self) -> None:
        self._text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._text.selectAll()

    def _on_changed(self) -> None:
        wanted = self.filter
        self._clear.setEnabled(not wanted.is_empty)
        self.changed.emit(wanted)
