"""Which build did it: the builds of a target, a step, and what each comparison of two of them says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QFormLayout, QLineEdit, QWidget

from app.core.harmless import harmless
from app.protocol.plan import COUNT
from app.protocol.reading import MOST_PCT
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE

from .bisector import BuildSearch
from .search_dialog import MeasuringDialog, base_and_other

if TYPE_CHECKING:
    from app.comparison.cells.cell import Comparison
    from app.explaining.bisect_text import BisectAnswer
    from app.history.store.history import History

SIZE = QSize(120 * SPACE, 68 * SPACE)
USUAL_PCT, COUNTED_PCT, LEAST_PCT = 3.0, 0.5, 0.1
_ABOUT = (
    "Dyno compares two builds at a time: first the oldest with the newest, then one between them. Each plan"
    " is in the history. Close this dialog at any time: the plan that runs goes on, and the next search uses"
    " all that was measured."
)
_BUILDS_TIP = "A pattern such as mysql-9.*, or a directory: installed builds, ordered by version"
_CONTENDER_TIP = "ENGINE or ENGINE:PRESET of all builds"
_COUNT_TIP = (
    "Compare by counted instructions: work, not speed. Two starts of each build, exact on any machine"
)
_BY_TIP = "The least difference between the oldest and the newest build that is searched for"


@dataclass(frozen=True)
class _Given:
    """What the fields say."""

    session: str  # whose work it is
    builds: str
    contender: str
    step: str
    by: float
    is_counted: bool


class BisectDialog(MeasuringDialog):
    """With the work of the base; its builds are those of a pattern."""

    def __init__(
        self, context: WindowContext, comparison: Comparison, other: int, step: str, parent: QWidget
    ) -> None:
        super().__init__(context, comparison, "Comparisons of builds", parent)
        self._base, self._other = base_and_other(comparison, other)
        self.builds, self.contender = QLineEdit(), QLineEdit()
        self.by = QDoubleSpinBox(suffix=" %", decimals=1, minimum=LEAST_PCT, maximum=MOST_PCT)
        self.count = QCheckBox("&Count instructions")
        self._fields = (self.steps, self.builds, self.contender, self.by, self.count)
        self.list_steps(step)
        self._fill()
        self.lay_out("Which build did it", SIZE, _ABOUT, self._form())
        self.searcher.known.connect(self.show_answer)

    def _fill(self) -> None:
        contender = self._base.contender
        self.builds.setText(harmless(_pattern([contender["build"], self._other.contender["build"]])))
        self.builds.setToolTip(as_tip(_BUILDS_TIP))
        self.contender.setText(harmless(f"{contender['engine']}:{contender['preset']}"))
        self.contender.setToolTip(as_tip(_CONTENDER_TIP))
        self.by.setValue(USUAL_PCT)
        self.by.setToolTip(as_tip(_BY_TIP))
        self.count.setToolTip(as_tip(_COUNT_TIP))
        self.count.toggled.connect(lambda is_on: self.by.setValue(COUNTED_PCT if is_on else USUAL_PCT))
        self.count.setChecked(any(row.kind == COUNT for row in self._comparison.rows))

    def _form(self) -> QFormLayout:
        form = QFormLayout()
        form.addRow("Target", PlainTextLabel(self._base.target))
        form.addRow("&Builds", self.builds)
        form.addRow("&Engine and my.cnf", self.contender)
        form.addRow("&Step", self.steps)
        form.addRow("", self.count)
        form.addRow("&Least difference", self.by)
        return form

    def search(self) -> Callable[[History], BuildSearch]:
        given = _Given(
            self._base.id,
            self.builds.text().strip(),
            self.contender.text().strip(),
            self.step,
            self.by.value() / 100,
            self.count.isChecked(),
        )
        return partial(_search, given)

    def show_answer(self, entry: BisectAnswer) -> None:
        """Show a line for each comparison, and below them the sentences."""
        from app.explaining.bisect_text import bisect_table

        self.show_found(bisect_table(entry))


def _pattern(builds: Sequence[str]) -> str:
    """`mysql-*`: what the names of both builds begin with, up to their version."""
    families = {build.partition("-")[0] for build in builds}
    return f"{families.pop()}-*" if len(families) == 1 else "*"


def _search(given: _Given, history: History) -> BuildSearch:
    from app.comparison.verdicts.judgement import verdict_limits
    from app.core.settings import read_settings
    from app.explaining.bisecting import BisectionRequest
    from app.planner.kinds.again import request_again
    from app.planner.kinds.counting import counted_step_of_session

    if given.is_counted:
        work, step = counted_step_of_session(history, given.session, given.step)
    else:
        work, step = request_again(history, [given.session]), given.step
    false_share = verdict_limits(read_settings()).false_share
    asked = replace(work, contenders=())
    return BuildSearch(BisectionRequest(given.builds, given.contender, step, asked, given.by, false_share))
