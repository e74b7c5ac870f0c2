"""Charts, or anything else of the window, as a picture: saved or copied."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QGraphicsView, QWidget

from app.errors import DynoError

from ..theme import SPACE

LEAST = QSize(960, 540)  # of a picture of a chart
_SCALE = 2  # pixels of a picture to one of the screen: sharp in a document


@contextmanager
def at_least(widget: QWidget, least: QSize) -> Iterator[QWidget]:
    """With room for all that it shows, however narrow its place in the window is."""
    size = widget.size()
    try:
        _show_bars(widget, Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        _resize(widget, size.expandedTo(least))
        yield widget
    finally:
        _show_bars(widget, Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        _resize(widget, size)


def _show_bars(widget: QWidget, policy: Qt.ScrollBarPolicy) -> None:
    """In a picture nobody can scroll."""
    if isinstance(widget, QAbstractScrollArea):
        widget.setHorizontalScrollBarPolicy(policy)
        widget.setVerticalScrollBarPolicy(policy)


def _resize(widget: QWidget, size: QSize) -> None:
    widget.resize(size)
    if (layout := widget.layout()) is not None:
        layout.activate()


def save_image(widget: QWidget, path: Path) -> None:
    """As .svg, or in the format of another ending; what cannot be written is told."""
    is_drawn = _save_svg(widget, path) if path.suffix.lower() == ".svg" else _picture(widget).save(str(path))
    if not is_drawn:
        raise DynoError(f"cannot write {path}: no such folder, no right to write there, or an unknown format")


def copy_image(widget: QWidget) -> None:
    """To the clipboard."""
    QGuiApplication.clipboard().setImage(_picture(widget))


def _picture(widget: QWidget) -> QImage:
    picture = QImage(_size(widget) * _SCALE, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(_SCALE)
    picture.fill(_ground(widget))
    painter = QPainter(picture)
    _draw(widget, painter)
    painter.end()
    return picture


def _save_svg(widget: QWidget, path: Path) -> bool:
    from PySide6.QtSvg import QSvgGenerator

    if not path.parent.is_dir():
        return False
    generator = QSvgGenerator()
    generator.setResolution(96)
    generator.setFileName(str(path))
    generator.setSize(_size(widget))
    generator.setViewBox(QRect(QPoint(), _size(widget)))
    generator.setTitle(widget.accessibleName())
    painter = QPainter()
    if not painter.begin(generator):
        return False
    painter.fillRect(QRect(QPoint(), _size(widget)), _ground(widget))
    _draw(widget, painter)
    return painter.end()


def _size(widget: QWidget) -> QSize:
    return widget.size().grownBy(QMargins(SPACE, SPACE, SPACE, SPACE))


def _draw(widget: QWidget, painter: QPainter) -> None:
    """Anew: the kept ground of a chart has the sharpness of the screen, and would be pixels in an SVG."""
    views = widget.findChildren(QGraphicsView)
    modes = [view.cacheMode() for view in views]
    for view in views:
        view.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
    widget.render(painter, QPoint(SPACE, SPACE))
    for view, mode in zip(views, modes, strict=True):
        view.setCacheMode(mode)


def _ground(widget: QWidget) -> QColor:
    return widget.palette().color(QPalette.ColorRole.Window)
