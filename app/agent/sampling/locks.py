"""Who waits for whose row lock, and deadlocks by pair: looked at only while the server counts such waits."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping, Tuple

from app.agent.server.mysql import Client, QueryError
from app.engines.query import first_answer, named_whole_number
from app.engines.waits import LOCK_WAITS, LOCKS_NOW, MONITOR, ROW_LOCKS, latest_deadlock
from app.protocol.waits import LONGEST, MOST_LOCKS, LockPair, plain_statement

from .waits import WaitReadInterval

MONITOR_EACH_S = 5  # the monitor holds the lock system while it prints
STATUS = (LOCKS_NOW, LOCK_WAITS)  # status variables that say whether to look
ROW_LOCK, DEADLOCK = "row lock", "deadlock"

_Key = Tuple[str, str, str, str, str]


class RowLockPairs:
    """The pairs of statements that were seen in a step."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._pace, self._monitor_pace = WaitReadInterval(), WaitReadInterval(MONITOR_EACH_S)
        self._seen: Dict[_Key, Tuple[int, float]] = {}
        self._deadlock = ""  # the latest that was seen

    def begin(self, status: Mapping[str, str]) -> None:
        """Begin a step: earlier deadlocks do not count."""
        self._seen = {}
        if named_whole_number(status, LOCK_WAITS):
            self._deadlock = self._read_deadlock()[0]

    def look(self, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Look for pairs if anybody waits, and for a deadlock if anybody has waited."""
        if named_whole_number(after, LOCKS_NOW) and self._pace.is_due:
            began = time.monotonic()
            for row in first_answer(self._client.query, ROW_LOCKS):
                self._count(row)
            self._pace.took(time.monotonic() - began)
        has_waited = (named_whole_number(after, LOCK_WAITS) or 0) > (
            named_whole_number(before, LOCK_WAITS) or 0
        )
        if has_waited and self._monitor_pace.is_due:
            began = time.monotonic()
            self._look_for_deadlock()
            self._monitor_pace.took(time.monotonic() - began)

    def _look_for_deadlock(self) -> None:
        at, sides = self._read_deadlock()
        if at != self._deadlock and len(sides) > 1:
            self._deadlock = at
            self._add((DEADLOCK, *sorted(map(_cut, sides[:2])), "", ""), 0.0)

    def _read_deadlock(self) -> Tuple[str, Tuple[str, ...]]:
        try:
            rows = self._client.query(MONITOR)
        except QueryError:
            return "", ()
        return latest_deadlock(str(rows[0]["status"])) if rows else ("", ())

    def _count(self, row: Mapping[str, Any]) -> None:
        texts = [_cut(str(row[name] or "")) for name in ("waiting", "holding")]
        table = str(row["table_name"] or "").replace("`", "").rpartition(".")[2]
        places = [table[:LONGEST], str(row["index_name"] or "").replace("`", "")[:LONGEST]]
        self._add((ROW_LOCK, *texts, *places), float(row["waited_s"] or 0.0))

    def _add(self, key: Any, waited_s: float) -> None:
        seen, longest = self._seen.get(key, (0, 0.0))
        self._seen[key] = seen + 1, max(longest, waited_s)

    def pairs(self) -> List[LockPair]:
        """Those seen most often first."""
        found = sorted(self._seen.items(), key=lambda item: -item[1][0])[:MOST_LOCKS]
        return [
            LockPair(kind, waiting, holding, seen, table, index, longest if kind == ROW_LOCK else None)
            for (kind, waiting, holding, table, index), (seen, longest) in found
        ]


def _cut(statement: str) -> str:
    return plain_statement(statement)[:LONGEST]
