"""Checks what a team's server answers: it may be a stranger's, or damaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from app.core.harmless import harmless
from app.core.ids import ANY_ID

from .address import MAX_PERSON
from .edits import MOST_CLOCK, Edit
from .store import ROW, Announced, JournalRow, TeamError

T = TypeVar("T")
MOST_AUTHORS = 10_000
MOST_BYTES = 1 << 30  # of one journal, as for imports
_WRONG = (ValueError, TypeError, AttributeError, IndexError, OverflowError)


def checked(read: Callable[..., T], rows: Sequence[Sequence[Any]]) -> list[T]:
    """Each row as `read` understands it; raises TeamError for what no Dyno has written."""
    try:
        return [read(*row) for row in rows]
    except _WRONG as error:
        raise TeamError(
            f"the team's server answers what no Dyno has written: {harmless(str(error), 200)}"
        ) from None


def edit_from_row(*row: Any) -> Edit:
    author, number, clock, at, person, subject, kind, item, value, over_author, over_number = row
    return Edit(
        _id(author), whole(number, 1), whole(clock, 1), float(at), shown_person_name(person), _id(subject),
        checked_text(kind, 16), checked_text(item, 100),
        None if value is None else checked_text(value, 1 << 20),
        _id(over_author) if over_author else "", whole(over_number),
    )  # fmt: skip


def announcement_from_row(*row: Any) -> Announced:
    session, plan, author, number, person, size, unlocked_offset = row
    return Announced(
        _id(session), _id(plan), _id(author), whole(number, 1), shown_person_name(person),
        whole(size, 0, MOST_BYTES), whole(unlocked_offset, -1, MOST_BYTES),
    )  # fmt: skip


def checked_journal_row(offset: Any, size: Any, chain: Any) -> JournalRow:
    if type(chain) is not bytes or len(chain) != 32:
        raise ValueError("a hash of a journal is damaged")
    return JournalRow(whole(offset, 0, MOST_BYTES), whole(size, 1, ROW), chain)


def checked_last_edit(author: Any, number: Any) -> tuple[str, int]:
    return _id(author), whole(number)


def last_edit_numbers(rows: Sequence[Sequence[Any]]) -> dict[str, int]:
    """The last number of each author."""
    if len(rows) > MOST_AUTHORS:
        raise TeamError(f"the team's server lists more than {MOST_AUTHORS:,} desktops")
    return dict(checked(checked_last_edit, rows))


def whole(value: Any, least: int = 0, most: int = MOST_CLOCK) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"a number is {value!r:.40}")
    return value


def checked_text(value: Any, most: int) -> str:
    if type(value) is not str or len(value) > most:
        raise ValueError("a text is missing or too long")
    return value


def shown_person_name(value: Any) -> str:
    """The name of a person, fit to be shown."""
    return harmless(checked_text(value, MAX_PERSON)).strip()[:MAX_PERSON]


def _id(value: Any) -> str:
    if not ANY_ID.fullmatch(checked_text(value, 64)):
        raise ValueError("an id is damaged")
    return str(value)
