"""The choice of a sequence, its steps, its sizes, and a name for a variant."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QMenu, QPushButton, QScrollArea, QWidget

from app.catalog import Sequence
from app.catalog.studies import by_study
from app.core.errors import InputError
from app.planner.resolve.sweep import parse_vary_option
from app.planner.starting.choices import PlanChoices, TickableStep, step_choices
from app.planner.starting.draft import Draft, empty_field_values
from app.planner.starting.draft_outcome import DraftOutcome
from app.planner.starting.unusual import unusual_text
from ui.core.plain import PlainTextLabel, as_tip
from ui.core.theme import SPACE, Theme
from ui.widgets.actions import action, action_button
from ui.widgets.elided import ElidedLabel
from ui.widgets.filter_line import FilterLine
from ui.widgets.grouped_box import GroupedComboBox, GroupedComboEntry
from ui.widgets.layouts import NATIVE, boxed, in_column, in_row

from .fields import FieldsForm
from .step_tree import StepTree

LEAST_FOLDED = 20 * SPACE  # pixels of the options; what is below them scrolls
_PROFILE = "Sample the stacks of the server in the selected steps; they compare only with profiled ones"


class SequencePanel(QWidget):
    """Reports input; shows what it is given."""

    sequence_chosen = Signal(str)
    variant_wanted = Signal(str)  # its name
    unfolded = Signal(bool)  # whether all options are in view

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = PlanChoices()
        self._steps: tuple[TickableStep, ...] = ()
        self._outcome: DraftOutcome | None = None
        self._theme = theme
        self.box = GroupedComboBox(theme)
        self.box.setAccessibleName("What is measured")
        self.box.setSizeAdjustPolicy(GroupedComboBox.SizeAdjustPolicy.AdjustToContents)  # variants come later
        self.box.setToolTip("The steps to run and their order")
        self.box.activated.connect(lambda _: self.sequence_chosen.emit(self.box.currentData()))
        self.title = ElidedLabel(role="muted")
        self.steps = StepTree()
        tip = "Show only steps that contain these words"
        self.filter = FilterLine("Filter of the steps", "filter", tip)
        self.filter.left.connect(self.steps.setFocus)
        self.filter.textChanged.connect(self.steps.filter_by)
        self.fields = FieldsForm()
        tip = "Run each step with several thread counts, cores and values of a variable"
        self.sweep = action(self, "Sweep…", "sweep", tip)
        tip = "Write a workload in SQL, or edit your own"
        self.sql = action(self, "Custom SQL…", "custom SQL", tip)
        self.variant = QLineEdit(placeholderText="name of a variant")
        self.variant.setAccessibleName("Name of the variant")
        self.variant.setToolTip("Lowercase letters, digits, dots and dashes")
        self.variant.returnPressed.connect(self._on_save_wanted)
        tip = "Save steps and sizes as your own sequence under this name"
        self.save = action(self, "Save variant", "save variant", tip, self._on_save_wanted)
        self.ticks = self._tick_actions()
        self.profile = action(self.steps, "Profile", "profile", _PROFILE, self.steps.turn_profile)
        self._need_selection(self.profile)
        tip = "Show steps, seconds, order, start, sweep and all other options"
        self.more = action(self, "More", "more options", tip, checkable=True)
        self.differing = ElidedLabel(role="muted")  # from the defaults
        self.folded = QScrollArea()
        self.folded.setWidgetResizable(True)
        self.folded.setFrameShape(QScrollArea.Shape.NoFrame)
        self.folded.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.folded.setMinimumHeight(LEAST_FOLDED)
        self.folded.setAccessibleName("All other options")
        self._build_layout()
        self.more.toggled.connect(self._on_more)
        theme.changed.connect(self._place_sizes)
        self._place_sizes()
        self._on_more(False)

    def show_choices(self, choices: PlanChoices) -> None:
        self._choices = choices
        studies = by_study(choices.sequences).items()
        self.box.show_groups([(study, [_entry(each) for each in some]) for study, some in studies])

    def show_draft(self, draft: Draft) -> None:
        self.box.setCurrentIndex(self.box.findData(draft.request.sequence))
        sequence = self._choices.sequence(draft.request.sequence)
        self.title.setText(sequence.title if sequence else "")
        self.title.setToolTip(as_tip(sequence.about if sequence else ""))
        self._steps = tuple(step_choices(sequence, self._choices.workloads)) if sequence else ()
        self.steps.show_steps(self._steps, draft.request.steps, draft.request.profile)
        self.steps.filter_by(self.filter.text())
        self.sweep.setText(f"Sweep x{swept}…" if (swept := _swept(draft)) > 1 else "Sweep…")
        self.fields.show_draft(draft)
        self.fields.show_open(empty_field_values(sequence, draft.request.contenders))
        self._tell_differing()

    def show_outcome(self, outcome: DraftOutcome) -> None:
        self.fields.show_outcome(outcome)
        self._outcome = outcome
        self._tell_differing()

    def _tell_differing(self) -> None:
        """Name what differs from the defaults below More, or what is wrong there."""
        outcome = self._outcome
        if outcome is None:
            return
        problem = outcome.problem
        wrong = problem.text if problem and self.fields.is_below_more(problem.field) else ""
        usual = unusual_text(outcome.request or outcome.draft.request, self._steps) or "all else as usual"
        self.differing.set_role("bad" if wrong else "muted")
        self.differing.setText(wrong or usual)

    def add_options(self, widget: QWidget) -> None:
        """Add controls of the page below More."""
        self._options.addWidget(widget)

    def _on_more(self, is_open: bool) -> None:
        self.more.setText("▾ More" if is_open else "▸ More")
        self.folded.setVisible(is_open)
        self.unfolded.emit(is_open)

    def _tick_actions(self) -> tuple[QAction, ...]:
        """The actions of the tree, in its menu and its button."""
        tree, only = self.steps, "Tick only the selected steps"
        made = (
            action(tree, "Tick all", "", "Tick all steps that the filter shows", tree.tick_all),
            action(tree, "Tick none", "", "Untick all steps that the filter shows", tree.tick_none),
            action(tree, "Only this", "tick only this", only, tree.tick_only_selected),
        )
        self._need_selection(made[-1])
        return made

    def _need_selection(self, made: QAction) -> None:
        """Enable an action of the tree while steps are selected."""
        self.steps.itemSelectionChanged.connect(lambda: made.setEnabled(bool(self.steps.selectedItems())))
        made.setEnabled(False)

    def _tick_button(self) -> QPushButton:
        button = QPushButton("Tick")
        button.setToolTip("Tick all steps, none, or only the selected ones; Space ticks what is selected")
        menu = QMenu(button)
        menu.addActions(self.ticks)
        button.setMenu(menu)
        return button

    def _build_layout(self) -> None:
        heading = PlainTextLabel("What is measured", "heading", buddy=self.box)
        head = in_row(heading, self.box, (self.title, 1), spacing=NATIVE)
        fold = in_row(action_button(self.more), (self.differing, 1), spacing=NATIVE)
        sweep, save = action_button(self.sweep), action_button(self.save)
        foot = in_row(sweep, (self.variant, 1), save, spacing=NATIVE)
        self._options = in_column()
        sizes = in_column(self.fields.more, 1, foot, spacing=SPACE // 2)
        choosing = in_row((self.filter, 1), self._tick_button())
        steps = in_column(choosing, (self.steps, 1), action_button(self.sql), self._options)
        self._inside = in_row((steps, 1), (sizes, 2), spacing=2 * SPACE)
        self.folded.setWidget(boxed(self._inside))
        self.setLayout(in_column(head, self.fields, fold, (self.folded, 1)))

    def _place_sizes(self) -> None:
        """Beside the steps, or below them where large text leaves no room."""
        directions = QBoxLayout.Direction
        is_below = self._theme.has_large_text
        self._inside.setDirection(directions.TopToBottom if is_below else directions.LeftToRight)

    def _on_save_wanted(self) -> None:
        if self.variant.text().strip():
            self.variant_wanted.emit(self.variant.text().strip())
        else:
            self.variant.setFocus()


def _entry(sequence: Sequence) -> GroupedComboEntry:
    name = sequence.name if sequence.shipped else f"{sequence.name} (yours)"
    return GroupedComboEntry(name, sequence.name, sequence.about or sequence.title)


def _swept(draft: Draft) -> int:
    """How often each step runs because of sweeps, without threads, which are in the form."""
    try:
        values = len(parse_vary_option(draft.request.vary))
    except InputError:
        values = 0
    rates = len(draft.request.rate or ()) or 1
    return (len(draft.request.cores or ()) or 1) * (values or 1) * rates
