"""Notices about plans on every page: lines in the status bar, and messages when a plan ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QSizePolicy, QSystemTrayIcon, QWidget

from app.core.errors import DynoError
from app.core.harmless import harmless
from app.core.settings import read_settings
from ui.core.bus import ShowPageRequest
from ui.core.context import WindowContext
from ui.core.followed_plan import FollowedPlan
from ui.core.plain import as_tip, error_with_details
from ui.core.team import TeamExchange, TeamState
from ui.widgets.elided import ElidedLabel
from ui.widgets.message import MessageBar

if TYPE_CHECKING:
    from app.following.progress import PlanProgress
    from app.history.store.history import History
    from app.remote.target import Target
    from ui.widgets.message import MessageBar
    from ui.widgets.plan_line import PlanLine


TEXT_MS = 1000  # between two looks at the texts


class Notices(QObject):
    """Notices start when the window is painted; no plan is known before."""

    def __init__(self, context: WindowContext, window: QMainWindow, message: MessageBar) -> None:
        super().__init__(window)
        self._context = context
        self._window = window
        self._message = message
        self._lines: dict[str, PlanLine] = {}
        self._bar = QWidget()
        self._layout = QHBoxLayout(self._bar)
        self._layout.setContentsMargins(0, 0, 8, 0)
        self._layout.setSpacing(16)
        window.statusBar().addPermanentWidget(self._bar)
        self._unreached: dict[str, str] = {}  # what was shown of a target that was not reached
        self._ended: tuple[str, frozenset[str]] = ("", frozenset())  # how a plan ended, its sessions
        self._tray: QSystemTrayIcon | None = None
        self._timer = QTimer(self, interval=TEXT_MS)
        self._timer.timeout.connect(self._refresh)

    def begin(self) -> None:
        self._context.plans.changed.connect(self._on_changed)
        self._context.plans.ended.connect(self._on_ended)
        self._context.plans.unreached.connect(self._on_unreached)
        self._context.bus.wanted.connect(self._on_wanted)
        self._context.bus.seen.connect(self._on_seen)
        self._refresh()

    def _on_changed(self, plan: str) -> None:
        """Show and hide lines at once; update their texts once a second."""
        followed = self._context.plans.get(plan)
        if followed is not None and self._message.text == self._unreached.get(followed.target.name):
            self._message.clear()
        if plan not in self._lines or not self._timer.isActive():
            self._refresh()

    def _refresh(self) -> None:
        active = {plan.id: plan for plan in self._context.plans.active()}
        if active.keys() - self._lines.keys():
            self._clear_ended()  # another plan has started
        for gone in self._lines.keys() - active.keys():
            self._lines.pop(gone).deleteLater()
        for plan in active.values():
            self._line(plan).show_plan(plan)
        if active and not self._timer.isActive():
            self._timer.start()
        elif not active:
            self._timer.stop()

    def _line(self, plan: FollowedPlan) -> PlanLine:
        from ui.widgets.plan_line import PlanLine

        if plan.id not in self._lines:
            line = self._lines[plan.id] = PlanLine(self._context.theme)
            line.clicked.connect(lambda: self._show_live(plan))
            self._layout.addWidget(line)
        return self._lines[plan.id]

    def _show_live(self, plan: FollowedPlan) -> None:
        session = plan.progress.first_at_hand
        ids = (session.id,) if session else plan.sessions[:1]
        self._context.bus.wanted.emit(ShowPageRequest("live", ids))

    def _on_ended(self, plan: str) -> None:
        followed = self._context.plans.get(plan)
        if followed is None:
            return
        text = f"{followed.name} on {followed.target.name} {_outcome(followed.progress)}"
        action = QAction("Compare", self)
        action.triggered.connect(
            lambda: self._context.bus.wanted.emit(
                ShowPageRequest("compare", tuple(followed.progress.sessions))
            )
        )
        several = action if len(followed.progress.sessions) > 1 else None
        self._ended = (text, frozenset(followed.progress.sessions))
        self._message.show_info(text, *([several] if several else []))
        if several is not None:
            self._tell_verdict(text, tuple(followed.progress.sessions), several)
        if self._are_wanted() and not self._window.isActiveWindow():
            self._notify(text)

    def _on_wanted(self, wanted: ShowPageRequest) -> None:
        self._on_seen(wanted.sessions)

    def _on_seen(self, seen: Sequence[str]) -> None:
        """A person goes to the sessions of a plan that has ended."""
        if not self._ended[1].isdisjoint(seen):
            self._clear_ended()

    def _clear_ended(self) -> None:
        """Close the message of a plan that has ended, if it is the one that is shown."""
        text = self._ended[0]
        if text and self._message.text.startswith(text):
            self._message.clear()

    def _tell_verdict(self, text: str, sessions: tuple[str, ...], action: QAction) -> None:
        """Add the first sentence of the verdict to the message, unless a person has closed it."""

        def show(found: list[str]) -> None:
            if found and self._message.text == text:
                first = f"{text} (more on Compare)" if len(found) > 1 else text
                self._message.show_info(f"{first}\n{found[0]}", action)

        self._context.tasks.read(self, lambda history: _verdict(history, sessions), show, lambda _: None)

    def _on_unreached(self, target: Target, error: DynoError) -> None:
        """Show that a target with running sessions is unreachable."""
        from app.remote.secrets import SecretNeededError

        why = error_with_details(error)[0]
        if isinstance(error, SecretNeededError):
            why = f"{target.name} needs the {error.what}"
        text = f"Cannot follow the plan on {target.name}: {why}"
        action = QAction("Connect", self)
        action.triggered.connect(lambda: self._context.plans.log_in(target))
        self._unreached[target.name] = text
        self._message.show_warning(text, action)

    def _notify(self, text: str) -> None:
        QApplication.alert(self._window)
        if QSystemTrayIcon.isSystemTrayAvailable():
            if self._tray is None:
                self._tray = QSystemTrayIcon(self._window.windowIcon(), self)
                self._tray.show()
            self._tray.showMessage("Dyno", harmless(text))

    def _are_wanted(self) -> bool:
        try:
            return read_settings(self._context.home).notifications
        except DynoError:
            return True


def _verdict(history: History, sessions: tuple[str, ...]) -> list[str]:
    from app.comparison.answers.sentences import head_lines
    from app.comparison.verdicts.compare import compare
    from app.comparison.verdicts.judgement import verdict_limits
    from app.history.lists.sessions import sessions as known

    there = {entry["id"] for entry in known(history, ids=sessions)}
    ids = [id_ for id_ in sessions if id_ in there]
    return head_lines(compare(history, ids, limits=verdict_limits(read_settings()))) if ids else []


def _outcome(progress: PlanProgress) -> str:
    """`has ended: 1 of 4 sessions failed`, `was stopped: 2 of 10 sessions completed`."""
    sessions = [each for each in progress.sessions.values() if each.is_needed]
    stopped = sum(each.state == "stopped" for each in sessions)
    completed = sum(each.state == "completed" for each in sessions)
    partly = sum(each.state == "completed" and each.failed_steps > 0 for each in sessions)
    failed = len(sessions) - completed - stopped
    if stopped and sessions[-1].state == "stopped":  # who ends a single session lets the plan go on
        also = f", {failed} failed" if failed else ""
        return f"was stopped: {completed} of {len(sessions)} sessions completed{also}"
    ended = ", ".join(filter(None, ("has ended", progress.ending)))
    counts = ((failed, "failed"), (partly, "with failed steps"), (stopped, "stopped"))
    wrong = ", ".join(f"{count} of {len(sessions)} sessions {how}" for count, how in counts if count)
    return f"{ended}: {wrong}" if wrong else ended


WIDTH = 420
_TIP = "The team's history: File, Team's history"


class TeamStatusLabel(QObject):
    """Shows nothing where this computer's own history is in use."""

    def __init__(self, team: TeamExchange, window: QMainWindow) -> None:
        super().__init__(window)
        self._label = ElidedLabel()
        self._label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._label.setMaximumWidth(WIDTH)
        self._label.setMinimumWidth(0)
        self._label.hide()
        window.statusBar().addPermanentWidget(self._label)
        team.told.connect(self._on_told)

    def _on_told(self, state: TeamState) -> None:
        self._label.setVisible(bool(state.text))
        self._label.setText(f"Team: {state.text}")
        self._label.setToolTip(as_tip(f"Team: {state.text}\n{_TIP}"))


class SavedFileMessages(QObject):
    """Messages of the whole window: any page saves files."""

    def __init__(self, context: WindowContext, window: QMainWindow, message: MessageBar) -> None:
        super().__init__(window)
        self._context, self._message = context, message
        self._saved = Path()
        self._open, self._show = QAction("Open", self), QAction("Show in folder", self)
        self._open.triggered.connect(lambda: self._go(self._saved))
        self._show.triggered.connect(lambda: self._go(self._saved.parent))
        context.bus.saved.connect(self._on_saved)

    @Slot(object, str)
    def _on_saved(self, saved: Path, text: str) -> None:
        self._saved = saved.absolute()
        self._context.memory.keep_folder(self._saved.parent)
        self._message.show_info(text, self._open, self._show)

    def _go(self, path: Path) -> None:
        """Open it with the desktop's program."""
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            self._context.bus.said.emit(f"No program on this computer opens {path}")
