"""A whole plan as a strip: its sessions and their steps as blocks in the order of time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.core.harmless import harmless
from app.core.names import short_names
from app.core.units import seconds_text, with_unit
from app.following.progress import PlanProgress
from app.following.progress_text import not_needed_text
from app.protocol.plan import Plan, Step
from app.protocol.states import SessionState, StepState
from ui.core.plain import as_tip
from ui.core.theme import SPACE, Theme

from .charts.lines import mixed
from .focus_frame import FocusFrame

LEAST_LABELS = 18  # pixels above the blocks
_BELOW = 2  # pixels between a name and its blocks
BLOCKS = 26
_APART = 6.0  # pixels between two sessions
_NARROWEST = 3.0  # of a block, as long as there is room
_FAINT = 0.35  # of the colour of what is still to come
_ROUND = 2.0
_SWATCH = 11  # pixels before a name


@dataclass(frozen=True)
class StripBlock:
    session: str
    step: int
    place: QRectF


class PlanStrip(FocusFrame):
    """The strip of a plan; arrows move between blocks, Enter or a click chooses one."""

    chosen = Signal(str, int)  # session id, position of the step

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._progress: PlanProgress | None = None
        self._colours: Mapping[str, int] = {}
        self._unsteady: Mapping[tuple[str, int], str] = {}
        self._selected: tuple[str, int] | None = None
        self._blocks: list[StripBlock] = []
        self._plan: Plan | None = None
        self._names: dict[str, tuple[str, ...]] = {}  # of sessions, the longest first
        self._fit_height()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Plan: sessions and steps in order of time")
        self._tints: dict[str, tuple[QColor, QColor]] = {}  # of a group of steps: done, to come
        theme.changed.connect(self._on_theme_changed)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_height()

    def _fit_height(self) -> None:
        self.setFixedHeight(_labels_height(self) + BLOCKS)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(80 * SPACE, self.height())

    def show_progress(
        self,
        progress: PlanProgress | None,
        colours: Mapping[str, int],
        unsteady: Mapping[tuple[str, int], str] = MappingProxyType({}),
    ) -> None:
        """Show progress, with colours of contenders by session, and unsteady steps."""
        plan = progress.plan if progress else None
        if plan is not None and plan is not self._plan:
            self._plan, self._names = plan, _short_names(plan)
        self._progress, self._colours, self._unsteady = progress, colours, unsteady
        self._arrange()
        self.update()

    def look_at(self, session: str) -> None:
        """Highlight the name of the session on view."""
        if self._selected is None or self._selected[0] != session:
            self.select(session, -1)

    def select(self, session: str, step: int) -> None:
        """Mark the block on view."""
        self._selected = (session, step)
        self.update()

    def blocks(self) -> list[StripBlock]:
        return self._blocks

    # ---- where the blocks are

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        progress = self._progress
        place = QRectF(0, _labels_height(self), self.width(), BLOCKS)
        self._blocks = _arranged(progress, place) if progress and progress.plan else []

    def _at(self, point: QPointF) -> StripBlock | None:
        """The block at a point; labels belong to the blocks below them."""
        near = (block for block in self._blocks if block.place.left() <= point.x() <= block.place.right())
        return next(near, None) if point.y() <= self.height() else None

    # ---- painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._progress is not None:
            for block in self._blocks:
                self._paint_block(painter, block, self._progress)
            self._paint_names(painter, self._progress)
        if self.is_framed:
            _outline(painter, QRectF(self.rect()), self._theme.colour("accent"), 1)
        painter.end()

    def _paint_block(self, painter: QPainter, block: StripBlock, progress: PlanProgress) -> None:
        session = progress.sessions[block.session]
        step, (colour, to_come) = session.steps[block.step], self._tints_of(progress.step(block.step))
        place = block.place.adjusted(0.5, 0, -0.5 if block.place.width() > 2 else 0, 0)
        painter.fillRect(place, colour if step.state == "completed" else to_come)
        if step.state == "active":
            done = QRectF(place)
            done.setWidth(place.width() * _share(progress, session, block.step))
            painter.fillRect(done, colour)
            _outline(painter, place, self._theme.colour("text"), 1)
        elif step.state in ("failed", "stopped", "skipped") and session.is_needed:
            self._paint_broken(painter, place, step.state)
        if (block.session, block.step) in self._unsteady:
            painter.fillRect(QRectF(place.left(), place.top(), place.width(), 3), self._theme.colour("warn"))
        if (block.session, block.step) == self._selected:
            _outline(painter, place, self._theme.colour("accent"), 2)

    def _tints_of(self, step: Step) -> tuple[QColor, QColor]:
        group = group_of(step)
        if group not in self._tints:
            colour = self._theme.group(group)
            self._tints[group] = colour, mixed(colour, self._theme.colour("window"), _FAINT)
        return self._tints[group]

    def _on_theme_changed(self) -> None:
        self._tints.clear()
        self.update()

    def _paint_broken(self, painter: QPainter, place: QRectF, state: str) -> None:
        """Paint a block hatched, so that it differs without its colour."""
        colour = self._theme.colour("bad" if state == "failed" else "muted")
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(colour, Qt.BrushStyle.BDiagPattern))
        painter.drawRect(place)
        painter.fillRect(QRectF(place.left(), place.bottom() - 3, place.width(), 3), colour)

    def _paint_names(self, painter: QPainter, progress: PlanProgress) -> None:
        plain, bold = QFont(painter.font()), QFont(painter.font())
        bold.setWeight(QFont.Weight.DemiBold)
        places = _session_places(self._blocks)
        widest = QFontMetrics(bold)
        first = self._first_length(widest, places, progress)
        for id_, place in places.items():
            session = progress.sessions[id_]
            is_seen = self._selected is not None and self._selected[0] == id_
            painter.setFont(bold if is_seen else plain)
            line = QRectF(place.left(), 0, place.width(), place.top() - _BELOW)
            swatch = QRectF(place.left(), line.center().y() - 4, 8, 8)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.contender(self._colours.get(id_, 0)))
            if place.width() >= swatch.width():
                painter.drawRoundedRect(swatch, _ROUND, _ROUND)
            room = int(place.width() - _SWATCH)
            painter.setPen(self._theme.colour("text" if is_seen or session.state == "active" else "muted"))
            labels = self._labels(session)[first:]
            fits = (each for each in labels if widest.horizontalAdvance(each) <= room)
            shown = harmless(next(fits, ""))  # none rather than half of one: the charts name the colours
            painter.drawText(line.adjusted(_SWATCH, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shown)

    def _labels(self, session: SessionState) -> list[str]:
        return [f"{each} {_state_text(session)}".rstrip() for each in self._names[session.id]]

    def _first_length(
        self, metrics: QFontMetrics, places: Mapping[str, QRectF], progress: PlanProgress
    ) -> int:
        """0: all names have room; 1: all lose that of the plan."""
        whole = ((self._labels(progress.sessions[id_])[0], place) for id_, place in places.items())
        have_room = (metrics.horizontalAdvance(text) <= place.width() - _SWATCH for text, place in whole)
        return 0 if all(have_room) else 1

    # ---- mouse and keyboard

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            block = self._at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), as_tip(self.text_of(block)) if block else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over = self._at(event.position()) is not None
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_over else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        block = self._at(event.position())
        if block is not None and event.button() == Qt.MouseButton.LeftButton:
            self._choose(block)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = [(block.session, block.step) for block in self._blocks]
        at = keys.index(self._selected) if self._selected in keys else -1
        moves = {
            Qt.Key.Key_Left: max(at - 1, 0),
            Qt.Key.Key_Right: min(at + 1, len(keys) - 1),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: len(keys) - 1,
            Qt.Key.Key_Return: at,
            Qt.Key.Key_Enter: at,
        }
        to = moves.get(Qt.Key(event.key()), -1)
        if to >= 0:
            self._choose(self._blocks[to])
        else:
            super().keyPressEvent(event)

    def _choose(self, block: StripBlock) -> None:
        self.select(block.session, block.step)
        self.setAccessibleDescription(self.text_of(block))
        self.chosen.emit(block.session, block.step)

    def text_of(self, block: StripBlock) -> str:
        """A block in words."""
        if self._progress is None:
            return ""
        session = self._progress.sessions[block.session]
        step, planned = session.steps[block.step], self._progress.step(block.step)
        seconds = self._progress.length_s(block.session, block.step)
        if not session.is_needed and (plan := self._progress.plan):
            spared = not_needed_text(plan, self._progress.sessions, block.session)
            return f"{self._progress.name(block.session)}: {spared}"
        reason = self._unsteady.get((block.session, block.step))
        lines = [
            f"{self._progress.name(block.session)}: {planned.label}",
            _outcome_text(step, planned),
            seconds_text(seconds) if step.ended_t is not None else f"about {seconds_text(seconds)}",
            f"unsteady: {reason}" if reason else "",
        ]
        return "\n".join(filter(None, lines))


class StripLegend(QWidget):
    """The groups of a plan, in the order of their first step."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._groups: list[str] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(40 * SPACE, max(2 * SPACE, self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def show_steps(self, steps: Iterable[Step]) -> None:
        groups = list(dict.fromkeys(map(group_of, steps)))
        if groups != self._groups:
            self._groups = groups
            self.setAccessibleName(f"Groups of steps: {', '.join(groups)}")
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        x, metrics, middle = 0.0, painter.fontMetrics(), self.height() / 2
        for group in self._groups:
            painter.fillRect(QRectF(x, middle - 4, 8, 8), self._theme.group(group))
            painter.setPen(self._theme.colour("muted"))
            place = QRectF(x + 12, 0, self.width(), self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, harmless(group))
            x += 12 + metrics.horizontalAdvance(group) + 2 * SPACE
        painter.end()


def _short_names(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Short names of its sessions: whole, without the name of the plan, without the repeat."""
    shorts = short_names([each.name for each in plan.contenders]).names
    is_single = all(turn.repeat == turn.attempt == 1 for turn in plan.turns)
    found: dict[str, tuple[str, ...]] = {}
    for turn in plan.turns:
        short = shorts[turn.contender]
        repeated = turn.name.replace(plan.contender_of(turn).name, short, 1)
        whole = short if is_single else repeated
        found[turn.session] = (whole, whole.removeprefix(f"{plan.name}-"), short)
    return found


def _labels_height(of: QWidget) -> int:
    """Pixels above the blocks, for the names of sessions in their text size."""
    return max(LEAST_LABELS, of.fontMetrics().height() + _BELOW)


def _arranged(progress: PlanProgress, whole_place: QRectF) -> list[StripBlock]:
    """Blocks as wide as their time; short ones stay visible and clickable if there is room.

    A session that was not needed is one of these.
    """
    lengths = {
        (id_, step): progress.length_s(id_, step)
        for id_, session in progress.sessions.items()
        for step in range(len(session.steps) if session.is_needed else 1)
    }
    room = whole_place.width() - _APART * max(len(progress.sessions) - 1, 0)
    least = min(_NARROWEST, room / max(len(lengths), 1) / 2)
    whole = sum(lengths.values()) or 1.0
    free = max(room - least * len(lengths), 0.0)
    blocks: list[StripBlock] = []
    x = 0.0
    for (session, step), seconds in lengths.items():
        x += _APART if blocks and session != blocks[-1].session else 0.0
        wide = least + free * seconds / whole
        blocks.append(StripBlock(session, step, QRectF(x, whole_place.top(), wide, BLOCKS)))
        x += wide
    return blocks


def _session_places(blocks: Iterable[StripBlock]) -> dict[str, QRectF]:
    places: dict[str, QRectF] = {}
    for block in blocks:
        known = places.get(block.session)
        places[block.session] = block.place if known is None else known.united(block.place)
    return places


def _outline(painter: QPainter, place: QRectF, colour: QColor, width: int) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(colour, width))
    painter.drawRect(place.adjusted(width / 2, width / 2, -width / 2, -width / 2))


def group_of(step: Step) -> str:
    """The group that a step is coloured by, else its kind."""
    return (
        step.kind
        if step.kind in ("load", "index", "settle", "warmup", "restart")
        else step.group or step.kind
    )


def _share(progress: PlanProgress, session: SessionState, index: int) -> float:
    """The completed share of a step."""
    length = progress.length_s(session.id, index)
    return min(progress.gone_s(session.id, index) / length, 1.0) if length > 0 else 0.0


def _state_text(session: SessionState) -> str:
    if session.state in ("failed", "stopped", "lost"):
        return session.word
    failed = session.failed_steps
    return f"({failed} step{'s' * (failed > 1)} failed)" if failed else ""


def _outcome_text(step: StepState, planned: Step) -> str:
    if step.value is not None and step.state == "completed":
        return with_unit(step.value, planned.unit)
    return f"{step.state}: {step.reason}" if step.reason else step.state
