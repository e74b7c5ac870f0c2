"""The dialog of a sweep over threads, core sets, rates and one variable."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from app.catalog.sequence import CoreSets
from app.core.errors import InputError
from app.core.units import count_text
from app.planner.request.cores import OWN_CPUS, SHARED_CPUS, CoreSet, Nodes, as_far_as_it_goes
from app.planner.resolve.sweep import variations_of
from app.planner.starting.draft import Draft, open_values, value_of
from app.protocol.plan import ARRIVALS
from app.targets.store import Targets
from ui.core.context import Context
from ui.core.plain import Label, as_tip
from ui.core.theme import SPACE
from ui.pages.bench.variables import ask_for_options
from ui.widgets.completing_editor import complete_field

from .draft_controller import DraftController

WIDTH = 60 * SPACE
EVEN = ARRIVALS[1]
_SWEPT = (
    ("threads", "Threads", "Client threads: 1, 2, 4 or 1..64 x2"),
    (
        "cores",
        "Core sets",
        "How many cores the server has: 4, 2, 1 or 1-4; or its CPUs in brackets: [0-3], [0,2,4-6]. Empty:"
        " all, or as the sequence says",
    ),
    (
        "rate",
        "Rates",
        "Events per second to send, whatever the server does: 500, 1000 or 100..6400 x2. Empty: as many as"
        " possible",
    ),
)
_ABOUT = (
    "Each driven step runs at every point: all rates, then the next threads, core set, and value. "
    "Values that the sequence sets for a step override these."
)


class SweepDialog(QDialog):
    """Edits a copy of the draft; refuses what the target cannot run."""

    def __init__(
        self, draft: Draft, left_open: Mapping[str, str], nodes: Nodes, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.draft = draft
        self._nodes = nodes
        self.setWindowTitle("Sweep")
        self.setMinimumWidth(WIDTH)
        name, _, values = draft.request.vary.partition("=")
        self.threads, self.cores, self.rates = (
            _field(title, draft.text(name), left_open[name], tip) for name, title, tip in _SWEPT
        )
        self.even = QCheckBox("&Even gaps between events")
        self.even.setToolTip(
            as_tip("Of a rate; otherwise the gaps are random (Poisson), as of many independent users")
        )
        self.even.setChecked(draft.request.arrivals == EVEN)
        self.variable = _field("Variable", name, "innodb_spin_wait_delay", "A dynamic variable of the server")
        self.values = _field(
            "Values",
            values,
            "6, 96",
            "Values such as 6, 96 or 1..64 x2; Dyno resets the variable after each step",
        )
        self.own_cpus = QCheckBox("Server and load on CPUs of their &own")
        self.own_cpus.setToolTip(
            as_tip("Half of the cores each, unless there is a core set; reduces noise on small machines")
        )
        self.own_cpus.setChecked(draft.request.cpus == OWN_CPUS)
        self.said = Label()
        self.said.setWordWrap(True)
        self._build_layout()
        for field in (self.threads, self.cores, self.rates, self.variable, self.values):
            field.textChanged.connect(self._on_changed)
        self.even.toggled.connect(self._on_changed)
        self.own_cpus.toggled.connect(self._on_changed)
        self._on_changed()

    def _build_layout(self) -> None:
        about = Label(_ABOUT)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        varied = QHBoxLayout()
        varied.setSpacing(SPACE)
        varied.addWidget(self.variable, 3)
        varied.addWidget(self.values, 2)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * SPACE)
        form.setVerticalSpacing(SPACE)
        form.addRow("&Threads", self.threads)
        form.addRow("&Core sets", self.cores)
        form.addRow("", self.own_cpus)
        form.addRow("&Rates", self.rates)
        form.addRow("", self.even)
        label = Label("&Variable, values")
        label.setBuddy(self.variable)
        form.addRow(label, varied)
        buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel
        )
        self.accept_button = buttons.button(QDialogButtonBox.StandardButton.Ok)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(about)
        layout.addLayout(form)
        layout.addWidget(self.said)
        layout.addWidget(buttons)

    def _on_changed(self) -> None:
        problem = field = ""
        try:
            self.draft = self._changed()
        except InputError as error:
            problem, field = str(error), error.field
        self._mark(field)
        self.accept_button.setEnabled(not problem)
        self.said.setText(problem or self._points_text())
        self.said.setProperty("role", "bad" if problem else "")
        self.said.style().polish(self.said)

    def complete_variables(self, found: list[frozenset[str]]) -> None:
        """Complete variables from those that all builds know."""
        complete_field(self.variable, frozenset.intersection(*found) if found else ())

    def _mark(self, wrong: str) -> None:
        fields = {"threads": self.threads, "cores": self.cores, "rate": self.rates, "vary": self.values}
        for name, field in fields.items():
            field.setProperty("wrong", name == wrong)
            field.style().polish(field)

    def _changed(self) -> Draft:
        """The draft with the values of the form; raises InputError for impossible ones."""
        draft = self.draft.typed("threads", self.threads.text()).typed("cores", self.cores.text())
        draft = draft.typed("rate", self.rates.text())
        self._rates()
        _numbers("threads", self.threads)
        self._core_sets()
        name, values = self.variable.text().strip(), self.values.text().strip()
        vary = f"{name}={values}" if name or values else ""
        variations_of(vary)
        arrivals = EVEN if self.even.isChecked() else ""
        return draft.said(
            vary=vary, arrivals=arrivals, cpus=OWN_CPUS if self.own_cpus.isChecked() else SHARED_CPUS
        )

    def _rates(self) -> CoreSets:
        """The typed rates; raises InputError."""
        return value_of("rate", self.rates.text()) or ()

    def _core_sets(self) -> CoreSets:
        """The typed core sets, else those of the sequence that fit the target; raises InputError."""
        sets = _numbers("cores", self.cores)
        if self.own_cpus.isChecked() and not sets:
            CoreSet.apart(self._nodes)
        if not self.cores.text().strip():
            return as_far_as_it_goes(sets, self._nodes)
        for each in sets:
            CoreSet.of(each, self._nodes)
        return sets

    def _points_text(self) -> str:
        """`12 points of each step: 3 thread counts x 2 core sets x 2 values`, and the CPUs of the servers."""
        counts = (
            (len(_numbers("threads", self.threads)), "thread count"),
            (len(core_sets := self._core_sets()), "core set"),
            (len(self._rates()), "rate"),
            (len(variations_of(self.draft.request.vary)), "value"),
        )
        swept = [(count, noun) for count, noun in counts if count]
        points = count_text(prod(count for count, _ in swept), "point")
        cpus = [CoreSet.of(each, self._nodes).server for each in core_sets if self._nodes]
        servers = f"\nthe server on CPUs {', then '.join(cpus)}" if cpus else ""
        return f"{points} of each step: {' x '.join(count_text(*each) for each in swept)}{servers}"


def change_sweep(controller: DraftController, context: Context, parent: QWidget) -> None:
    """Edit the sweep of the draft."""
    nodes = controller.survey.topology if controller.survey else []
    left_open = open_values(controller.choices.sequence(controller.draft.request.sequence))
    dialog = SweepDialog(controller.draft, left_open, nodes, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.accepted.connect(lambda: controller.change(dialog.draft))
    dialog.open()
    request = controller.draft.request
    target, builds = Targets(context.home).get(request.target), {each.build for each in request.contenders}
    ask_for_options(context, dialog, target, controller.survey, builds, dialog.complete_variables)


def _numbers(name: str, field: QLineEdit) -> CoreSets:
    """The typed numbers, else the default ones; raises InputError."""
    return value_of(name, field.text() or field.placeholderText()) or ()


def _field(name: str, text: str, open_: str, tip: str) -> QLineEdit:
    field = QLineEdit(text)
    field.setAccessibleName(name)
    field.setPlaceholderText(open_)
    field.setToolTip(as_tip(tip))
    return field
