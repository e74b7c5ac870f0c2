"""Edits between a history and a team's server: each desktop's in their order, without gaps."""

from __future__ import annotations

from app.history.store.history import History

from . import local_edits
from .edits import EditError
from .store import PAGE, Store
from .synced import Synced


def fetch_edits(history: History, store: Store, done: Synced) -> dict[str, int]:
    """Merge what others have done since; returns the last edit of each author on the server."""
    numbers = store.edit_numbers()
    _check_author(history, store, numbers)
    for author, last in numbers.items():
        try:
            _fetch_of(history, store, done, author, last)
        except EditError as error:  # the edits of others come all the same
            done.problems.append(str(error))
    return numbers


def _check_author(history: History, store: Store, numbers: dict[str, int]) -> None:
    """Take another id where a copy of this history has pushed edits under this one."""
    author, pushed = local_edits.author_of(history), local_edits.pushed(history)
    while pushed < numbers.get(author, 0) and (page := store.edits(author, pushed)):
        mine = local_edits.edits_after(history, author, pushed, len(page))
        for edit, own in zip(page, mine, strict=False):
            if edit != own:
                local_edits.become_another(history, own.number)
                return
        pushed += len(page)
    local_edits.keep_pushed(history, pushed)


def _fetch_of(history: History, store: Store, done: Synced, author: str, last: int) -> None:
    number = local_edits.edit_numbers(history).get(author, 0)
    while number < last:
        page = store.edits(author, number)
        numbers = [each.number for each in page]
        if not page or numbers != list(range(number + 1, number + 1 + len(page))):
            raise EditError(f"the team's server skips edits of {author} after {number}")
        done.is_changed |= local_edits.take(history, page)
        done.fetched_edits += len(page)
        number += len(page)


def push_edits(history: History, store: Store, done: Synced, there: dict[str, int]) -> None:
    """Push what the server lacks, of others too: it may have been restored from a backup."""
    own = local_edits.author_of(history)
    for author, last in local_edits.edit_numbers(history).items():
        number = there.get(author, 0)
        while number < last:
            page = local_edits.edits_after(history, author, number, PAGE)
            for edit in page:
                store.add_edit(edit)
            number += len(page)
            done.pushed_edits += len(page)
            if author == own:
                local_edits.keep_pushed(history, number)
