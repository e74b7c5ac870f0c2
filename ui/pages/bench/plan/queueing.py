"""The question when a plan of the queue begins."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QTime, Signal
from PySide6.QtWidgets import (
    QDateTimeEdit,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from ui.core.plain import Label
from ui.core.theme import SPACE

FORM = "yyyy-MM-dd HH:mm"
EVENING = QTime(22, 0)


class QueueingDialog(QDialog):
    """Asks when a plan begins: in its turn, or not before a time."""

    wanted = Signal(object)  # seconds to wait, or None

    def __init__(self, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Queue the plan")
        about = Label(f"{target} checks, rehearses and starts the plan when its turn comes.")
        about.setWordWrap(True)
        self.in_turn = QRadioButton("As soon as the target is &free")
        self.later = QRadioButton("&Not before")
        self.in_turn.setChecked(True)
        self.time = QDateTimeEdit(_next_evening())
        self.time.setDisplayFormat(FORM)
        self.time.setCalendarPopup(True)
        self.time.setAccessibleName("The plan does not begin before this time")
        self.time.setMinimumDateTime(QDateTime.currentDateTime())
        self.time.setMaximumDateTime(QDateTime.currentDateTime().addDays(365))
        self.time.setEnabled(False)
        self.later.toggled.connect(self.time.setEnabled)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.queue = buttons.addButton("&Queue", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        row = QHBoxLayout()
        row.addWidget(self.later)
        row.addWidget(self.time, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(about)
        layout.addWidget(self.in_turn)
        layout.addLayout(row)
        layout.addWidget(buttons)
        self.accepted.connect(lambda: self.wanted.emit(self.in_s))
        self.finished.connect(self.deleteLater)

    @property
    def in_s(self) -> float | None:
        """Seconds to wait; None: when its turn comes."""
        if not self.later.isChecked():
            return None
        return max(0.0, QDateTime.currentDateTime().msecsTo(self.time.dateTime()) / 1000)


def _next_evening() -> QDateTime:
    now = QDateTime.currentDateTime()
    evening = QDateTime(now.date(), EVENING)
    return evening if evening > now else evening.addDays(1)
