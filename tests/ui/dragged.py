"""A small window in the corner, as of a file manager: what is dragged out of it is the file it was given."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDrag, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

PLACE = (0, 0, 120, 60)


class Source(QLabel):
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(sys.argv[1])])
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.exec(Qt.DropAction.CopyAction)


if __name__ == "__main__":
    application = QApplication(sys.argv[:1])
    source = Source("drag me")
    source.setWindowFlags(Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
    source.resize(*PLACE[2:])
    source.move(QPoint(*PLACE[:2]))
    source.show()
    print("shown", flush=True)
    application.exec()
