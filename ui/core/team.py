"""The exchange with a team's server: a thread of its own, in the background, with a connection that stays."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from .bus import Bus, PartsToReload
from .plain import error_with_details
from .plans import PlanFollowing
from .secrets import SecretPrompter

if TYPE_CHECKING:
    from app.team.address import TeamHistoryChoice
    from app.team.exchange import Exchanger
    from app.team.synced import TeamSyncResult

    from .channel import GuiThreadCallQueue

SOON_MS = 2000  # after a change: several come together
LIVE_MS, IDLE_MS = 5000, 60_000  # between two exchanges, while a plan runs and otherwise
CLOSE_S = 3.0


@dataclass(frozen=True)
class TeamState:
    """How the exchange goes."""

    text: str = ""  # '': no team's history is in use
    error: Exception | None = None
    done: TeamSyncResult | None = None


class _Exchanging:
    """What the thread does: it knows no Qt object."""

    def __init__(self, home: Path, secrets: SecretPrompter, tell: Callable[[TeamState], None]) -> None:
        self._home, self._secrets, self._tell = home, secrets, tell
        self._is_asking = False  # a person waits, and can be asked for the password
        self._refused: TeamHistoryChoice | None = (
            None  # a person must look first: its server may be a stranger's
        )
        self._wanted, self._closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._work, name="team", daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def want(self, is_asking: bool) -> None:
        self._is_asking = self._is_asking or is_asking
        self._wanted.set()

    def close(self) -> None:
        self._closing.set()
        self._wanted.set()
        if self._thread.ident is not None:
            self._thread.join(CLOSE_S)

    def _work(self) -> None:
        from app.team.exchange import Exchanger

        exchanger = Exchanger()
        while self._wanted.wait() and not self._closing.is_set():
            self._wanted.clear()
            is_asking, self._is_asking = self._is_asking, False
            try:
                self._exchange(exchanger, is_asking)
            except Exception as error:
                self._tell(TeamState(error_with_details(error)[0], error))
        exchanger.close()

    def _exchange(self, exchanger: Exchanger, is_asking: bool) -> None:
        from app.history.store.history import History
        from app.team.address import read_team_history
        from app.team.store import UntrustedServerError

        choice = read_team_history(self._home)
        if choice is None:
            exchanger.close()
            self._tell(TeamState())
            return
        if choice == self._refused and not is_asking:
            return  # the server counts connections without a login, and blocks a host that has too many
        ask = self._secrets.ask if is_asking else None
        try:
            with History(self._home) as history:
                done = exchanger.exchange(history, choice, ask, lambda text: self._tell(TeamState(text)))
        except UntrustedServerError:
            self._refused = choice
            raise
        self._refused = None
        self._tell(TeamState(done.problems[0] if done.problems else done.text, done=done))


class TeamExchange(QObject):
    """Exchanges after changes and from time to time; work never waits for it."""

    told = Signal(object)  # TeamState

    def __init__(
        self,
        home: Path,
        channel: GuiThreadCallQueue,
        bus: Bus,
        plans: PlanFollowing,
        secrets: SecretPrompter,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bus, self._plans = bus, plans
        self.state = TeamState()
        self._has_begun = False
        self._is_own = False  # the change that is told is from the exchange itself
        self._exchanging = _Exchanging(home, secrets, partial(channel.send, self._on_heard))
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.exchange)
        bus.changed.connect(self._on_changed)

    def begin(self) -> None:
        """Start the thread; without a team's history it sleeps."""
        if not self._has_begun:
            self._has_begun = True
            self._exchanging.begin()
            self.exchange()

    def exchange(self, is_asking: bool = False) -> None:
        """Exchange now; with `is_asking` a dialog may ask for the password."""
        self._exchanging.want(is_asking)

    def close(self) -> None:
        self._exchanging.close()

    def _on_changed(self, changes: PartsToReload) -> None:
        if self._has_begun and (changes.sessions or changes.settings) and not self._is_own:
            self._timer.start(SOON_MS)

    def _on_heard(self, state: TeamState) -> None:
        self.state = state
        self.told.emit(state)
        if state.done is None and state.error is None:
            return
        if state.done is not None and state.done.is_changed:
            self._is_own = True
            self._bus.changed.emit(PartsToReload(sessions=True))
            self._is_own = False
        self._timer.start(LIVE_MS if self._plans.active() else IDLE_MS)
