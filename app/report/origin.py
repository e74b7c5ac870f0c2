"""Where the numbers of a report come from: its sessions, with the hashes of their plans and journals."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.comparison.cells.cell import Column
from app.core.table import MISSING, Table
from app.history.store import journals
from app.history.store.history import History

_SHOWN = 16  # signs of a checksum
_BLOCK = 1 << 20


@dataclass(frozen=True)
class SessionOrigin:
    """A session of a report, its plan, and the journal that its numbers were read from."""

    session: str
    plan: str
    plan_hash: str
    journal_sha256: str  # '' where its journal is not stored here
    agent_sha256: str  # of the agent that measured it

    def as_json(self) -> dict[str, str]:
        return dict(vars(self))


def origins_of(history: History, columns: Sequence[Column]) -> list[SessionOrigin]:
    """The origin of each session, column by column."""
    return [_origin(history, id_) for column in columns for id_ in column.ids]


def _origin(history: History, session: str) -> SessionOrigin:
    ((plan, hash_, agent, size),) = history.query(
        "SELECT plan.id, plan.hash, session.agent, coalesce(journal.offset, 0) FROM session"
        " JOIN plan ON plan.id = session.plan LEFT JOIN journal ON journal.session = session.id"
        " WHERE session.id = ?",
        (session,),
    )
    return SessionOrigin(session, plan, hash_, _sha256(history, session, size), agent)


def _sha256(history: History, session: str, size: int) -> str:
    """The hash of the part of a journal that the history has read."""
    found, left = hashlib.sha256(), size
    try:
        with journals.path_of(history.journals, session).open("rb") as file:
            while left and (block := file.read(min(_BLOCK, left))):
                found.update(block)
                left -= len(block)
    except OSError:
        return ""
    return "" if left or not size else found.hexdigest()


def origin_table(origins: Sequence[SessionOrigin], columns: Sequence[Column], names: Sequence[str]) -> Table:
    """A line for each session."""
    heads = ("contender", "session", "plan, its hash", "journal, its SHA-256", "agent, its SHA-256")
    return Table("", heads, tuple(_lines(origins, columns, names)), len(heads))


def _lines(
    origins: Sequence[SessionOrigin], columns: Sequence[Column], names: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    known = {each.session: each for each in origins}
    for column, name in zip(columns, names, strict=True):
        for each in (known[id_] for id_ in column.ids):
            journal, agent = (text[:_SHOWN] or MISSING for text in (each.journal_sha256, each.agent_sha256))
            yield name, each.session, f"{each.plan} {each.plan_hash[:_SHOWN]}", journal, agent
