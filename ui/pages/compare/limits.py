"""When a ratio is highlighted: how large it must be, how many may be false, what the signs mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QWidget

from app.comparison.cells.cell import Comparison
from app.comparison.verdicts.judgement import legend_of_signs, verdict_legend
from app.comparison.verdicts.rounds import about_ratio
from app.core.errors import DynoError
from app.core.settings import Settings, read_settings, read_settings_table, write_settings_table
from app.protocol.reading import MOST_PCT
from app.stats import VerdictLimits
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.widgets.layouts import boxed, in_column, in_row
from ui.widgets.wrapping_row import WrappingRow, empty_room

_MATTERS = "Smaller differences are never highlighted"
_FALSE = "False discovery rate: the largest share of the highlighted differences that are false alarms"
_OWN = "The plan sets this limit: it measured until the limit was met"
_DETAILS = "Show in each cell: lowest and highest session from the median, n, p of the test"
_COMMON = "Hide steps that have no result in some column"
_WITHIN = "   \N{PLUS-MINUS SIGN} within a session"


class LimitsRow(QWidget):
    """The person's limits, stored in settings.toml for the command line and reports too."""

    changed = Signal()
    turned = Signal()  # details, or only steps of all columns
    failed = Signal(Exception)

    def __init__(self, context: WindowContext) -> None:
        super().__init__()
        self._context = context
        kept = _read(context)
        self._wanted = _Wanted(kept.matters_pct, kept.false_share_pct)
        self._matters = _box("Smallest change to highlight", _MATTERS, kept.matters_pct)
        self._false = _box("False discovery rate", _FALSE, kept.false_share_pct)
        self._details = QCheckBox("Spread, n, p")
        self._details.setToolTip(as_tip(_DETAILS))
        self._details.setChecked(context.memory.value("compare/details", False))
        self._common = QCheckBox("Only steps of all columns")
        self._common.setToolTip(as_tip(_COMMON))
        self._common.setChecked(context.memory.value("compare/common", False))
        self.legend = PlainTextLabel(role="muted", wraps=True)
        self._build()
        self._matters.valueChanged.connect(self._on_changed)
        self._false.valueChanged.connect(self._on_changed)
        self._details.toggled.connect(self._on_turned)
        self._common.toggled.connect(self._on_turned)

    def _build(self) -> None:
        over = in_row(PlainTextLabel("Highlight changes over"), self._matters)
        most = in_row(PlainTextLabel("at most"), self._false, PlainTextLabel("false alarms"))
        row = QWidget()
        row.setLayout(WrappingRow(boxed(over), boxed(most), self._details, self._common, empty_room()))
        self.setLayout(in_column(row, self.legend, spacing=2))

    @property
    def limits(self) -> VerdictLimits:
        """The person's limits."""
        return VerdictLimits.of_pct(self._wanted.false_share_pct, self._wanted.matters_pct)

    @property
    def has_details(self) -> bool:
        return self._details.isChecked()

    @property
    def is_common(self) -> bool:
        """Whether to hide steps that some columns lack."""
        return self._common.isChecked()

    def explain(self, comparison: Comparison, has_deviations: bool) -> None:
        """Explain the signs of these cells, in full in the tooltip."""
        self.legend.setText(legend_of_signs(comparison) + (_WITHIN if has_deviations else ""))
        signs = verdict_legend(comparison).replace("; ", "\n")
        self.setToolTip(as_tip("\n".join(filter(None, (signs, about_ratio(comparison))))))
        self._show_limits(comparison)

    def _show_limits(self, comparison: Comparison) -> None:
        """Show the limits; those of a plan until decided cannot be changed."""
        own, limits = comparison.has_own_limits, comparison.limits
        for box, of_plan, tip, wanted in (
            (self._matters, limits.matters, _MATTERS, self._wanted.matters_pct),
            (self._false, limits.false_share, _FALSE, self._wanted.false_share_pct),
        ):
            with QSignalBlocker(box):
                box.setValue(100 * of_plan if own else wanted)
            box.setEnabled(not own)
            box.setToolTip(as_tip(f"{tip}\n{_OWN}" if own else tip))

    def _on_changed(self) -> None:
        self._wanted.matters_pct, self._wanted.false_share_pct = self._matters.value(), self._false.value()
        home, wanted = self._context.home, self._wanted
        self._context.tasks.run(
            self, lambda: _keep(home, wanted), lambda _: None, self.failed.emit, stores=True
        )
        self.changed.emit()

    def _on_turned(self) -> None:
        self._context.memory.keep("compare/details", self.has_details)
        self._context.memory.keep("compare/common", self.is_common)
        self.turned.emit()


@dataclass
class _Wanted:
    """The newest limits: of two threads that store them, none stores older ones."""

    matters_pct: float
    false_share_pct: float


def _keep(home: Path, wanted: _Wanted) -> None:
    limits = {"matters_pct": wanted.matters_pct, "false_share_pct": wanted.false_share_pct}
    write_settings_table({**read_settings_table(home), **limits}, home)


def _read(context: WindowContext) -> Settings:
    try:
        return read_settings(context.home)
    except DynoError:  # shown when the window opened
        return Settings()


def _box(name: str, tip: str, value: float) -> QDoubleSpinBox:
    box = QDoubleSpinBox()
    box.setAccessibleName(name)
    box.setToolTip(as_tip(tip))
    box.setRange(0, MOST_PCT)
    box.setDecimals(1)
    box.setSingleStep(0.5)
    box.setSuffix(" %")
    box.setValue(value)
    box.setKeyboardTracking(False)  # what is typed counts when it is complete
    box.setAlignment(Qt.AlignmentFlag.AlignRight)
    return box
