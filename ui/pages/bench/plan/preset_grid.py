"""The grid of builds and presets: the presets that fit, and a menu that brings the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QPushButton

from app.core.harmless import harmless
from app.core.units import count_text
from app.planner.starting.draft import Draft
from app.variables import Preset
from ui.models.choices import BuildPresetModel, engine_text
from ui.widgets.table import LineSelectTable

COLUMN, WIDEST_COLUMN = 92, 168


class PresetGrid(LineSelectTable):
    """Shows presets that are ticked or were chosen, then the first ones that fit."""

    def __init__(self, model: BuildPresetModel) -> None:
        super().__init__("Builds, engines and my.cnf files")
        self._presets: Sequence[Preset] = ()
        self._widths: list[int] = []
        self._chosen: dict[tuple[str, str], bool] = {}  # engine and preset -> whether a person wants it
        self._ticked: set[tuple[str, str]] = set()
        self.more = QPushButton()
        self.more.setToolTip("Choose which my.cnf files the grid shows")
        self._menu = QMenu(self.more)
        self._menu.aboutToShow.connect(self._fill_menu)
        self.more.setMenu(self._menu)
        self.setModel(model)
        self._set_up()

    def _set_up(self) -> None:
        self.setCornerButtonEnabled(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setSectionsMovable(False)
        across.setStretchLastSection(False)
        across.setDefaultSectionSize(COLUMN)
        down.show()
        down.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        down.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        down.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        down.setHighlightSections(False)

    def show_presets(self, presets: Sequence[Preset], builds: int, widths: Sequence[int]) -> None:
        """Show these columns, as wide as their names, for so many builds."""
        self._presets = presets
        self._widths = [min(max(width, COLUMN), WIDEST_COLUMN) for width in widths]
        for at, width in enumerate(self._widths):
            self.setColumnHidden(at, False)
            self.setColumnWidth(at, width)
        head = self.horizontalHeader().sizeHint().height() + 2 * self.frameWidth()
        bar = self.horizontalScrollBar().sizeHint().height()
        self.setMinimumHeight(head + min(builds, 2) * self.line_height)
        self.setMaximumHeight(head + max(builds, 1) * self.line_height + bar)
        self._arrange()

    def show_draft(self, draft: Draft) -> None:
        ticked = {(each.engine, each.preset) for each in draft.request.contenders}
        if ticked != self._ticked:
            self._ticked = ticked
            self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Those that must be there; then one's own and the first shipped ones, as far as they fit."""
        room = self.viewport().width()
        order = sorted(range(len(self._presets)), key=lambda at: (*self._place(self._presets[at]), at))
        for at in order:
            preset, width = self._presets[at], self._widths[at]
            is_shown = self._is_wanted(preset, width <= room)
            room -= width if is_shown else 0
            self.setColumnHidden(at, not is_shown)
        hidden = sum(self.isColumnHidden(at) for at in order)
        self.more.setVisible(bool(order))
        self.more.setText(count_text(hidden, "more my.cnf file") if hidden else "my.cnf files")

    def _place(self, preset: Preset) -> tuple[bool, bool]:
        return not self._is_wanted(preset, False), preset.shipped

    def _is_wanted(self, preset: Preset, fits: bool) -> bool:
        key = (preset.engine, preset.name)
        return key in self._ticked or self._chosen.get(key, fits)

    # the menu

    def _fill_menu(self) -> None:
        self._menu.clear()
        places = sorted(range(len(self._presets)), key=lambda at: self._presets[at].engine)
        for engine, columns in groupby(places, key=lambda at: self._presets[at].engine):
            self._menu.addSection(engine_text(engine))
            for at in columns:
                self._add_preset(at)

    def _add_preset(self, at: int) -> None:
        preset = self._presets[at]
        action = self._menu.addAction(harmless(f"{preset.name}  {preset.title}".strip()))
        action.setCheckable(True)
        action.setChecked(not self.isColumnHidden(at))
        action.setEnabled((preset.engine, preset.name) not in self._ticked)
        action.triggered.connect(lambda is_on: self._choose(preset, is_on))

    def _choose(self, preset: Preset, is_shown: bool) -> None:
        self._chosen[preset.engine, preset.name] = is_shown
        self._arrange()
