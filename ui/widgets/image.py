"""Charts, or anything else of the window, as a picture: saved or copied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsView, QWidget

from app.core.errors import DynoError
from ui.core.plain import as_shown
from ui.core.theme import SPACE

LEAST = QSize(960, 540)  # of a picture of a chart
_SCALE = 2  # pixels of a picture to one of the screen: sharp in a document


@contextmanager
def temporarily_enlarged(widget: QWidget, least: QSize) -> Iterator[QWidget]:
    """Grow a widget so that it shows everything, however narrow it is in the window."""
    size = widget.size()
    try:
        _show_bars(widget, Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        _resize(widget, size.expandedTo(least))
        yield widget
    finally:
        _show_bars(widget, Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        _resize(widget, size)


def _show_bars(widget: QWidget, policy: Qt.ScrollBarPolicy) -> None:
    """Show all bars: a picture cannot scroll."""
    if isinstance(widget, QAbstractScrollArea):
        widget.setHorizontalScrollBarPolicy(policy)
        widget.setVerticalScrollBarPolicy(policy)


def _resize(widget: QWidget, size: QSize) -> None:
    widget.resize(size)
    if (layout := widget.layout()) is not None:
        layout.activate()


def save_image(widget: QWidget, path: Path, caption: str = "") -> None:
    """Save as .svg, or in the format of another ending; an error says what failed."""
    sheet = _Sheet(widget, caption)
    is_drawn = _save_svg(sheet, path) if path.suffix.lower() == ".svg" else _picture(sheet).save(str(path))
    if not is_drawn:
        raise DynoError(f"{path} cannot be written: no such folder, no permission, or an unknown format")


def copy_image(widget: QWidget, caption: str = "") -> None:
    """Copy it to the clipboard."""
    QGuiApplication.clipboard().setImage(_picture(_Sheet(widget, caption)))


class _Sheet:
    """A widget with a margin and a caption."""

    def __init__(self, widget: QWidget, caption: str) -> None:
        self.name = widget.accessibleName()
        self._widget, self._caption = widget, caption
        room = QRect(SPACE, SPACE, widget.width(), widget.height())
        found = widget.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, caption)
        self._head = QRect(room.topLeft(), QSize(room.width(), found.height() if caption else 0))
        self._top = SPACE + (self._head.height() + SPACE if caption else 0)
        self.size = QSize(widget.width() + 2 * SPACE, widget.height() + self._top + SPACE)

    def draw(self, painter: QPainter) -> None:
        """Draw it again: a chart's kept ground has the screen's resolution, pixels in an SVG."""
        palette = self._widget.palette()
        painter.fillRect(QRect(QPoint(), self.size), palette.color(QPalette.ColorRole.Window))
        painter.setFont(self._widget.font())
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        painter.drawText(self._head, Qt.TextFlag.TextWordWrap, as_shown(self._caption))
        views = self._widget.findChildren(QGraphicsView)
        modes = [view.cacheMode() for view in views]
        for view in views:
            view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self._widget.render(painter, QPoint(SPACE, self._top))
        for view, mode in zip(views, modes, strict=True):
            view.setCacheMode(mode)


def _picture(sheet: _Sheet) -> QImage:
    picture = QImage(sheet.size * _SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(_SCALE)
    painter = QPainter(picture)
    sheet.draw(painter)
    painter.end()
    return picture


def _save_svg(sheet: _Sheet, path: Path) -> bool:
    from PySide6.QtSvg import QSvgGenerator

    if not path.parent.is_dir():
        return False
    generator = QSvgGenerator()
    generator.setResolution(96)
    generator.setFileName(str(path))
    generator.setSize(sheet.size)
    generator.setViewBox(QRect(QPoint(), sheet.size))
    generator.setTitle(sheet.name)
    painter = QPainter()
    if not painter.begin(generator):
        return False
    sheet.draw(painter)
    return painter.end()
