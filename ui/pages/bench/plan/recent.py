"""The latest plans of the history, to set one of them up again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.core.harmless import harmless
from app.core.units import date_text
from ui.core.tasks import Latest, Tasks
from ui.widgets.actions import action, action_button

if TYPE_CHECKING:
    from app.history.lists.plans import PlanEntry
    from app.history.store.history import History

MOST = 12
LONGEST = 40  # characters of a name: the window is not much wider than the menu
_TIP = "Set up an earlier plan again: target, contenders, sequence and sizes"


class RecentPlans(QWidget):
    """A button whose menu is read each time it opens."""

    chosen = Signal(str)  # id of a plan
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reading = Latest(tasks, self)
        self.open = action(self, "Recent plans", "recent plans", _TIP, self._on_open)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(action_button(self.open))

    def _on_open(self) -> None:
        self._reading.read(_read, self._show_menu, self.failed.emit)

    def _show_menu(self, plans: list[PlanEntry]) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for plan in plans:
            chosen = menu.addAction(_line(plan))
            chosen.triggered.connect(lambda _=False, id_=plan["id"]: self.chosen.emit(id_))
        if not plans:
            menu.addAction("No plans yet").setEnabled(False)
        corner = QPoint(self.width() - menu.sizeHint().width(), self.height())
        menu.popup(self.mapToGlobal(corner))


def _read(history: History) -> list[PlanEntry]:
    from app.history.lists.plans import recent_plans  # by the thread that reads

    return recent_plans(history, MOST)


def _line(plan: PlanEntry) -> str:
    """A line `my plan: innodb, rocksdb x 3`, with place and time on the right."""
    from app.history.lists.plans import size_text

    where = f"{_short(plan['target'])}, {date_text(plan['at'])}"
    line = f"{_short(plan['name'])}: {_short(size_text(plan))}\t{where}"
    return line.replace("&", "&&")


def _short(text: str) -> str:
    line = harmless(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
