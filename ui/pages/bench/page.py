"""The place where a plan is set up and started."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from app.planner.kinds.calibration import calibration_request, self_test_request
from app.planner.starting.choices import PlanChoices
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import DraftOutcome
from app.planner.starting.launch import REHEARSED, STARTED, QueueInstead
from app.protocol.answers import Survey
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.core.context import WindowContext
from ui.core.page import MARGIN, Page
from ui.core.theme import SPACE
from ui.widgets.actions import action
from ui.widgets.layouts import in_column
from ui.widgets.message import Banner

from .busy import BusyTarget
from .plan.contenders import ContendersPanel
from .plan.draft_controller import DraftController
from .plan.run_dialogs import LoadTargetsDialog, QueueingDialog
from .plan.sequence import SequencePanel
from .plan.server_commands import ServerCommands
from .plan.sweep import change_sweep
from .presets.dialog import edit_preset
from .run_panel import PlanPreviewPanel
from .sql import edit_sql
from .starting import PlanStartController, RunAgain
from .targets.panel import TargetsPanel

WIDTHS = (272, 624, 352)  # at the smallest size that is looked after
WIDTHS_OF_LARGE_TEXT = (320, 528, 400)
HEIGHTS = (250, 440)  # while all options are in view
CALIBRATING = "Calibration is set up: press Run. Your plan comes back once it has started."
TESTING = "The self test is set up: press Run. Your plan comes back once it has started."
COUNTING = "Counting is set up (work, not speed): press Run. Your plan comes back once it has started."
NO_LIMIT = 16_777_215  # pixels: QWIDGETSIZE_MAX


class BenchPage(Page):
    title = "Bench"

    def __init__(self, context: WindowContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.controller = DraftController(context, self)
        self.message = Banner(self)
        self.targets = TargetsPanel(context, self)
        self.contenders = ContendersPanel(context.theme, self)
        self.sequence = SequencePanel(context.theme, self)
        self.run_panel = PlanPreviewPanel(context.theme, context.tasks, self)
        self.run_panel.plan.folder = str(context.home)
        self.outcome: DraftOutcome | None = None
        self._colours: list[int] = []
        targets = self.targets
        self.servers = ServerCommands(context, self.contenders.servers, targets.all, lambda: targets.chosen)
        self.busy = BusyTarget(context, self)
        self.starting = PlanStartController(
            context, self.controller, self.targets, self.run_panel, self.message
        )
        tip = "Leave the calibration, self test or count, and set up again what was there before it"
        self.give_back = action(self, "Back to my plan", "", tip, self.controller.give_back)
        self._build_layout()
        self._connect_input()
        self._connect_draft()
        for each in self.page_actions():
            if each is not None and each is not self.contenders.remove:
                self.addAction(each)  # the shortcut is heard wherever the page has the keyboard

    def concerns(self, changes: PartsToReload) -> bool:
        return changes.targets or changes.presets or changes.sequences

    def reload(self) -> None:
        self.targets.reload()
        self.run_panel.run_bar.offer_several(len(self.targets.all()) > 1)
        if self.outcome is None:
            self._on_target_chosen(self.targets.chosen.name)
        else:
            self.controller.reload()

    def open(self, wanted: ShowPageRequest) -> None:
        """Set up sessions to measure again, and start them on request."""
        if wanted.sessions:
            self.message.clear()
            if wanted.is_count:
                self.controller.open_count(wanted.sessions, *wanted.steps[:1])
            else:
                self.again.open(wanted.sessions, wanted.is_run, wanted.steps)

    def page_actions(self) -> Sequence[QAction | None]:
        panel, contenders = self.run_panel, self.contenders
        run, plan, presets = panel.run_bar, panel.plan, panel.presets
        return (
            run.run, run.rehearse, run.several, run.load, run.queue, run.count, run.cancel, None,
            panel.recent.open, plan.load, plan.save, plan.copy, None,
            self.sequence.more, self.sequence.sweep, self.sequence.sql, self.sequence.save, None,
            *self.sequence.ticks, None,
            contenders.copy, contenders.remove, contenders.look, contenders.colour, None,
            *contenders.servers.all_actions(), None,
            presets.copy, presets.edit, presets.delete, None,
            *self.targets.panel_actions(),
        )  # fmt: skip

    def first_focus(self) -> QWidget:
        return self.targets.list

    # making it

    def _build_layout(self) -> None:
        columns, work = QSplitter(Qt.Orientation.Horizontal), QSplitter(Qt.Orientation.Vertical)
        # from the outside in: what is taken over is styled again
        self.setLayout(in_column(columns, margins=(MARGIN, MARGIN, MARGIN, MARGIN)))
        _add_inset(columns, self.targets)
        columns.addWidget(work)
        _add_inset(columns, self.run_panel)
        _add_inset(work, self.contenders, bottom=SPACE // 2)
        self.sequence.add_options(self.run_panel.run_bar.options)
        self._below = _add_inset(work, self.sequence, top=SPACE // 2)
        self._work = work
        widths = WIDTHS_OF_LARGE_TEXT if self.context.theme.has_large_text else WIDTHS
        for splitter, sizes, key in ((columns, widths, "columns"), (work, HEIGHTS, "work")):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(SPACE)
            splitter.setSizes(sizes)
            self.context.memory.restore_splitter(splitter, f"bench/{key}")
        self.context.memory.restore_header(self.contenders.table.horizontalHeader(), "bench/contenders")
        columns.setStretchFactor(1, 1)
        work.setStretchFactor(0, 3)
        work.setStretchFactor(1, 2)
        self.sequence.unfolded.connect(self._on_unfolded)
        self.sequence.more.setChecked(self.context.memory.value("bench/more", False))
        self._on_unfolded(self.sequence.more.isChecked())

    def _connect_input(self) -> None:
        """Connect the input of the panels."""
        controller, panel = self.controller, self.run_panel
        plan, presets, run_bar = panel.plan, panel.presets, panel.run_bar
        wanted = (self.sequence.variant_wanted, plan.save_wanted, plan.open_wanted, presets.copy_wanted)
        for signal in wanted:
            signal.connect(self.message.clear)  # what was wrong with the one before
        connect_contenders(controller, self.contenders)
        connect_sequence(controller, self.sequence)
        connect_run_panel(controller, panel)
        self.contenders.preset_wanted.connect(panel.look_at_preset)
        self.contenders.colour_chosen.connect(self._on_colour_chosen)
        self.servers.changed.connect(controller.reload)
        self.servers.failed.connect(self.message.show_failure)
        self.sequence.sweep.triggered.connect(lambda: change_sweep(controller, self.context, self))
        self.sequence.sql.triggered.connect(lambda: edit_sql(controller, self.context, self))
        panel.checks.option_wanted.connect(self._on_option_wanted)
        plan.said.connect(self.context.bus.said)
        presets.edit.triggered.connect(self._on_edit_wanted)
        presets.edit_wanted.connect(lambda *which: edit_preset(controller, self.context, self, *which))
        run_bar.run.triggered.connect(lambda: self._start())
        run_bar.rehearse.triggered.connect(lambda: self._start(REHEARSED))
        run_bar.queue.triggered.connect(self._on_queue_wanted)
        run_bar.several.triggered.connect(lambda: self.starting.ask_targets(self.window()))
        run_bar.load.triggered.connect(self._on_load_wanted)
        run_bar.count.triggered.connect(controller.count)
        run_bar.cancel.triggered.connect(self.starting.cancel)

    def _connect_draft(self) -> None:
        """Connect the results of the draft."""
        controller, targets = self.controller, self.targets
        controller.drafted.connect(self._on_drafted)
        controller.stocked.connect(self._on_stocked)
        controller.concluded.connect(self._on_concluded)
        controller.failed.connect(self.message.show_failure)
        self.again = RunAgain(controller)  # behind the page: it starts what the page shows
        self.again.warned.connect(self.message.show_warning)
        self.again.start_wanted.connect(self._start)
        self.run_panel.recent.chosen.connect(lambda plan: self.open(ShowPageRequest("bench", (plan,))))
        self.run_panel.recent.file_chosen.connect(controller.open_plan)
        self.run_panel.recent.failed.connect(self.message.show_failure)
        controller.counting.connect(self._on_counting)
        controller.target_wanted.connect(targets.choose)
        targets.target_chosen.connect(self._on_target_chosen)
        targets.known.surveyed.connect(self._on_surveyed)
        self.busy.changed.connect(self._show_outcome)
        targets.machine.calibrate.triggered.connect(self._on_calibration_wanted)
        targets.machine.self_test.triggered.connect(self._on_self_test_wanted)

    # what a person does

    def _on_unfolded(self, is_open: bool) -> None:
        """Give the contenders all room while the other options are folded."""
        self.context.memory.keep("bench/more", is_open)
        self._below.fold(not is_open)
        if is_open:
            self._work.setSizes(HEIGHTS)

    def _on_calibration_wanted(self) -> None:
        if self.controller.set_up_for_target(calibration_request):
            self.message.show_info(CALIBRATING, self.give_back)

    def _on_self_test_wanted(self) -> None:
        if self.controller.set_up_for_target(self_test_request):
            self.message.show_info(TESTING, self.give_back)

    def _on_counting(self, remark: str) -> None:
        self.message.show_info("\n".join(filter(None, (remark, COUNTING))), self.give_back)

    def _on_colour_chosen(self, at: int, colour: int) -> None:
        plan = self.outcome.plan if self.outcome else None
        if plan is not None and at < len(plan.contenders):
            self.controller.set_colour(plan.contenders[at].key, colour)

    def _on_edit_wanted(self) -> None:
        """Edit the preset of the cell or contender that has the keyboard, else the one that is looked at."""
        if place := self.contenders.focused_preset():
            self.run_panel.presets.look_at(*place, takes_focus=False)
        self.run_panel.presets.edit_shown()

    def _on_option_wanted(self, name: str, option: str) -> None:
        """Open the preset of a contender as it was when it was checked."""
        refused = self.starting.refused
        plans = (refused and refused.plan, self.outcome and self.outcome.plan)
        found = [each for plan in plans if plan for each in plan.contenders if each.name == name]
        for each in found[:1]:
            edit_preset(self.controller, self.context, self, each.engine, each.preset, each.build, option)

    def _start(self, last: str = STARTED, later: QueueInstead | None = None) -> None:
        if not self._obstacle():
            self.starting.start(last, later)

    def _on_queue_wanted(self) -> None:
        dialog = QueueingDialog(self.targets.chosen.name, self.window())
        dialog.wanted.connect(lambda in_s: self._start(later=QueueInstead(self.controller.survey, in_s)))
        dialog.open()

    def _on_load_wanted(self) -> None:
        controller = self.controller
        others = [each.name for each in self.targets.all() if each.name != self.targets.chosen.name]
        dialog = LoadTargetsDialog(others, controller.draft.request, self.window())
        dialog.chosen.connect(
            lambda names, address: controller.change(
                controller.draft.with_options(load=names, load_address=address)
            )
        )
        dialog.open()

    def _obstacle(self) -> str:
        """Show what is in the way; the start checks the rest."""
        if self.outcome is None or self.controller.draft.unread:
            return "not known yet"
        return self.outcome.obstacle if self.outcome.draft is self.controller.draft else ""

    # answers

    def _on_target_chosen(self, name: str) -> None:
        survey = self.targets.survey_of(name)
        self.controller.choose_target(name, survey)
        if survey is not None:
            self.busy.look(self.targets.chosen)

    def _on_surveyed(self, name: str, survey: Survey) -> None:
        if name == self.targets.chosen.name:
            self.busy.look(self.targets.chosen)
            self.starting.forget_machine()
            self.controller.take_survey(survey)

    def _on_drafted(self, draft: Draft) -> None:
        if self.message.text.endswith((CALIBRATING, TESTING, COUNTING)) and not self.controller.is_for_once:
            self.message.clear()
        for part in (self.contenders, self.sequence, self.run_panel):
            part.show_draft(draft)

    def _on_stocked(self, choices: PlanChoices) -> None:
        self.contenders.show_choices(choices)
        self.sequence.show_choices(choices)
        self.run_panel.show_choices(choices, self.controller.survey)
        if choices.problems:
            self.message.show_warning("; ".join(choices.problems))

    def _on_concluded(self, outcome: DraftOutcome, colours: list[int]) -> None:
        self.outcome, self._colours = outcome, colours
        self._show_outcome()

    def _show_outcome(self) -> None:
        outcome = self.outcome
        if outcome is None:
            return
        self.contenders.show_outcome(outcome, self._colours)
        self.sequence.show_outcome(outcome)
        busy = self.busy.check(outcome.draft.request)
        self.run_panel.show_outcome(outcome, self.starting.still_failed(outcome), busy)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.controller.survey is not None:
            self.busy.look(self.targets.chosen)


class _Inset(QWidget):
    """Not higher than what it shows while a part of that is folded: a splitter knows no size policy."""

    def __init__(self) -> None:
        super().__init__()
        self._is_folded = False

    def fold(self, is_folded: bool) -> None:
        self._is_folded = is_folded
        self._limit()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:  # only now its layout knows the size
            self._limit()
        return handled

    def _limit(self) -> None:
        self.setMaximumHeight(self.sizeHint().height() if self._is_folded else NO_LIMIT)


def _add_inset(splitter: QSplitter, part: QWidget, top: int = 0, bottom: int = 0) -> _Inset:
    """Add a part with space next to the handle."""
    inset = _Inset()
    splitter.addWidget(inset)  # from the outside in
    inset.setLayout(in_column(part, margins=(0, top, 0, bottom)))
    return inset


def connect_contenders(controller: DraftController, panel: ContendersPanel) -> None:
    def edit(at: int, key: str, text: str) -> None:
        controller.change(controller.draft.with_contender(at, **{key: text}))

    panel.choices.ticked.connect(lambda *place: controller.change(controller.draft.tick(*place)))
    panel.servers.model.ticked.connect(lambda *what: controller.change(controller.draft.tick_server(*what)))
    panel.contenders.edited.connect(edit)
    panel.copied.connect(lambda at: controller.change(controller.draft.copied(at)))
    panel.removed.connect(lambda rows: controller.change(controller.draft.without(rows)))


def connect_sequence(controller: DraftController, panel: SequencePanel) -> None:
    def tick(names: list[str]) -> None:
        sequence = controller.choices.sequence(controller.draft.request.sequence)
        if sequence is not None:
            controller.change(controller.draft.with_steps(names, sequence))

    def type_in(name: str, text: str) -> None:
        draft = controller.draft
        controller.change(
            draft.with_options(name=text.strip()) if name == "name" else draft.typed(name, text)
        )

    panel.sequence_chosen.connect(lambda name: controller.change(controller.own.with_sequence(name)))
    panel.steps.ticked.connect(tick)
    panel.steps.profiled.connect(lambda names: _set(controller, "profile", tuple(names)))
    panel.variant_wanted.connect(controller.save_variant)
    panel.fields.typed.connect(type_in)
    panel.fields.chosen.connect(lambda key, value: _set(controller, key, value))


def connect_run_panel(controller: DraftController, panel: PlanPreviewPanel) -> None:
    plan, presets = panel.plan, panel.presets
    plan.save_wanted.connect(controller.save_plan)
    plan.open_wanted.connect(controller.open_plan)
    presets.copy_wanted.connect(controller.copy_preset)
    controller.preset_copied.connect(presets.edit_copy)
    presets.deletion_wanted.connect(controller.delete_preset)
    panel.approval.approved.connect(controller.approve)
    panel.run_bar.ticked.connect(lambda key, value: _set(controller, key, value))


def _set(controller: DraftController, key: str, value: object) -> None:
    controller.change(controller.draft.with_options(**{key: value}))
