"""The dialog that starts one plan on several targets, or queues it on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeGuard

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from app.core.errors import DynoError
from app.planner.starting.launch import QUEUED, STARTED, Launch, Stage
from app.planner.starting.several import READY, Launches
from app.remote.hostkeys import HostKeyError
from app.remote.target import Target
from ui.core.bus import Wanted
from ui.core.context import Context
from ui.core.plain import Label
from ui.core.theme import SPACE
from ui.widgets.message import Message
from ui.widgets.tick_list import TickList

from .check_list import problem_text

WIDTH, HEIGHT = 80 * SPACE, 48 * SPACE
_ABOUT = (
    "Each target gets its own plan of the same work. Dyno checks and rehearses all plans before any starts:"
    " if one target cannot start, none does. Once started, the plans are independent. A target that is in use"
    " can queue its plan."
)
FocusFrame = tuple[str, Stage | DynoError]  # a target, and how far it is or why it cannot


class SeveralDialog(QDialog):
    """Targets to tick, each with its progress."""

    def __init__(
        self,
        context: Context,
        targets: Sequence[Target],
        launch: Callable[[Target, bool], Launch],
        parent: QWidget | None = None,
    ) -> None:
        """The first target is ticked; `launch` starts or queues a plan there."""
        super().__init__(parent)
        self._context, self._launch = context, launch
        self._targets = {each.name: each for each in targets}
        self._launches: Launches | None = None
        self._latest: dict[str, Stage | DynoError] = {}
        self.setWindowTitle("Run on several targets")
        self.resize(WIDTH, HEIGHT)
        self.message = Message()
        names = list(self._targets)
        self.list = TickList("Targets", names, names[:1])
        self.list.changed.connect(self._refresh)
        self._build_layout()
        self._refresh()

    def reject(self) -> None:
        """Cancel while it checks; too late once a target starts."""
        if self._launches is None or self._launches.cancel():
            super().reject()
        else:
            self.message.show_info("Too late: a target is already starting its plan.")

    def _build_layout(self) -> None:
        about = Label(_ABOUT)
        about.setWordWrap(True)
        about.setProperty("role", "muted")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.run = buttons.addButton("&Run", QDialogButtonBox.ButtonRole.ActionRole)
        self.run.setProperty("accent", True)
        self.run.setDefault(True)
        self.run.clicked.connect(lambda: self._start(False))
        self.queue = buttons.addButton("&Queue", QDialogButtonBox.ButtonRole.ActionRole)
        self.queue.setAutoDefault(False)
        self.queue.clicked.connect(lambda: self._start(True))
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(about)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.message)
        layout.addWidget(buttons)
        self.finished.connect(self.deleteLater)

    def _refresh(self) -> None:
        for each in (self.run, self.queue):
            each.setEnabled(self._launches is None and bool(self.list.ticked))
        self.list.setEnabled(self._launches is None)

    def _start(self, is_queued: bool) -> None:
        launches = Launches({name: self._launch(self._targets[name], is_queued) for name in self.list.ticked})
        self._launches, self._latest = launches, {}
        self.message.clear()
        self._refresh()
        self._context.tasks.run_long(
            self, lambda tell: _carry_out(launches, tell), self._on_reached, self._on_over, self._on_failed
        )

    def _on_reached(self, reached: FocusFrame) -> None:
        target, found = reached
        self._latest[target] = found
        self.list.show_text(target, _text(found))

    def _on_over(self, _: object) -> None:
        self._launches = None
        done = {name: found for name, found in self._latest.items() if _is_done(found)}
        sessions = self._follow(done)
        problems = _problems(self._latest)
        if sessions:
            self._context.bus.wanted.emit(Wanted("live", sessions))
        if not problems:
            self.accept()
            return
        self.list.untick(done)  # Run is for the others now
        begin = "Not all targets took their plan" if done else "Nothing was started on any target"
        self.message.show_error(f"{begin}: {'; '.join(problems)}")
        self._refresh()

    def _follow(self, done: Mapping[str, Stage]) -> tuple[str, ...]:
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


def _carry_out(launches: Launches, tell: Callable[[FocusFrame], None]) -> None:
    for reached in launches.stages():
        tell(reached)


def _is_done(found: Stage | DynoError) -> TypeGuard[Stage]:
    return isinstance(found, Stage) and found.name in (STARTED, QUEUED)


def _text(found: Stage | DynoError) -> str:
    if isinstance(found, DynoError) or found.failed:
        return "cannot start"
    return found.name if _is_done(found) else "ready" if found.next in READY else found.next


def _problems(latest: Mapping[str, Stage | DynoError]) -> list[str]:
    found = []
    for name, each in latest.items():
        if isinstance(each, HostKeyError):
            found.append(f"{name}: survey it first and accept its host key")
        elif isinstance(each, DynoError):
            found.append(f"{name}: {each}")
        elif each.failed:
            found.append(f"{name}: {problem_text(each.failed)}")
    return found
