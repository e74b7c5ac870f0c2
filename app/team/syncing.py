"""The exchange with a team's server. It can end anywhere and begin again."""

from __future__ import annotations

from app.history.store.history import History

from . import local_edits, local_sessions
from .edits import EditError
from .session_exchange import TeamSessionExchange
from .store import PAGE, ReadOnlyAccountError, TeamError, TeamStore
from .synced import OnProgress, TeamSyncResult


def sync(
    history: History,
    store: TeamStore,
    person: str,
    on_progress: OnProgress = lambda _: None,
    merge_teams: bool = False,
    fetches_all: bool = True,
) -> TeamSyncResult:
    """Exchange everything: first what others have, then what they lack. Raises TeamError."""
    done = TeamSyncResult()
    _check_server(history, store, merge_teams)
    local_edits.collect_local_edits(history, person)
    there = fetch_edits(history, store, done)
    sessions = TeamSessionExchange(history, store, person, done, on_progress)
    if fetches_all:
        sessions.fetch()
    else:
        sessions.fetch_some(local_sessions.unfinished_team_sessions(history))
    done.is_changed |= local_edits.apply_pending_edits(history)
    try:
        push_edits(history, store, done, there)
        sessions.push()
    except ReadOnlyAccountError:
        done.waiting = _count_waiting(history, there)
    return done


def check_team(history: History, identity: str, merge_teams: bool) -> None:
    """One history belongs to one team, unless the person wants to give all to another."""
    known = local_sessions.team_server_id(history)
    if known not in ("", identity) and not merge_teams:
        raise TeamError(
            "this history is shared with another team: set DYNO_HOME to another directory for this one, or"
            " give it everything by `dyno history use ADDRESS --merge`",
            window_text="this history is shared with another team: stop sharing, or use another directory"
            " for this one",
        )


def _check_server(history: History, store: TeamStore, merge_teams: bool) -> None:
    identity, known = store.identity(), local_sessions.team_server_id(history)
    check_team(history, identity, merge_teams)
    there = store.session_numbers().get(local_edits.desktop_id(history), 0)
    here = local_sessions.last_announced_number(history)
    if identity != known or there < here:  # fewer: it was restored from a backup
        local_sessions.restart_team_sharing(history, identity, with_all=known not in ("", identity))
    elif there > here:  # a copy of this history announces sessions
        local_edits.become_another(history, local_edits.last_pushed_edit(history) + 1)


def _count_waiting(history: History, there: dict[str, int]) -> int:
    """What a reader cannot give."""
    author = local_edits.desktop_id(history)
    edits = local_edits.last_edit_by_author(history).get(author, 0) - there.get(author, 0)
    return max(0, edits) + len(local_sessions.sessions_team_lacks(history))


# edits between a history and a team's server: each desktop's in their order, without gaps


def fetch_edits(history: History, store: TeamStore, done: TeamSyncResult) -> dict[str, int]:
    """Merge what others have done since; returns the last edit of each author on the server."""
    numbers = store.edit_numbers()
    _check_author(history, store, numbers)
    for author, last in numbers.items():
        try:
            _fetch_of(history, store, done, author, last)
        except EditError as error:  # the edits of others come all the same
            done.problems.append(str(error))
    return numbers


def _check_author(history: History, store: TeamStore, numbers: dict[str, int]) -> None:
    """Take another id where a copy of this history has pushed edits under this one."""
    author, pushed = local_edits.desktop_id(history), local_edits.last_pushed_edit(history)
    while pushed < numbers.get(author, 0) and (page := store.edits(author, pushed)):
        mine = local_edits.edits_after(history, author, pushed, len(page))
        for edit, own in zip(page, mine, strict=False):
            if edit != own:
                local_edits.become_another(history, own.number)
                return
        pushed += len(page)
    local_edits.keep(history, "pushed", pushed)


def _fetch_of(history: History, store: TeamStore, done: TeamSyncResult, author: str, last: int) -> None:
    number = local_edits.last_edit_by_author(history).get(author, 0)
    while number < last:
        page = store.edits(author, number)
        numbers = [each.number for each in page]
        if not page or numbers != list(range(number + 1, number + 1 + len(page))):
            raise EditError(f"the team's server skips edits of {author} after {number}")
        done.is_changed |= local_edits.take(history, page)
        done.fetched_edits += len(page)
        number += len(page)


def push_edits(history: History, store: TeamStore, done: TeamSyncResult, there: dict[str, int]) -> None:
    """Push what the server lacks, of others too: it may have been restored from a backup."""
    own = local_edits.desktop_id(history)
    for author, last in local_edits.last_edit_by_author(history).items():
        number = there.get(author, 0)
        while number < last:
            page = local_edits.edits_after(history, author, number, PAGE)
            for edit in page:
                store.add_edit(edit)
            number += len(page)
            done.pushed_edits += len(page)
            if author == own:
                local_edits.keep(history, "pushed", number)
