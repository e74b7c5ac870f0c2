"""The remarks of a session: log lines, moments, notes, events of a newer protocol."""

from __future__ import annotations

from dataclasses import dataclass

from app.history.recorded.in_words import is_of_busy_start
from app.history.store.history import History
from app.protocol.events import ANSWERS, OPERATION, OPERATION_ENDED, REPEATED

_MOMENTS = {
    "measured": "warm-up over",
    "profiled": "stacks from here on",
    REPEATED: "begins again",
    "crash": "server crashed",
    "recovered": "server is back",
    "restarted": "server restarted",
    "conditions": "conditions asked",
    "snapshot": "data set",
    "caches_dropped": "caches dropped",
    OPERATION: "",  # its text says which
    ANSWERS: "server answers",
    OPERATION_ENDED: "operation over",
}
_REMARKS = """
SELECT seq, t, 'log', source || ' ' || level, text FROM log WHERE session = :session
UNION ALL SELECT seq, t, 'mark', name, text FROM mark WHERE session = :session
UNION ALL SELECT seq, t, 'note', '', text FROM note WHERE session = :session
UNION ALL SELECT seq, t, 'unknown', kind, content FROM unknown WHERE session = :session ORDER BY seq"""

_OF_AGENT = """
SELECT text FROM log JOIN session ON session = session.number WHERE id = ? AND source = 'agent'"""


@dataclass(frozen=True)
class JournalRemark:
    """A line of the log, a moment or a note, with its place in the journal."""

    seq: int
    t: float
    kind: str  # log mark note unknown; mark: a moment, as journals call it
    about: str  # source and level, or the name of the moment
    text: str

    @property
    def moment_text(self) -> str:
        """`server restarted: with innodb_read_only=true`, of a moment; a note as it is."""
        text = self.text.replace("-", " ") if self.about == OPERATION else self.text
        return ": ".join(filter(None, (_MOMENTS.get(self.about, self.about), text)))


def remarks(history: History, session: str) -> list[JournalRemark]:
    """The remarks in the order of the journal."""
    row = history.one("SELECT number FROM session WHERE id = ?", (session,))
    return [JournalRemark(*each) for each in history.query(_REMARKS, {"session": row[0]})] if row else []


def was_busy(history: History, session: str) -> bool:
    """Whether another plan measured on the machine when the session began."""
    return any(is_of_busy_start(text) for (text,) in history.query(_OF_AGENT, (session,)))
