"""The flame graph of a step, with search, zoom, the functions as a list, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QScrollArea,
    QTabWidget,
    QWidget,
)

from app.comparison.texts.flame_views import FlameGraphWithTable
from app.core.harmless import as_file_name, harmless
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE, Theme
from ui.models.text_table import TextTableModel
from ui.widgets.actions import action, action_button
from ui.widgets.charts.flame_chart import FlameChart, FlameLegend
from ui.widgets.layouts import NATIVE, boxed, dialog_buttons, in_column, in_row, lay_out_dialog
from ui.widgets.message import MessageBar
from ui.widgets.table import LineSelectTable

_HINT = "Click a frame to zoom; arrow keys, Enter and Backspace do the same"


class FlameDialog(QDialog):
    """Shows one of several views: of columns, or of what differs between them."""

    def __init__(
        self, label: str, views: Sequence[FlameGraphWithTable], theme: Theme, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Flame graph")
        self._label, self._views = label, views
        self.view = QComboBox()
        self.chart, self.legend = FlameChart(theme), FlameLegend(theme)
        self.search = QLineEdit(placeholderText="Search functions", clearButtonEnabled=True)
        self.share, self.pointed = PlainTextLabel(), PlainTextLabel(_HINT, "muted")
        self.tabs, self.table, self._model = QTabWidget(), LineSelectTable("Functions"), TextTableModel(self)
        self._remarks, self._message = PlainTextLabel(role="muted", wraps=True), MessageBar()
        self._build()
        self._connect()
        self._show(0)

    # building

    def _build(self) -> None:
        self.view.setAccessibleName("View")
        self.view.addItems([harmless(view.name) for view in self._views])
        self.search.setAccessibleName("Search functions")
        self.table.setModel(self._model)
        self._build_tabs()
        tip = "Return to the zoom before"
        self.back = action(self, "Back", "back", tip, self.chart.go_back)
        self.whole = action(self, "Show all", "whole", "Show all frames", self.chart.show_all)
        tip = "Save the whole flame graph as a picture"
        self.save = action(self, "Save as SVG…", "save", tip, self._on_save)
        zooms = [action_button(each) for each in (self.back, self.whole)]
        for button in zooms:
            button.setAutoDefault(False)
        head = in_row((self.view, 1), (self.search, 1), self.share, *zooms, spacing=NATIVE)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Close, self.save)
        above = (PlainTextLabel(self._label, "title"), self._message, head)
        lay_out_dialog(self, *above, (self.tabs, 1), self._remarks, buttons)
        self.resize(140 * SPACE, 85 * SPACE)

    def _build_tabs(self) -> None:
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.chart)
        bar = area.verticalScrollBar()
        bar.rangeChanged.connect(lambda _, bottom: bar.setValue(bottom))  # where the threads are
        parts = (self.legend, (area, 1), self.pointed)
        page = boxed(in_column(*parts, spacing=NATIVE, margins=(0, SPACE, 0, 0)))
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName("Stacks")
        self.tabs.addTab(page, "Flame graph")
        self.tabs.addTab(self.table, "Functions")

    def _connect(self) -> None:
        self.view.currentIndexChanged.connect(self._show)
        self.search.textChanged.connect(self.chart.search)
        self.search.returnPressed.connect(self.chart.setFocus)
        self.chart.pointed.connect(lambda text: self.pointed.setText(harmless(text) or _HINT))
        self.chart.found.connect(self._on_found)

    # what it shows

    def _show(self, at: int) -> None:
        view = self._views[at]
        self.legend.show_flame(view.flame)
        self.chart.show_flame(view.flame)
        self._model.show(view.table)
        self.table.setColumnWidth(0, 45 * SPACE)
        self.table.setColumnWidth(1, 25 * SPACE)
        self._remarks.setText("; ".join(view.remarks))

    def _on_found(self, share: float) -> None:
        unit = self._views[max(0, self.view.currentIndex())].flame.unit
        self.share.setText(f"{share:.1%} of the {unit}" if self.search.text().strip() else "")

    def _on_save(self) -> None:
        name = f"{as_file_name(f'{self._label}-{self.view.currentText()}')}.svg"
        path, _ = QFileDialog.getSaveFileName(self, "Save as SVG", name, "SVG (*.svg)")
        if path:
            self.write_svg(Path(path))

    def write_svg(self, path: Path) -> None:
        from app.report.flame_svg import flame_svg

        view = self._views[self.view.currentIndex()]
        try:
            path.write_text(
                flame_svg(view.flame, f"{self._label}: {view.name}", view.remarks), encoding="utf-8"
            )
        except OSError as error:
            self._message.show_error(f"{path} cannot be written: {error.strerror}")
        else:
            self._message.show_info(f"Saved {path}")
