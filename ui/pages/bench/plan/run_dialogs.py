"""The dialogs before Run: when a plan begins, on which targets, and from which machines its load comes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeGuard

from PySide6.QtCore import QDateTime, Qt, QTime, Signal
from PySide6.QtWidgets import (
    QDateTimeEdit,
    QDialog,
    QDialogButtonBox,
    QListWidget,
    QListWidgetItem,
    QRadioButton,
    QWidget,
)

from app.core.errors import DynoError, InputError
from app.core.harmless import harmless
from app.planner.request.load_address import address_of, load_targets_problem
from app.planner.request.request import PlanRequest
from app.planner.starting.launch import QUEUED, STARTED, Launch, LaunchStage
from app.planner.starting.several import READY, TargetLaunches
from app.remote.hostkeys import HostKeyError
from app.remote.target import Target
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.plain import PlainTextLabel
from ui.core.theme import SPACE
from ui.widgets.form import Form, FormFieldSpec
from ui.widgets.layouts import dialog_buttons, in_row, lay_out_dialog
from ui.widgets.list_dialog import ListDialog

from .check_list import problem_text

WIDTH, HEIGHT = 80 * SPACE, 48 * SPACE
LOAD_WIDTH = 72 * SPACE
FORM = "yyyy-MM-dd HH:mm"
EVENING = QTime(22, 0)
ADDRESS = FormFieldSpec("address", "Address of the server's machine", empty="10.0.0.5 or 10.0.0.5:7700")
_SEVERAL = (
    "Each target gets its own plan of the same work. Dyno checks and rehearses all plans before any starts:"
    " if one target cannot start, none does. Once started, the plans are independent. A target that is in use"
    " can queue its plan, unless that has load targets or servers that run already."
)
_LOAD = (
    "The ticked targets share the client threads; the server has its machine to itself. Each target needs"
    " sysbench, and must reach the address below: Dyno and the server listen there while the plan runs."
    " Tables are still loaded on the server's machine. If nothing is ticked, all load comes from there."
)
Reached = tuple[str, LaunchStage | DynoError]  # a target, and how far it is or why it cannot


class QueueingDialog(QDialog):
    """Asks when a plan begins: in its turn, or not before a time."""

    wanted = Signal(object)  # seconds to wait, or None

    def __init__(self, target: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Queue the plan")
        about = PlainTextLabel(
            f"{target} checks, rehearses and starts the plan when its turn comes.", wraps=True
        )
        self.in_turn = QRadioButton("As soon as the target is &free")
        self.later = QRadioButton("&Not before")
        self.in_turn.setChecked(True)
        self.time = QDateTimeEdit(_next_evening())
        self.time.setDisplayFormat(FORM)
        self.time.setCalendarPopup(True)
        self.time.setAccessibleName("The plan does not begin before this time")
        self.time.setMinimumDateTime(QDateTime.currentDateTime())
        self.time.setMaximumDateTime(QDateTime.currentDateTime().addDays(365))
        self.time.setEnabled(False)
        self.later.toggled.connect(self.time.setEnabled)
        buttons = dialog_buttons(self, QDialogButtonBox.StandardButton.Cancel)
        self.queue = buttons.addButton("&Queue", QDialogButtonBox.ButtonRole.AcceptRole)
        lay_out_dialog(self, about, self.in_turn, in_row(self.later, (self.time, 1)), buttons)
        self.accepted.connect(lambda: self.wanted.emit(self.in_s))
        self.finished.connect(self.deleteLater)

    @property
    def in_s(self) -> float | None:
        """Seconds to wait; None: when its turn comes."""
        if not self.later.isChecked():
            return None
        return max(0.0, QDateTime.currentDateTime().msecsTo(self.time.dateTime()) / 1000)


def _next_evening() -> QDateTime:
    now = QDateTime.currentDateTime()
    evening = QDateTime(now.date(), EVENING)
    return evening if evening > now else evening.addDays(1)


class LoadTargetsDialog(ListDialog):
    """Chooses the targets that only drive, and the address at which they reach the server."""

    chosen = Signal(tuple, str)  # names, address

    def __init__(self, names: Sequence[str], request: PlanRequest, parent: QWidget | None = None) -> None:
        self.list = TickList("Load targets", names, request.load)
        super().__init__("Load from other machines", _LOAD, self.list, parent)
        self._server = request.target
        self.setMinimumWidth(LOAD_WIDTH)
        self.form = Form([ADDRESS])
        self.form.fill({"address": request.load_address})
        self.reason = PlainTextLabel(role="bad", wraps=True)
        cancel, accept = QDialogButtonBox.StandardButton.Cancel, QDialogButtonBox.StandardButton.Ok
        self.buttons.setStandardButtons(cancel | accept)
        self.done_ = self.buttons.button(accept)
        self.done_.setProperty("accent", True)
        self.arrange(above=(self.about,), below=(self.form, self.reason))
        self.list.changed.connect(self._refresh)
        self.form.changed.connect(self._refresh)
        self._refresh()

    def accept(self) -> None:
        names = tuple(self.list.ticked)
        self.chosen.emit(names, self._address() if names else "")
        super().accept()

    def _address(self) -> str:
        return self.form.line("address").text().strip()

    def _refresh(self) -> None:
        problem = self._problem()
        self.reason.setText(problem)
        self.done_.setEnabled(not problem)

    def _problem(self) -> str:
        """Why this cannot be; '' if it can."""
        names, address = self.list.ticked, self._address()
        if not names:
            return ""
        if not address:
            return "Name the address of the server's machine that these targets reach."
        try:
            address_of(address)
        except InputError as error:
            return f"{error.window_text or error}."
        return load_targets_problem(names, address, self._server)


class SeveralTargetsDialog(ListDialog):
    """Starts one plan on several targets, or queues it on each: targets to tick, each with its progress."""

    def __init__(
        self,
        context: WindowContext,
        targets: Sequence[Target],
        launch: Callable[[Target, bool], Launch],
        parent: QWidget | None = None,
    ) -> None:
        """The first target is ticked; `launch` starts or queues a plan there."""
        names = [each.name for each in targets]
        self.list = TickList("Targets", names, names[:1])
        super().__init__("Run on several targets", _SEVERAL, self.list, parent)
        self._context, self._launch = context, launch
        self._targets = {each.name: each for each in targets}
        self._launches: TargetLaunches | None = None
        self._latest: dict[str, LaunchStage | DynoError] = {}
        self.resize(WIDTH, HEIGHT)
        self.buttons.setStandardButtons(QDialogButtonBox.StandardButton.Cancel)
        self.run = self.buttons.addButton("&Run", QDialogButtonBox.ButtonRole.ActionRole)
        self.run.setProperty("accent", True)
        self.run.clicked.connect(lambda: self._start(False))
        self.queue = self.buttons.addButton("&Queue", QDialogButtonBox.ButtonRole.ActionRole)
        self.queue.setAutoDefault(False)
        self.queue.clicked.connect(lambda: self._start(True))
        self.arrange(above=(self.about,), below=(self.message,))
        self.run.setDefault(True)  # now that it has its dialog
        self.list.changed.connect(self._refresh)
        self._refresh()

    def reject(self) -> None:
        """Cancel while it checks; too late once a target starts."""
        if self._launches is None or self._launches.cancel():
            super().reject()
        else:
            self.message.show_info("Too late: a target is already starting its plan.")

    def _refresh(self) -> None:
        for each in (self.run, self.queue):
            each.setEnabled(self._launches is None and bool(self.list.ticked))
        self.list.setEnabled(self._launches is None)

    def _start(self, is_queued: bool) -> None:
        launches = TargetLaunches(
            {name: self._launch(self._targets[name], is_queued) for name in self.list.ticked}
        )
        self._launches, self._latest = launches, {}
        self.message.clear()
        self._refresh()
        self._context.tasks.run_long(
            self, lambda tell: _carry_out(launches, tell), self._on_reached, self._on_over, self._on_failed
        )

    def _on_reached(self, reached: Reached) -> None:
        target, found = reached
        self._latest[target] = found
        self.list.show_text(target, _text(found))

    def _on_over(self, _: object) -> None:
        self._launches = None
        done = {name: found for name, found in self._latest.items() if _is_done(found)}
        sessions = self._follow(done)
        problems = _problems(self._latest)
        if sessions:
            self._context.bus.wanted.emit(ShowPageRequest("live", sessions, is_of_start=True))
        if not problems:
            self.accept()
            return
        self.list.untick(done)  # Run is for the others now
        begin = "Not all targets took their plan" if done else "Nothing was started on any target"
        self.message.show_error(f"{begin}: {'; '.join(problems)}")
        self._refresh()

    def _follow(self, done: Mapping[str, LaunchStage]) -> tuple[str, ...]:
        """Report the stages of all targets; returns the sessions of the first that started."""
        found: list[tuple[str, ...]] = []
        for name, stage in done.items():
            if stage.queue:
                self._context.queues.take(self._targets[name], stage.queue)
            elif stage.plan:
                sessions = tuple(turn.session for turn in stage.plan.turns)
                target, plan = self._targets[name], stage.plan.id
                self._context.plans.follow(target, stage.directory, plan, stage.sha, sessions)
                found.append(sessions)
        return found[0] if found else ()

    def _on_failed(self, error: Exception) -> None:
        self._launches = None
        self.message.show_failure(error)
        self._refresh()


def _carry_out(launches: TargetLaunches, tell: Callable[[Reached], None]) -> None:
    for reached in launches.stages():
        tell(reached)


def _is_done(found: LaunchStage | DynoError) -> TypeGuard[LaunchStage]:
    return isinstance(found, LaunchStage) and found.name in (STARTED, QUEUED)


def _text(found: LaunchStage | DynoError) -> str:
    if isinstance(found, DynoError) or found.failed:
        return "cannot start"
    return found.name if _is_done(found) else "ready" if found.next in READY else found.next


def _problems(latest: Mapping[str, LaunchStage | DynoError]) -> list[str]:
    found = []
    for name, each in latest.items():
        if isinstance(each, HostKeyError):
            found.append(f"{name}: survey it first and accept its host key")
        elif isinstance(each, DynoError):
            found.append(f"{name}: {each}")
        elif each.failed:
            found.append(f"{name}: {problem_text(each.failed)}")
    return found


_NAME = Qt.ItemDataRole.UserRole
LEAST = 14 * SPACE  # height, below a long message


class TickList(QListWidget):
    """Names to tick, in this order."""

    changed = Signal()  # a tick

    def __init__(self, title: str, names: Iterable[str], ticked: Collection[str] = ()) -> None:
        super().__init__()
        self.setAccessibleName(title)
        self.setMinimumHeight(LEAST)
        for name in names:
            item = QListWidgetItem(harmless(name), self)
            item.setData(_NAME, name)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in ticked else Qt.CheckState.Unchecked)
        self.itemChanged.connect(lambda _: self.changed.emit())

    @property
    def ticked(self) -> list[str]:
        return [each.data(_NAME) for each in self.rows() if each.checkState() == Qt.CheckState.Checked]

    def rows(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def show_text(self, name: str, text: str) -> None:
        """Show a text after a name."""
        for each in self.rows():
            if each.data(_NAME) == name:
                each.setText(harmless(f"{name}: {text}"))

    def untick(self, names: Collection[str]) -> None:
        for each in self.rows():
            if each.data(_NAME) in names:
                each.setCheckState(Qt.CheckState.Unchecked)
