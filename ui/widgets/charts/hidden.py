"""Which curves of a chart a person has hidden; the numbers behind them stay."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from .lines import ChartLine

State = tuple[frozenset[str], str]


class HiddenChartLines(QObject):
    """Hidden owners of lines; charts that share one hide a contender together."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state: State = (frozenset(), "")  # those that are hidden, and the only one where one is isolated

    def of(self, lines: Iterable[ChartLine]) -> frozenset[str]:
        """The hidden owners among these lines; a chart never hides its only one."""
        owners, (hidden, only) = frozenset(line.owner for line in lines), self.state
        return owners - {only} if only in owners else owners & hidden

    def toggle(self, owner: str, lines: Iterable[ChartLine]) -> None:
        """Hide or show it among these lines."""
        lines = list(lines)
        others = self.state[0] - {line.owner for line in lines}
        self.restore((others | (self.of(lines) ^ {owner}), ""))

    def isolate(self, owner: str) -> None:
        """Show only this one; a second time show all."""
        self.restore((frozenset(), "" if self.state[1] == owner else owner))

    def show_all(self) -> None:
        self.restore((frozenset(), ""))

    def restore(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()
