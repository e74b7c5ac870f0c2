"""What the threads of a server waited for in each step, as the agent stored it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.history.store.damage import read_json, unpack_json
from app.history.store.history import History
from app.protocol.plan import step_label
from app.protocol.reading import read
from app.protocol.waits import LockPair, StatementDigest, Wait, Waits, plain_statement

from .step_results import endings

# what an older Dyno counted of its own
_OF_DYNO = re.compile(
    r"SHOW |EXPLAIN |USE |SET |SELECT .*\b(performance_schema|information_schema)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class StepWaits:
    """The waits and statements of a step; empty in older journals."""

    step: str  # with its coordinates
    waits: Waits
    statements: list[StatementDigest]

    @classmethod
    def of(cls, step: str, ended: Mapping[str, Any]) -> StepWaits:
        """Those of a step from its step_ended."""
        found = [read(StatementDigest, each) for each in ended.get("statements", ())]
        plain = [replace(each, text=plain_statement(each.text)) for each in found]
        of_clients = [each for each in plain if not _OF_DYNO.match(each.text)]
        return cls(step, read(Waits, ended.get("waits", {})), of_clients)

    @classmethod
    def from_json(cls, entry: Mapping[str, Any]) -> StepWaits:
        return cls.of(entry["step"], {"waits": entry, "statements": entry["statements"]})

    def to_json(self) -> dict[str, Any]:
        """As `session show --json` gives them; their keys are in docs/developers/journal.md."""
        lists: dict[str, Sequence[Wait | LockPair | StatementDigest]] = {
            "events": self.waits.events, "locks": self.waits.locks, "statements": self.statements,
        }  # fmt: skip
        waits = {"events": [], "locks": [], **self.waits.to_json()}
        said = {name: [each.to_json() for each in found] for name, found in lists.items()}
        return {"step": self.step, **waits, **said}


_ENDED = (
    "SELECT step.name, coordinates, ended FROM result JOIN step ON result.step = step.number"
    " JOIN session ON step.session = session.number WHERE id = ? AND ended IS NOT NULL"
)


def waits_of_session(history: History, session: str) -> list[StepWaits]:
    """The steps in which anything was waited for, or that have statements."""
    rows = history.query(f"{_ENDED} ORDER BY position", (session,))
    found = _of_rows(rows)
    return [each for each in found if each.waits.events or each.statements]


def ended_step_waits(history: History, session: str, position: int) -> StepWaits | None:
    """Those of a step; None while it has not ended."""
    rows = history.query(f"{_ENDED} AND position = ?", (session, position))
    return next(iter(_of_rows(rows)), None)


def _of_rows(rows: Iterable[Sequence[Any]]) -> list[StepWaits]:
    return [
        StepWaits.of(step_label(name, read_json(coordinates)), unpack_json(ended))
        for name, coordinates, ended in rows
    ]


def waits_of_step(
    history: History, sessions: Sequence[str], step: str, coordinates: Mapping[str, Any]
) -> dict[str, StepWaits]:
    """Those of the same step in each session that completed it."""
    found = endings(history, sessions, step, coordinates)
    return {session: StepWaits.of(step_label(step, coordinates), ended) for session, ended in found.items()}
