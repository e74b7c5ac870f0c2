"""The checks of a plan: what fails first, each with what to do; what needs nothing behind a fold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from app.core.harmless import harmless
from app.protocol.answers import FAIL, INFO, PASS, WARN, Check
from app.protocol.machine_checks import ELSEWHERE_TODO, IN_USE_TODO, WITH_QUEUE
from ui.core.plain import as_tip, first_lines
from ui.core.theme import SPACE, Theme

WAITING = "waiting"  # of what is not known yet: nothing is wrong with it
_ROLES = {FAIL: "bad", WARN: "warn"}
_SIGNS = {FAIL: "Fail", WARN: "Warn", INFO: "Info", WAITING: "Wait"}
_ORDER = {FAIL: 0, WARN: 1}
_FOLDED = (PASS, INFO)
_FOLD, _OPTION = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
PADDING = 28  # around the text of a check
_MOST_DETAILS = 40  # lines of a tooltip
_IN_WINDOW = {  # hints that name options of the command line, by the controls of the page
    IN_USE_TODO: "wait for it, or stop it on Live",
    ELSEWHERE_TODO: "wait for it, or tick Allow a busy target",
    WITH_QUEUE[IN_USE_TODO]: "wait for it, stop it on Live, or press Queue plan…",
    WITH_QUEUE[ELSEWHERE_TODO]: "wait for it, press Queue plan…, or tick Allow a busy target",
}


class PlanCheckList(QListWidget):
    """Checks, worst first, each with what to do; Enter on an option opens its preset there."""

    option_wanted = Signal(str, str)  # contender, option

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._checks: tuple[Check, ...] = ()
        self._is_open = False  # the fold
        self.setAccessibleName("Checks")
        self.setWordWrap(True)
        self.setSpacing(2)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.itemClicked.connect(self._on_chosen)
        self.itemDoubleClicked.connect(self._lead)
        theme.changed.connect(self._fill)

    def show_checks(self, checks: Sequence[Check]) -> None:
        wanted = tuple(sorted(checks, key=lambda check: _ORDER.get(check.state, 2)))
        if wanted != self._checks:
            self._checks = wanted
            self._fill()

    def _fill(self) -> None:
        place = self.verticalScrollBar().value()
        self.clear()
        folded = [check for check in self._checks if check.state in _FOLDED]
        for check in self._checks:
            if check not in folded:
                self._add(check)
        if folded:
            self.addItem(_fold(folded, self._is_open, self._theme.colour("muted")))
        for check in folded if self._is_open else ():
            self._add(check)
        self._fit()
        self.verticalScrollBar().setValue(place)

    def _add(self, check: Check) -> None:
        self.addItem(_item(check, self._theme.colour(_ROLES.get(check.state, "muted"))))

    def _on_chosen(self, item: QListWidgetItem) -> None:
        """Open or close the fold."""
        if item.data(_FOLD) is True:
            row = self.row(item)
            self._is_open = not self._is_open
            self._fill()
            self.setCurrentRow(row)

    def _lead(self, item: QListWidgetItem) -> None:
        if isinstance(place := item.data(_OPTION), tuple):
            self.option_wanted.emit(*place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and item:
            self._lead(item)
            self._on_chosen(item)  # the fold fills the list anew: the item is gone
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Make every line as high as its wrapped text: the style's hint omits its padding."""
        width = self.viewport().width() - PADDING
        flags = Qt.TextFlag.TextWordWrap.value
        for item in (self.item(row) for row in range(self.count())):
            rect = self.fontMetrics().boundingRect(0, 0, width, 10_000, flags, item.text())
            item.setSizeHint(QSize(10, rect.height() + SPACE))


def todo_text(check: Check) -> str:
    """What to do about it in the window."""
    return _IN_WINDOW.get(check.todo, check.todo)


def problem_text(checks: Sequence[Check]) -> str:
    """Failed checks with what to do, in one line."""
    return "; ".join(f"{each.text} ({todo_text(each)})" for each in checks)


def _fold(folded: Sequence[Check], is_open: bool, ink: QColor) -> QListWidgetItem:
    passed = sum(check.state == PASS for check in folded)
    infos = len(folded) - passed
    counts = (f"{passed} passed" if passed else "", f"{infos} for information" if infos else "")
    said = ", ".join(filter(None, (*counts, "nothing to do")))
    item = QListWidgetItem(f"{'▾' if is_open else '▸'} {said}")
    item.setData(_FOLD, True)
    item.setForeground(ink)
    item.setToolTip("Click or press Enter")
    return item


def _item(check: Check, ink: QColor) -> QListWidgetItem:
    who = f"{check.contender}: " if check.contender else ""
    lines = [f"{_SIGNS.get(check.state, 'Pass')} · {check.name}: {who}{check.text}"]
    if check.state in _ROLES and check.todo:
        lines.append(f"→ {todo_text(check)}")
    item = QListWidgetItem("\n".join(map(harmless, lines)))
    item.setForeground(ink)
    if check.contender and check.answers and check.answers[0].option:
        item.setData(_OPTION, (check.contender, check.answers[0].option))
        lines.append("Double-click or press Enter to show the line of the my.cnf")
    details = [f"{each.option}: {each.text}" for each in check.answers if each.text not in check.text]
    shown = [*lines, *first_lines([*map(harmless, details)], _MOST_DETAILS).splitlines()]
    item.setToolTip(as_tip("\n".join(map(harmless, shown))))
    return item
