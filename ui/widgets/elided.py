"""A label that gives way: what does not fit loses its end; the tooltip has the whole text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ui.core.plain import PlainTextLabel, as_tip, fitted


class ElidedLabel(PlainTextLabel):
    """A label as wide as its text if there is room."""

    def __init__(self, parent: QWidget | None = None, role: str = "") -> None:
        super().__init__("", role, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def setText(self, text: str) -> None:
        super().setText(text)
        self._tell()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def _tell(self) -> None:
        self.setToolTip(as_tip(self.text() if self._shown() != self.text() else ""))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.rect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, self._shown())
        painter.end()

    def _shown(self) -> str:
        return fitted(self.fontMetrics(), self.text(), Qt.TextElideMode.ElideRight, self.width())
