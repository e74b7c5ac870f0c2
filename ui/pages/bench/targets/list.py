"""The list of targets with their states: two lines each, in words and by colour."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.core.errors import LinkError
from app.core.units import ago_text
from app.remote.hostkeys import HostKeyChangedError, HostKeyUnknownError
from app.remote.secrets import SecretNeededError
from app.remote.target import Target
from app.targets.surveys import DatedSurvey
from ui.core.index import Index
from ui.core.plain import fitted, plain_text_cells
from ui.core.theme import SPACE, Theme

STATE = Qt.ItemDataRole.UserRole
MOST_ROWS = 6  # are shown without scrolling
BUSY_S = 600.0  # what an older survey says of other plans is no news

_WORDS = {
    "unknown": "not checked yet",
    "going": "connecting…",
    "unreachable": "unreachable",
    "key_unknown": "host key unknown",
    "key_changed": "HOST KEY CHANGED",
    "failed": "not usable",
}
_TONES = {
    "reached": "good",
    "going": "accent",
    "unreachable": "bad",
    "secret": "warn",
    "key_unknown": "warn",
    "key_changed": "bad",
    "failed": "bad",
}


@dataclass(frozen=True)
class TargetState:
    """A target with its latest survey and the end of the last way to it."""

    target: Target
    survey: DatedSurvey | None = None
    link: str = "unknown"  # going reached unreachable secret key_unknown key_changed failed
    error: Exception | None = None
    stage: str = ""  # while it is going
    has_plan: bool = False  # of this window

    @property
    def tone(self) -> str:
        """The colour of the state, by its name in the theme."""
        return _TONES.get(self.link, "muted")

    def is_busy(self, now: float) -> bool:
        """Whether any plan runs there."""
        return self.has_plan or (
            self.survey is not None and now - self.survey.at < BUSY_S and bool(self.survey.content.agents)
        )

    def words(self, now: float) -> str:
        """The state in a few words."""
        if self.link == "going" and self.stage:
            return f"{self.stage}…"
        if self.link == "secret":
            what = self.error.what if isinstance(self.error, SecretNeededError) else "secret"
            return f"needs a {what.partition(' ')[0]}"
        if self.link in ("unknown", "reached") and self.survey:
            return "busy" if self.is_busy(now) else "reachable" if self.link == "reached" else ""
        return _WORDS.get(self.link, self.link)

    def age(self, now: float) -> str:
        """The age of the survey."""
        return ago_text(self.survey.at, now) if self.survey else "no survey"


def link_state_after(error: Exception) -> str:
    """The state of the link after an error."""
    match error:
        case HostKeyChangedError():
            return "key_changed"
        case HostKeyUnknownError():
            return "key_unknown"
        case SecretNeededError():
            return "secret"
        case LinkError():
            return "unreachable"
    return "failed"


class TargetModel(QAbstractListModel):
    """The states of the targets."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states: list[TargetState] = []

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - as Qt has it
        return 0 if parent.isValid() else len(self._states)

    @plain_text_cells
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        state = self._states[index.row()]
        if role == STATE:
            return state
        if role == Qt.ItemDataRole.DisplayRole:
            return state.target.name
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, _texts(state)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, [*_texts(state), str(state.error or "")]))
        return None

    def set_states(self, states: Sequence[TargetState]) -> None:
        """Set all states; the list does not jump if only states change."""
        if [each.target.name for each in states] != [each.target.name for each in self._states]:
            self.beginResetModel()
            self._states = list(states)
            self.endResetModel()
        else:
            self._states = list(states)
            self.update_time()

    def change(self, name: str, changed: Callable[[TargetState], TargetState]) -> None:
        row = self.row_of(name)
        if row >= 0:
            self._states[row] = changed(self._states[row])
            self.dataChanged.emit(self.index(row), self.index(row))

    def update_time(self) -> None:
        """Update the ages."""
        if self._states:
            self.dataChanged.emit(self.index(0), self.index(len(self._states) - 1))

    def all(self) -> list[TargetState]:
        return list(self._states)

    def row_of(self, name: str) -> int:
        return next((row for row, each in enumerate(self._states) if each.target.name == name), -1)

    def state_of(self, name: str) -> TargetState | None:
        row = self.row_of(name)
        return self._states[row] if row >= 0 else None


class TargetDelegate(QStyledItemDelegate):
    """Paints name and age of the survey, then place and state."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(20 * SPACE, 2 * QFontMetrics(option.font).height() + 2 * SPACE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        state: TargetState = index.data(STATE)
        now = time.time()
        widget = option.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, widget)
        painter.save()
        inner = option.rect.adjusted(3 * SPACE, SPACE // 2, -SPACE, -SPACE // 2)
        upper = QRect(inner.left(), inner.top() + 2, inner.width(), inner.height() // 2 - 2)
        lower = upper.translated(0, inner.height() // 2 - 1)
        tone = self._theme.colour(state.tone)
        self._paint_dot(painter, upper, tone, is_hollow=state.link in ("unknown", "going"))
        muted = self._theme.colour("muted")
        self._paint_line(
            painter, upper, (state.target.name, self._theme.colour("text")), (state.age(now), muted)
        )
        words = tone if state.tone in ("bad", "warn") else muted
        self._paint_line(painter, lower, (state.target.place, muted), (state.words(now), words))
        painter.restore()

    def _paint_dot(self, painter: QPainter, line: QRect, colour: QColor, is_hollow: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour)
        painter.setBrush(Qt.BrushStyle.NoBrush if is_hollow else colour)
        painter.drawEllipse(line.left() - 2 * SPACE, line.center().y() - 3, SPACE, SPACE)

    def _paint_line(
        self, painter: QPainter, line: QRect, left: tuple[str, QColor], right: tuple[str, QColor]
    ) -> None:
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(right[0])
        painter.setPen(right[1])
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, right[0])
        painter.setPen(left[1])
        rest = line.adjusted(0, 0, -(width + SPACE if width else 0), 0)
        text = fitted(metrics, left[0], Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


class TargetList(QListView):
    """A list as high as its targets, up to a few."""

    def __init__(self, targets: TargetModel, theme: Theme) -> None:
        super().__init__()
        self.targets = targets
        self.setModel(targets)
        self.setItemDelegate(TargetDelegate(theme, self))
        self.setAccessibleName("Targets")
        self.setToolTip("The machine that carries out the plan")
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        theme.changed.connect(self.viewport().update)
        self.targets.modelReset.connect(self._fit)

    def select(self, name: str) -> None:
        row = self.targets.row_of(name)
        if row >= 0 and row != self.currentIndex().row():
            self.setCurrentIndex(self.targets.index(row))

    def _fit(self) -> None:
        rows = max(1, min(self.targets.rowCount(), MOST_ROWS))
        self.setFixedHeight(rows * self.sizeHintForRow(0) + 2 * self.frameWidth() + 2)


def _texts(state: TargetState) -> list[str]:
    now = time.time()
    surveyed = f"surveyed {state.age(now)}" if state.survey else "no survey"
    return [state.target.name, state.target.place, state.words(now), surveyed]
