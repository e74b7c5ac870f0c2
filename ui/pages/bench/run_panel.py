"""The run panel: estimate, checks, the plan itself, and the button."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QMenu, QTabWidget, QWidget

from app.catalog import UnapprovedLuaError
from app.catalog.plans import shipped_plans, with_sizes
from app.core.harmless import as_file_name, harmless
from app.core.units import date_text
from app.planner.request.command_line import command_line
from app.planner.request.plan_file import plan_file_text
from app.planner.resolve.contenders import machine_sizes
from app.planner.starting.choices import NO_SURVEY, PlanChoices
from app.planner.starting.draft import Draft
from app.planner.starting.draft_outcome import DraftOutcome
from app.protocol.answers import FAIL, Check, Survey
from ui.core.page import HEAD
from ui.core.plain import PlainTextLabel
from ui.core.tasks import NewestAnswerRunner, Tasks
from ui.core.theme import SPACE, Theme
from ui.widgets.actions import action, action_button
from ui.widgets.code_editor import CodeView
from ui.widgets.layouts import NATIVE, in_column, in_row, open_disposable_dialog
from ui.widgets.wrapping_row import WrappingRow

from .plan.check_list import WAITING, PlanCheckList, todo_text
from .plan.estimate import EstimateCard
from .plan.run_bar import RunBar
from .presets.picker import PresetView

if TYPE_CHECKING:
    from pathlib import Path

    from app.history.lists.plans import PlanEntry
    from app.history.store.history import History

_Offered: TypeAlias = "tuple[list[PlanEntry], dict[str, Path]]"  # plans of the history, and plan files
MOST = 12  # recent plans
LONGEST = 40  # characters of a name: the window is not much wider than the menu
_FILES = "Plan files (*.toml)"
_RECENT = "Set up an earlier plan again, or one that comes with Dyno: contenders, steps and sizes"


class PlanPreviewPanel(QWidget):
    """The right side of the page."""

    def __init__(self, theme: Theme, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.estimate, self.checks = EstimateCard(), PlanCheckList(theme)
        self.plan, self.presets, self.approval = PlanText(), PresetView(theme), ApprovalView()
        self.run_bar, self.recent = RunBar(), RecentPlans(tasks, self)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName("Checks, plan and my.cnf")
        self.tabs.tabBar().setAccessibleName("Checks, plan and my.cnf")
        self.tabs.setDocumentMode(True)
        for page, title in (
            (self.checks, "Checks"),
            (self.plan, "Plan"),
            (self.presets, "my.cnf"),
            (self.approval, "Approve"),
        ):
            self.tabs.addTab(page, title)
        self._build_layout()
        self.tabs.setTabVisible(self.tabs.indexOf(self.approval), False)

    def show_choices(self, choices: PlanChoices, survey: Survey | None) -> None:
        self.plan.show_survey(survey)
        self.presets.show_choices(choices, survey)

    def show_draft(self, draft: Draft) -> None:
        self.plan.show_draft(draft)
        self.presets.show_draft(draft)
        self.run_bar.show_request(draft.request)

    def show_outcome(
        self, outcome: DraftOutcome, failed: Sequence[Check] = (), busy: Check | None = None
    ) -> None:
        """Show an outcome; `failed`: failed checks of the latest start that still apply.

        `busy`: a plan is at work on the target; Run stays possible, as the target is asked again then.
        """
        self.estimate.show_outcome(outcome)
        self.plan.show_outcome(outcome)
        self.run_bar.show_busy(f"Run starts nothing now: {busy.text}; {todo_text(busy)}" if busy else "")
        if busy:
            failed = [busy, *(each for each in failed if each.name != busy.name)]
        known = {(each.name, each.contender) for each in failed}
        others = [each for each in outcome.checks if (each.name, each.contender) not in known]
        self.checks.show_checks([*failed, *(others or _obstacle(outcome))])
        self.approval.show_unapproved(outcome.unapproved)
        self.run_bar.show_obstacle(outcome.obstacle)
        at = self.tabs.indexOf(self.approval)
        is_new = bool(outcome.unapproved) and not self.tabs.isTabVisible(at)
        self.tabs.setTabVisible(at, bool(outcome.unapproved))
        if is_new:
            self.tabs.setCurrentIndex(at)

    def look_at_preset(self, engine: str, name: str, build: str) -> None:
        self.tabs.setCurrentWidget(self.presets)
        self.presets.look_at(engine, name, build)

    def _build_layout(self) -> None:
        heading = PlainTextLabel("Before you run", "heading")
        heading.setMinimumHeight(HEAD)
        head = in_row((heading, 1), self.recent, spacing=NATIVE)
        self.setLayout(in_column(head, self.estimate, (self.tabs, 1), self.run_bar))


def _obstacle(outcome: DraftOutcome) -> list[Check]:
    """What is in the way of a plan, and all that is missing."""
    texts = [outcome.problem.text] if outcome.problem else []
    found = dict.fromkeys([*texts, *outcome.lacking])
    return [Check("plan", WAITING if text == NO_SURVEY else FAIL, text) for text in found]


class ApprovalView(QWidget):
    """Lua that does not come with Dyno: one workload after the other, until all are approved."""

    approved = Signal(str, str)  # hash, workload

    def __init__(self) -> None:
        super().__init__()
        self._asked: UnapprovedLuaError | None = None
        self.words = PlainTextLabel(wraps=True)
        self.text = CodeView("What the workload runs")
        tip = "Allow this text to run on targets; a changed text needs a new approval"
        self.approve = action(self, "Approve this text", "", tip, self._on_approved)
        parts = (self.words, (self.text, 1), action_button(self.approve))
        self.setLayout(in_column(*parts, spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    def show_unapproved(self, unapproved: Sequence[UnapprovedLuaError]) -> None:
        self._asked = unapproved[0] if unapproved else None
        self.approve.setEnabled(self._asked is not None)
        if self._asked is None:
            return
        more = f" ({len(unapproved) - 1} more after it)" if len(unapproved) > 1 else ""
        self.words.setText(
            f"The workload {self._asked.workload.name} is not part of Dyno. Its Lua code runs on the "
            f"target as your user: read it before you approve it.{more}"
        )
        files = (f"-- {name}\n{text}" for name, text in sorted(self._asked.files.items()))
        self.text.show_text("\n\n".join(files))

    def _on_approved(self) -> None:
        if self._asked is not None:
            self.approved.emit(self._asked.sha256, self._asked.workload.name)


class PlanText(QWidget):
    """The request of a draft as a file or command line; listeners read and write the files."""

    save_wanted = Signal(str, str)  # path, text
    open_wanted = Signal(str)  # path
    said = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._draft = Draft()
        self._request = self._draft.request
        self._survey: Survey | None = None
        self.folder = ""  # where dialogs begin
        self.text = CodeView("Plan as TOML")
        tip = "Save this plan to a file, for Open plan or a terminal"
        self.save = action(self, "Save plan…", "save", tip, self._on_save)
        self.load = action(self, "Open plan…", "open", "Set up a plan from a file", self._on_open)
        tip = "Copy the command that runs this plan in a terminal"
        self.copy = action(self, "Copy command line", "copy as text", tip, self._on_copy)
        buttons = WrappingRow(*map(action_button, (self.load, self.save, self.copy)))
        self.setLayout(in_column(buttons, (self.text, 1), spacing=NATIVE, margins=(0, SPACE, 0, 0)))

    def show_draft(self, draft: Draft) -> None:
        self._draft, self._request = draft, draft.request
        self._show_text()
        for each in (self.save, self.copy):
            each.setEnabled(not draft.unread)

    def show_survey(self, survey: Survey | None) -> None:
        """What the plan scales is shown in sizes of this machine."""
        self._survey = survey
        self._show_text()

    def _show_text(self) -> None:
        remarks: Sequence[str] = self._draft.remarks
        if self._survey is not None:
            remarks = with_sizes(remarks, machine_sizes(self._survey))
        self.text.show_text(self._file_text(remarks))

    def _file_text(self, remarks: Sequence[str]) -> str:
        return "\n".join((*remarks, plan_file_text(self._request)))

    def show_outcome(self, outcome: DraftOutcome) -> None:
        """Show the request with what Dyno chose for its time."""
        if outcome.request and outcome.draft is self._draft and outcome.request != self._request:
            self._request = outcome.request
            self._show_text()

    def _on_save(self) -> None:
        name = as_file_name(self._draft.request.name or self._draft.request.sequence or "plan")
        self._ask(QFileDialog.AcceptMode.AcceptSave, "Save plan", f"{name}.toml")

    def _on_open(self) -> None:
        self._ask(QFileDialog.AcceptMode.AcceptOpen, "Open plan", "")

    def _ask(self, mode: QFileDialog.AcceptMode, title: str, name: str) -> None:
        is_save = mode == QFileDialog.AcceptMode.AcceptSave
        dialog = QFileDialog(self.window(), title, self.folder, _FILES)
        dialog.setAcceptMode(mode)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile if is_save else QFileDialog.FileMode.ExistingFile)
        dialog.setDefaultSuffix("toml")
        dialog.selectFile(name)
        if is_save:
            dialog.fileSelected.connect(self._on_path_chosen)
        else:
            dialog.fileSelected.connect(self.open_wanted)
        open_disposable_dialog(dialog)

    def _on_path_chosen(self, path: str) -> None:
        self.save_wanted.emit(path, self._file_text(self._draft.remarks))

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(command_line(self._request))
        self.said.emit("Copied the command line")


class RecentPlans(QWidget):
    """The latest plans of the history, and those of Dyno: a button whose menu is read each time it opens."""

    chosen = Signal(str)  # id of a plan
    file_chosen = Signal(str)  # path
    failed = Signal(object)  # Exception

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reading = NewestAnswerRunner(tasks, self)
        self.open = action(self, "Recent plans", "recent plans", _RECENT, self._on_open)
        self.setLayout(in_row(action_button(self.open)))

    def _on_open(self) -> None:
        self._reading.read(_read, self._show_menu, self.failed.emit)

    def _show_menu(self, found: _Offered) -> None:
        plans, files = found
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for plan in plans:
            chosen = menu.addAction(_line(plan))
            chosen.triggered.connect(lambda _=False, id_=plan["id"]: self.chosen.emit(id_))
        if not plans:
            menu.addAction("No plans yet").setEnabled(False)
        menu.addSeparator()
        for name, path in files.items():
            chosen = menu.addAction(f"{name}\tcomes with Dyno")
            chosen.triggered.connect(lambda _=False, path=str(path): self.file_chosen.emit(path))
        corner = QPoint(self.width() - menu.sizeHint().width(), self.height())
        menu.popup(self.mapToGlobal(corner))


def _read(history: History) -> _Offered:
    from app.history.lists.plans import recent_plans  # by the thread that reads

    return recent_plans(history, MOST), shipped_plans()


def _line(plan: PlanEntry) -> str:
    """A line `my plan: innodb, rocksdb x 3`, with place and time on the right."""
    from app.history.lists.plans import contenders_rounds_text

    where = f"{_short(plan['target'])}, {date_text(plan['at'])}"
    line = f"{_short(plan['name'])}: {_short(contenders_rounds_text(plan))}\t{where}"
    return line.replace("&", "&&")


def _short(text: str) -> str:
    line = harmless(text)
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"
