"""The statements of a step by digest, from the Performance Schema; prepared ones by their text."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Dict, List, Mapping

from app.agent.server.mysql import Client, QueryError
from app.engines.waits import DIGESTS, EXECUTE, INSTRUMENTED, PREPARED, PREPARED_IN_ALL, PS_PER_MS
from app.protocol.waits import LONGEST, MOST_STATEMENTS, StatementDigest, plain_statement

from .waits import WaitReadInterval

_COUNTS = ("calls", "rows_examined", "rows_sent", "rows_affected", "rows_sorted", "no_index")
NO_TABLE = "1146 "  # the error of a server without it
Digests = Dict[str, Mapping[str, Any]]


class Statements:
    """The statements of a step by clients: those of Dyno's own connection do not count.

    Its connection counts between the steps: a file has waits only if the connection that opened it counts,
    and Dyno is the first to open tables, and the binary log that it has emptied.
    """

    def __init__(self, client: Client, is_on: bool) -> None:
        self._client = client
        self._is_on = is_on
        self._pace = WaitReadInterval()
        self._before: Digests = {}
        self._prepared: Digests = {}  # at the latest reading: they go with their clients
        self._of_prepared = PREPARED

    def begin(self) -> None:
        """Begin to count, after the warm-up once more."""
        self._count_own("NO")
        self._prepared = {}
        self._look()
        self._before = {**self._read(DIGESTS), **self._prepared}

    def look(self) -> None:
        """Read the prepared statements, as often as that is cheap."""
        if self._pace.is_due:
            self._look()

    def _look(self) -> None:
        began, kept = time.monotonic(), self._prepared
        found = self._read(self._of_prepared)
        self._pace.took(time.monotonic() - began)
        kept.update({id_: row for id_, row in found.items() if _calls(row) >= _calls(kept.get(id_, {}))})

    def end(self) -> Digests:
        """All statements so far."""
        digests = self._read(DIGESTS)
        has_all = any(str(row["text"]).startswith(EXECUTE) for row in digests.values())
        return digests if has_all else {**digests, **self._prepared}

    def stop(self) -> None:
        """The step is over, whether it came to its end or not."""
        self._count_own("YES")

    def _count_own(self, answer: str) -> None:
        if self._is_on:
            self._client.try_run(INSTRUMENTED.format(answer))

    def since_begin(self, after: Digests) -> List[StatementDigest]:
        return statements_between(self._before, after)

    def _read(self, statement: str) -> Digests:
        """By the ids of the statements; none where the server has none."""
        if not self._is_on:
            return {}
        try:
            return {str(row["id"]): row for row in self._client.query(statement)}
        except QueryError as error:
            if statement == PREPARED and str(error).startswith(NO_TABLE):
                self._of_prepared = PREPARED_IN_ALL
                return self._read(PREPARED_IN_ALL)
            return {}


def _calls(row: Mapping[str, Any]) -> int:
    return int(row.get("calls") or 0)


def statements_between(before: Digests, after: Digests) -> List[StatementDigest]:
    """Those that were called between two readings, the longest first; one for each text."""
    found: Dict[str, StatementDigest] = {}
    for id_, row in after.items():
        each = _statement(before.get(id_, {}), row)
        key = each.text.lower()
        found[key] = _sum(found[key], each) if key in found else each
    called = sorted((each for each in found.values() if each.calls), key=lambda each: -each.ms)
    return called[:MOST_STATEMENTS]


def _statement(before: Mapping[str, Any], after: Mapping[str, Any]) -> StatementDigest:
    grown = {name: int(after[name]) - int(before.get(name, 0)) for name in (*_COUNTS, "ps") if name in after}
    if grown["calls"] < 0:  # the server has restarted
        grown = {name: int(after[name]) for name in grown}
    ms = round(max(0, grown.pop("ps")) / PS_PER_MS, 3)
    text = plain_statement(str(after["text"] or ""))[:LONGEST]
    return StatementDigest(text, ms=ms, **{name: max(0, count) for name, count in grown.items()})


def _sum(one: StatementDigest, other: StatementDigest) -> StatementDigest:
    counts: Dict[str, Any] = {
        name: None if None in (a, b) else a + b
        for name, a, b in ((name, getattr(one, name), getattr(other, name)) for name in (*_COUNTS, "ms"))
    }
    return replace(one, **counts)
