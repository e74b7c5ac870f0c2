"""What is carried out: a sequence, its steps to tick, its sizes; and a name for a variant."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.catalog import Sequence
from app.catalog.studies import by_study
from app.core.errors import InputError
from app.core.harmless import harmless
from app.planner.choices import Choices, StepChoice, step_choices
from app.planner.draft import Draft, Outcome, open_values
from app.planner.sweep import variations_of
from ui.core.plain import Label, as_tip
from ui.core.theme import SPACE, Theme
from ui.widgets.actions import action, action_button
from ui.widgets.grouped_box import Entry, GroupedBox

from .fields import FieldsForm

_NAME = Qt.ItemDataRole.UserRole


class SequencePanel(QWidget):
    """Says what a person did; what it shows is given to it."""

    sequence_chosen = Signal(str)
    steps_ticked = Signal(list)  # names of all that are ticked
    sweep_wanted = Signal()
    sql_wanted = Signal()
    variant_wanted = Signal(str)  # its name

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = Choices()
        self._shown: tuple[StepChoice, ...] = ()
        self.box = GroupedBox(theme)
        self.box.setAccessibleName("Sequence")
        self.box.setSizeAdjustPolicy(GroupedBox.SizeAdjustPolicy.AdjustToContents)  # variants come later
        self.box.setToolTip("Which steps are carried out, in which order")
        self.box.activated.connect(lambda _: self.sequence_chosen.emit(self.box.currentData()))
        self.title = Label()
        self.title.setProperty("role", "muted")
        self.title.setWordWrap(True)
        self.steps = _tree()
        self.steps.itemChanged.connect(self._on_item_changed)
        self.fields = FieldsForm()
        tip = "Carry each step out over several threads, core sets and values of a variable"
        self.sweep = action(self, "Sweep...", "Ctrl+Shift+W", tip, self.sweep_wanted.emit)
        tip = "Write a workload as SQL, or change one of your own"
        self.sql = action(self, "Custom SQL...", "Ctrl+Shift+L", tip, self.sql_wanted.emit)
        self.variant = QLineEdit()
        self.variant.setPlaceholderText("name of a variant")
        self.variant.setAccessibleName("Name of the variant")
        self.variant.setToolTip("Small letters, digits, dots and dashes")
        self.variant.returnPressed.connect(self._on_save_wanted)
        tip = "Keep steps and sizes as a sequence of your own, under this name"
        self.save = action(self, "Save variant", "Ctrl+Shift+S", tip, self._on_save_wanted)
        self._build_layout()

    def show_choices(self, choices: Choices) -> None:
        self._choices = choices
        studies = by_study(choices.sequences).items()
        self.box.show_groups([(study, [_entry(each) for each in some]) for study, some in studies])
        self._shown = ()

    def show_draft(self, draft: Draft) -> None:
        self.box.setCurrentIndex(self.box.findData(draft.request.sequence))
        sequence = self._choices.sequence(draft.request.sequence)
        self.title.setText(sequence.title if sequence else "")
        self.title.setToolTip(as_tip(sequence.about if sequence else ""))
        found = tuple(step_choices(sequence, self._choices.workloads)) if sequence else ()
        self.steps.blockSignals(True)
        if found != self._shown:
            self._shown = found
            self._fill(found)
        self._tick(draft.request.steps)
        self.steps.blockSignals(False)
        self.sweep.setText(f"Sweep x{swept}..." if (swept := _swept(draft)) > 1 else "Sweep...")
        self.fields.show_draft(draft)
        self.fields.show_open(open_values(sequence, draft.request.contenders))

    def show_outcome(self, outcome: Outcome) -> None:
        self.fields.show_problem(outcome.problem)

    def _build_layout(self) -> None:
        heading = Label("Sequence")
        heading.setProperty("role", "heading")
        heading.setBuddy(self.box)
        head = QHBoxLayout()
        head.addWidget(heading)
        head.addWidget(self.box)
        head.addWidget(self.title, 1)
        foot = QHBoxLayout()
        foot.addWidget(action_button(self.sweep))
        foot.addWidget(self.variant, 1)
        foot.addWidget(action_button(self.save))
        sizes = QVBoxLayout()
        sizes.addWidget(self.fields, 1)
        sizes.addLayout(foot)
        body = QHBoxLayout()
        body.setSpacing(2 * SPACE)
        steps = QVBoxLayout()
        steps.setSpacing(SPACE)
        steps.addWidget(self.steps, 1)
        steps.addWidget(action_button(self.sql))
        body.addLayout(steps, 1)
        body.addLayout(sizes, 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACE)
        layout.addLayout(head)
        layout.addLayout(body, 1)

    def _fill(self, steps: tuple[StepChoice, ...]) -> None:
        """Groups in the order of the sequence: one that comes twice is there twice."""
        self.steps.clear()
        for group, members in groupby(steps, key=lambda step: step.group):
            parent = QTreeWidgetItem(self.steps, [harmless(group)])
            parent.setFlags(parent.flags() | Qt.ItemFlag.ItemIsAutoTristate | Qt.ItemFlag.ItemIsUserCheckable)
            for step in members:
                parent.addChild(_item(step))
        self.steps.expandAll()

    def _tick(self, chosen: tuple[str, ...]) -> None:
        for item in self._items():
            step = item.data(0, _NAME)
            is_on = not chosen or step.name in chosen or step.is_fixed
            item.setCheckState(0, Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)

    def _items(self) -> list[QTreeWidgetItem]:
        groups = [self.steps.topLevelItem(at) for at in range(self.steps.topLevelItemCount())]
        found = (group.child(at) for group in groups if group for at in range(group.childCount()))
        return [item for item in found if item]

    def _on_item_changed(self, _item: QTreeWidgetItem) -> None:
        """A group ticks its steps one by one: each change arrives, the ticks count."""
        steps = [(item.data(0, _NAME), item.checkState(0)) for item in self._items()]
        ticked = [step.name for step, state in steps if state == Qt.CheckState.Checked or step.is_fixed]
        self.steps_ticked.emit(ticked)

    def _on_save_wanted(self) -> None:
        if self.variant.text().strip():
            self.variant_wanted.emit(self.variant.text().strip())
        else:
            self.variant.setFocus()


def _entry(sequence: Sequence) -> Entry:
    name = sequence.name if sequence.shipped else f"{sequence.name} (yours)"
    return Entry(name, sequence.name, sequence.about or sequence.title)


def _swept(draft: Draft) -> int:
    """How often each step is carried out beside its threads, which are in the form."""
    try:
        values = len(variations_of(draft.request.vary))
    except InputError:
        values = 0
    return (len(draft.request.cores or ()) or 1) * (values or 1)


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setAccessibleName("Steps")
    tree.setHeaderHidden(True)
    tree.setUniformRowHeights(True)
    tree.setIndentation(2 * SPACE)
    tree.setMinimumHeight(15 * SPACE)
    tree.setMinimumWidth(23 * SPACE)  # its names can be read
    return tree


def _item(step: StepChoice) -> QTreeWidgetItem:
    item = QTreeWidgetItem([harmless(f"{step.name} · {step.bound}" if step.bound else step.name)])
    item.setData(0, _NAME, step)
    tip = f"{step.title}\nnothing can be measured without it" if step.is_fixed else step.title
    item.setToolTip(0, as_tip(tip))
    if step.is_fixed:
        item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsUserCheckable)
    return item
