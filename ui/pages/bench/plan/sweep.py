"""The dialog of a sweep over threads, cores, rates and one variable."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from app.catalog.amounts import CoreSets
from app.core.errors import InputError
from app.core.units import count_text
from app.planner.request.cores import OWN_CPUS, SHARED_CPUS, CoreSet, Nodes, as_far_as_it_goes
from app.planner.resolve.sweep import parse_vary_option
from app.planner.starting.draft import Draft, empty_field_values, value_of
from app.protocol.plan import ARRIVALS
from app.targets.store import Targets
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.pages.bench.variables import read_option_names
from ui.widgets.code_editor import add_name_completer
from ui.widgets.form import CheckBoxField, Choice, Form, FormFieldSpec
from ui.widgets.layouts import dialog_buttons, lay_out_dialog

from .draft_controller import DraftController

WIDTH = 60 * SPACE
ARRIVAL_TEXTS = (
    "Random gaps, as of many independent users",
    "Equal gaps",
    "Each second its part, then a pause",
)
SWEPT = {"threads": "thread count", "cores": "core count", "rate": "rate"}
FIELDS = (
    FormFieldSpec("threads", "&Threads", "Client threads: 1, 2, 4 or 1..64 x2"),
    FormFieldSpec(
        "cores",
        "&Cores",
        "How many cores the server has: 4, 2, 1 or 1-4; or its CPUs in brackets:"
        " [0-3], [0,2,4-6]. Empty: all, or as the sequence says",
    ),
    FormFieldSpec(
        "own_cpus",
        "Server and load on CPUs of their &own",
        "Half of the cores each, unless cores are set; reduces noise on small machines",
        CheckBoxField,
    ),
    FormFieldSpec(
        "rate",
        "&Rates",
        "Events per second to send, whatever the server does: 500, 1000 or 100..6400 x2."
        " Empty: as many as possible",
    ),
    FormFieldSpec(
        "arrivals",
        "&Arrivals",
        "How the events of a rate come. Latency counts from when an event was due; with a part each second,"
        " from when it was sent",
        Choice,
        choices=tuple(zip(ARRIVALS, ARRIVAL_TEXTS, strict=True)),
    ),
    FormFieldSpec(
        "variable",
        "&Variable, values",
        "A dynamic variable of the server",
        empty="innodb_spin_wait_delay",
        title="Variable",
        stretch=3,
    ),
    FormFieldSpec(
        "vary",
        "",
        "Values such as 6, 96 or 1..64 x2; Dyno resets the variable after each step",
        empty="6, 96",
        title="Values",
        stretch=2,
        joins_row=True,
    ),
)
_ABOUT = (
    "Each driven step runs at every point: all rates, then the next threads, cores, and value. "
    "Values that the sequence sets for a step override these; roles of a step have rates of their own."
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
        self.form = Form(FIELDS)
        self._fill(left_open)
        self.said = PlainTextLabel(wraps=True)
        standard = QDialogButtonBox.StandardButton
        buttons = dialog_buttons(self, standard.Ok, standard.Cancel)
        self.accept_button = buttons.button(standard.Ok)
        about = PlainTextLabel(_ABOUT, "muted", wraps=True)
        lay_out_dialog(self, about, self.form, self.said, buttons, spacing=2 * SPACE)
        self.form.changed.connect(self._on_changed)
        self._on_changed()

    def _fill(self, left_open: Mapping[str, str]) -> None:
        request = self.draft.request
        variable, _, values = request.vary.partition("=")
        for name in SWEPT:
            self.form.line(name).setPlaceholderText(left_open[name])
        self.form.fill(
            {
                **{name: self.draft.text(name) for name in SWEPT},
                "own_cpus": request.cpus == OWN_CPUS,
                "arrivals": request.arrivals or ARRIVALS[0],
                "variable": variable,
                "vary": values,
            }
        )

    def _on_changed(self) -> None:
        problem = field = ""
        try:
            self.draft = self._changed()
        except InputError as error:
            problem, field = str(error), error.field
        self.form.mark(field)
        self.accept_button.setEnabled(not problem)
        self.said.setText(problem or self._points_text())
        self.said.set_role("bad" if problem else "")

    def complete_variables(self, found: list[frozenset[str]]) -> None:
        """Complete variables from those that all builds know."""
        add_name_completer(self.form.line("variable"), frozenset.intersection(*found) if found else ())

    def _changed(self) -> Draft:
        """The draft with the values of the form; raises InputError for impossible ones."""
        typed = self.form.values()
        draft = self.draft
        for name in SWEPT:
            draft = draft.typed(name, typed[name])
            self._numbers(name)
        self._core_sets()
        vary = f"{typed['variable']}={typed['vary']}" if typed["variable"] or typed["vary"] else ""
        parse_vary_option(vary)
        return draft.with_options(
            vary=vary,
            arrivals="" if typed["arrivals"] == ARRIVALS[0] else typed["arrivals"],
            cpus=OWN_CPUS if typed["own_cpus"] else SHARED_CPUS,
        )

    def _numbers(self, name: str) -> CoreSets:
        """The typed numbers, else the default ones; raises InputError."""
        line = self.form.line(name)
        open_ = "" if name == "rate" else line.placeholderText()
        return value_of(name, line.text() or open_) or ()

    def _core_sets(self) -> CoreSets:
        """The typed cores, else those of the sequence that fit the target; raises InputError."""
        sets, typed = self._numbers("cores"), self.form.values()
        if typed["own_cpus"] and not sets:
            CoreSet.apart(self._nodes)
        if not typed["cores"]:
            return as_far_as_it_goes(sets, self._nodes)
        for each in sets:
            CoreSet.of(each, self._nodes)
        return sets

    def _points_text(self) -> str:
        """`12 points of each step: 3 thread counts x 2 core counts x 2 values`, and the CPUs of servers."""
        found = {name: self._numbers(name) for name in SWEPT} | {"cores": self._core_sets()}
        counts = [(len(found[name]), noun) for name, noun in SWEPT.items()]
        counts.append((len(parse_vary_option(self.draft.request.vary)), "value"))
        swept = [(count, noun) for count, noun in counts if count]
        points = count_text(prod(count for count, _ in swept), "point")
        cpus = [CoreSet.of(each, self._nodes).server for each in found["cores"] if self._nodes]
        servers = f"\nthe server on CPUs {', then '.join(cpus)}" if cpus else ""
        return f"{points} of each step: {' x '.join(count_text(*each) for each in swept)}{servers}"


def change_sweep(controller: DraftController, context: WindowContext, parent: QWidget) -> None:
    """Edit the sweep of the draft."""
    nodes = controller.survey.topology if controller.survey else []
    left_open = empty_field_values(controller.choices.sequence(controller.draft.request.sequence))
    dialog = SweepDialog(controller.draft, left_open, nodes, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.accepted.connect(lambda: controller.change(dialog.draft))
    dialog.open()
    request = controller.draft.request
    target, builds = Targets(context.home).get(request.target), {each.build for each in request.contenders}
    read_option_names(context, dialog, target, controller.survey, builds, dialog.complete_variables)
