"""One exchange with the chosen team: connect, synchronise, and what a person reads about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.core.errors import InputError
from app.history.store.alone import hold_named_lock
from app.history.store.history import History

from . import local_edits, local_sessions
from .address import TeamHistoryChoice, read_team_history
from .listing import TeamSessionLists
from .login import Ask, connect_to_team_server, store_login_plugin
from .server import TeamServerStore
from .session_exchange import TeamSessionExchange
from .store import TeamServerAwayError
from .synced import OnProgress, TeamSyncResult
from .syncing import sync

NAME = "team"  # of the lock
_OWN = "this computer's own history is in use"


def chosen_team_history(home: Path) -> TeamHistoryChoice:
    """The team's history in use; raises InputError where there is none."""
    choice = read_team_history(home)
    if choice is None:
        raise InputError(
            f"{_OWN}: choose a team's with `dyno history use ADDRESS`",
            window_text=f"{_OWN}: choose a team's in File, Team's history",
        )
    return choice


class Exchanger:
    """Exchanges everything with the chosen team; the connection stays open between two times."""

    def __init__(self) -> None:
        self._server: TeamServerStore | None = None
        self._choice: TeamHistoryChoice | None = None

    def exchange(
        self,
        history: History,
        choice: TeamHistoryChoice,
        ask: Ask,
        on_progress: OnProgress = lambda _: None,
        merge_teams: bool = False,
    ) -> TeamSyncResult:
        """Exchange once; raises TeamError where the server is away, and connects anew the next time."""

        def work() -> TeamSyncResult:
            server = self._connected(choice, ask)
            store_login_plugin(history.directory, choice, server)
            try:
                return sync(history, server, choice.person, on_progress, merge_teams, choice.fetches_all)
            except BaseException:
                self.close()
                raise

        with hold_named_lock(history.directory, NAME):
            was_kept = self._server is not None
            try:
                return work()
            except TeamServerAwayError:
                if not was_kept:
                    raise
            return work()  # a server, or a proxy before it, closes a connection that was idle

    def fetch(
        self, history: History, choice: TeamHistoryChoice, ask: Ask, sessions: Iterable[str]
    ) -> TeamSyncResult:
        """Fetch sessions that the person chose, with their names, tags and notes."""
        done = TeamSyncResult()
        with hold_named_lock(history.directory, NAME):
            server = self._connected(choice, ask)
            TeamSessionExchange(history, server, choice.person, done, lambda _: None).fetch_some(sessions)
            done.is_changed |= local_edits.apply_pending_edits(history)
        return done

    def lists(self, choice: TeamHistoryChoice, ask: Ask) -> TeamSessionLists:
        """The team's sessions, on its server."""
        return self._connected(choice, ask).lists

    def _connected(self, choice: TeamHistoryChoice, ask: Ask) -> TeamServerStore:
        if self._server is None or choice != self._choice:
            self.close()
            self._server, self._choice = connect_to_team_server(choice, ask), choice
        return self._server

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


def waiting_for_team(history: History, choice: TeamHistoryChoice) -> tuple[int, int]:
    """How many sessions and edits of this computer the team does not have yet."""
    local_edits.collect_local_edits(history, choice.person)
    author = local_edits.desktop_id(history)
    edits = local_edits.last_edit_by_author(history).get(author, 0) - local_edits.last_pushed_edit(history)
    return len(local_sessions.sessions_team_lacks(history)), edits
