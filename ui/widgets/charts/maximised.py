"""One chart alone on its page, and back."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QAbstractScrollArea, QSplitterHandle, QStackedWidget, QTabWidget, QWidget

from ui.widgets.message import Banner

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
