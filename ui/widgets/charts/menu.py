"""What can be done with every chart: its context menu, and the same by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QFileDialog,
    QMenu,
    QSplitterHandle,
    QStackedWidget,
    QTabWidget,
    QWidget,
)

from app.core.errors import DynoError
from app.core.harmless import as_file_name, harmless
from ui.core.shortcuts import SHORTCUTS
from ui.widgets.image import copy_image, save_image
from ui.widgets.layouts import open_disposable_dialog
from ui.widgets.message import Banner

from .head import ChartHead
from .lines import ChartLine
from .time_axis import TimeAxis
from .value_scale import ValueScale

_FORMATS = "PNG image (*.png);;SVG image (*.svg)"


class ChartMenu(QObject):
    """The menu of a chart; charts over time add their axis, charts of curves their scale."""

    saved = Signal(object, str)  # Path, one line about it
    failed = Signal(object)  # Exception

    def __init__(self, chart: QWidget, head: ChartHead, scale: ValueScale | None = None) -> None:
        super().__init__(chart)
        self._chart, self._head, self._scale = chart, head, scale
        self.axis: TimeAxis | None = None
        self.caption: Callable[[], str] = str  # of a picture: what the chart itself does not show
        self.maximised = Maximised(chart)
        head.title_double_clicked.connect(self.maximised.toggle)
        chart.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event:
            case QContextMenuEvent():
                self.build(event.pos()).popup(event.globalPos())
                return True
            case QKeyEvent() if event.type() == QEvent.Type.KeyPress and self._press(event):
                return True
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        """Handle a key; False for other keys."""
        if event.key() == Qt.Key.Key_F11:
            self.maximised.toggle()
        elif event.key() == Qt.Key.Key_Escape and self.maximised.is_on:
            self.maximised.restore()
        elif event.matches(QKeySequence.StandardKey.Copy):
            self._copy()
        elif event.key() == Qt.Key.Key_L and not event.modifiers() and self._scale:
            self._scale.toggle()
        else:
            return False
        return True

    # ---- the menu

    def build(self, at: QPoint) -> QMenu:
        """Build the menu; `at` is the mouse, perhaps on a name in the legend."""
        menu = QMenu(self._chart)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("&Copy picture", SHORTCUTS["copy"], self._copy)
        menu.addAction("&Save picture…", self._ask_where)
        menu.addSeparator()
        if self.axis is not None:
            menu.addAction("&Reset view", "Home", self.axis.reset)
        self._add_logarithm(menu)
        self._add_curves(menu, self._head.entry_at(self._head.mapFrom(self._chart, at)))
        menu.addSeparator()
        text = "Back to &all charts" if self.maximised.is_on else "&Maximise"
        menu.addAction(text, SHORTCUTS["maximise"], self.maximised.toggle)
        return menu

    def _add_logarithm(self, menu: QMenu) -> None:
        if self._scale is not None and not self._scale.is_fixed:
            added = menu.addAction("&Logarithmic scale", "L", self._scale.toggle)
            added.setCheckable(True)
            added.setChecked(self._scale.is_logarithmic)
            added.setEnabled(self._scale.is_logarithmic or self._scale.has_logarithms)

    def _add_curves(self, menu: QMenu, pointed: ChartLine | None) -> None:
        lines, hidden = self._head.lines, self._head.hidden
        if not lines:
            return
        if pointed is not None:
            name = harmless(pointed.label).replace("&", "&&")
            menu.addAction(f'&Only "{name}", in all charts', partial(hidden.isolate, pointed.owner))
        else:
            only = menu.addMenu("&Only this series, in all charts")
            for line in lines:
                only.addAction(_name(line), partial(hidden.isolate, line.owner))
        shown = menu.addMenu("S&hown series")
        for line in lines:
            added = shown.addAction(_name(line), partial(hidden.toggle, line.owner, lines))
            added.setCheckable(True)
            added.setChecked(line.owner not in hidden.of(lines))
        menu.addAction("Show &all series", "0", hidden.show_all)

    def _copy(self) -> None:
        copy_image(self._chart, self.caption())

    def _ask_where(self) -> None:
        name = as_file_name(self._chart.accessibleName())
        last = ""  # the folder that Qt remembers
        dialog = QFileDialog(self._chart.window(), "Save picture", last, _FORMATS)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("png")
        dialog.selectFile(f"{name}.png")
        dialog.fileSelected.connect(self.save)
        open_disposable_dialog(dialog)

    def save(self, name: str) -> None:
        """Save as PNG or SVG."""
        path = Path(name)
        try:
            save_image(self._chart, path, self.caption())
        except DynoError as error:
            self.failed.emit(error)
        else:
            self.saved.emit(path, f"{path.name} is saved")


def _name(line: ChartLine) -> str:
    """The full name, for an entry of the menu."""
    return harmless(line.full or line.label).replace("&", "&&")


# one chart alone on its page, and back


_KEPT = (Banner, QSplitterHandle)  # the splitter hides its handles by itself


class Maximised(QObject):
    """Hides everything around a chart up to its page; restores it when the chart is hidden."""

    def __init__(self, chart: QWidget) -> None:
        super().__init__(chart)
        self._chart = chart
        self._hidden: list[QWidget] = []
        chart.installEventFilter(self)

    @property
    def is_on(self) -> bool:
        return bool(self._hidden)

    def toggle(self) -> None:
        self.restore() if self.is_on else self._maximise()

    def restore(self) -> None:
        hidden, self._hidden = self._hidden, []
        for widget in hidden:
            widget.removeEventFilter(self)
            widget.show()

    def _maximise(self) -> None:
        self._hidden = [each for each in _around(self._chart) if not each.isHidden()]
        for widget in self._hidden:
            widget.hide()
            widget.installEventFilter(self)
        self._chart.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._chart and event.type() == QEvent.Type.Hide and not event.spontaneous():
            self.restore()
        elif event.type() == QEvent.Type.Show and watched in self._hidden and isinstance(watched, QWidget):
            watched.hide()  # a page that shows it meanwhile knows nothing of this
        return super().eventFilter(watched, event)


def _around(chart: QWidget) -> Iterator[QWidget]:
    """The widgets around it on the page, except messages over it."""
    widget, parent = chart, chart.parentWidget()
    while parent is not None and not widget.isWindow() and not _is_page(widget):
        if not isinstance(parent, QAbstractScrollArea):  # its bars are its own
            others = (each for each in parent.children() if isinstance(each, QWidget) and each is not widget)
            yield from (each for each in others if not (each.isWindow() or isinstance(each, _KEPT)))
        widget, parent = parent, parent.parentWidget()


def _is_page(widget: QWidget) -> bool:
    """Whether a widget is a place of the window; a tab is none."""
    parent = widget.parentWidget()
    return isinstance(parent, QStackedWidget) and not isinstance(parent.parentWidget(), QTabWidget)
