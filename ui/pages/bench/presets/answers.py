"""The answers of builds about a preset, one per line; Enter jumps to the line of the preset."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.core.harmless import harmless
from app.core.units import count_text
from app.planner.starting.preset_check import BuildReply
from ui.core.theme import Theme

_LINE = Qt.ItemDataRole.UserRole
_FINE = ("accepted", "started", "compression")


class AnswerList(QListWidget):
    """A list of answers; `line_wanted` gives the line of the preset."""

    line_wanted = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._answers: Sequence[BuildReply] = ()
        self.setAccessibleName("What builds say")
        self.setToolTip("Click or press Enter to go to the line")
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for chosen in (self.itemActivated, self.itemClicked):
            chosen.connect(lambda item: self.line_wanted.emit(item.data(_LINE)))
        theme.changed.connect(self._on_theme_changed)

    def show_answers(self, answers: Sequence[BuildReply]) -> None:
        self._answers = answers
        self.clear()
        for each in answers:
            place = f", line {each.line}" if each.line else ""
            item = QListWidgetItem(harmless(f"{each.build} · {each.state}{place}: {each.text}"))
            item.setData(_LINE, each.line or 1)
            item.setForeground(self._theme.colour(_colour_of(each)))
            self.addItem(item)

    def _on_theme_changed(self) -> None:
        self.show_answers(self._answers)


def by_line(answers: Sequence[BuildReply]) -> dict[int, str]:
    """The answers for each line, a text line per build."""
    found: dict[int, list[str]] = {}
    for each in answers:
        found.setdefault(each.line, []).append(f"{each.build}: {each.state}: {each.text}")
    return {line: "\n".join(texts) for line, texts in found.items() if line}


def verdict(answers: Sequence[BuildReply]) -> str:
    """The answers in one line: the builds that refuse the preset, or the number of changed lines."""
    refused = sorted({each.build for each in answers if each.is_refusal})
    if refused:
        return f"Refused by {', '.join(refused)}"
    lines = len(by_line([each for each in answers if not each.is_information]))
    otherwise = f"; {count_text(lines, 'line')} not as written" if lines else ""
    return f"Accepted by every build asked{otherwise}"


def _colour_of(answer: BuildReply) -> str:
    if answer.is_refusal:
        return "bad"
    if answer.is_information:
        return "muted"
    return "text" if answer.state in _FINE else "warn"
