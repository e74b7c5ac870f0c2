"""What pages give to charts: curves, spans, and nothing that knows a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPolygonF


@dataclass(frozen=True)
class ChartLine:
    """A curve; a dash pattern distinguishes equal colours, `faint` is an earlier session.

    `stacked` ones are areas, the first at the bottom; their values have equal times.
    """

    key: str
    label: str
    colour: QColor
    dashed: bool = False
    faint: bool = False
    full: str = ""  # the whole name, where the label is short of it
    stacked: bool = False
    is_right: bool = False  # its values have an axis of their own, on the right
    contender: str = ""  # lines of one are hidden together, in all charts that share what is hidden

    @property
    def owner(self) -> str:
        """The key of what is hidden together."""
        return self.contender or self.key


@dataclass(frozen=True)
class Span:
    """A span of time: `warmup` and `stall` are shaded, `step` has marked bounds, `gap` is hatched."""

    first: float
    last: float
    kind: str  # warmup stall step gap
    label: str = ""


def runs(points: Iterable[QPointF | None]) -> Iterator[QPolygonF]:
    """The parts of a curve; None is a gap."""
    for is_gap, run in groupby(points, key=lambda point: point is None):
        if not is_gap:
            yield QPolygonF([point for point in run if point is not None])


def mixed(colour: QColor, ground: QColor, share: float) -> QColor:
    """A mix of two colours, opaque, because translucent colours are slow to paint."""

    def part(ours: int, theirs: int) -> int:
        return round(ours * share + theirs * (1 - share))

    return QColor(
        part(colour.red(), ground.red()),
        part(colour.green(), ground.green()),
        part(colour.blue(), ground.blue()),
    )
