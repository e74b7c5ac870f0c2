"""Who uses the schema of a server that runs already, and what Dyno has made there.

The schema is empty when Dyno comes, or has its marker: creating that table decides who owns it, on one server
as on a cluster. Its rows are the owner with a heartbeat, and the names of what Dyno has made; only that is
dropped. A lock by name would not do: clusters and proxies do not have it.
"""

from __future__ import annotations

import contextlib
import re
import threading
import time
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Set

from app.agent.server.mysql import READ_S, Client, QueryError
from app.agent.system.errors import AgentError

from .statements import CANARY, MARKER, TRIED

BEAT_S = 10.0
SILENT_S = 60  # after which an owner is given up
MORE_S = 2.0  # than that a beat may take
BEHIND_S = 5.0  # that a node of a cluster may be behind another one
_CREATE = (
    "CREATE TABLE dyno_marker (kind VARCHAR(12) NOT NULL, name VARCHAR(64) NOT NULL,"
    " about VARCHAR(250) NOT NULL, at DATETIME NOT NULL, PRIMARY KEY (kind, name)) DEFAULT CHARSET=latin1"
)
_THERE = (
    "SELECT LOWER(table_type) AS kind, table_name AS name FROM information_schema.tables"
    " WHERE table_schema = DATABASE()"
    " UNION ALL SELECT LOWER(routine_type), routine_name FROM information_schema.routines"
    " WHERE routine_schema = DATABASE()"
    " UNION ALL SELECT 'trigger', trigger_name FROM information_schema.triggers"
    " WHERE trigger_schema = DATABASE()"
    " UNION ALL SELECT 'event', event_name FROM information_schema.events WHERE event_schema = DATABASE()"
)
_ROWS = (
    "SELECT kind, name, about, TIMESTAMPDIFF(SECOND, at, UTC_TIMESTAMP()) AS silent_s,"
    " CAST(at AS CHAR) AS at_text FROM dyno_marker"
)
_INSERT = "INSERT INTO dyno_marker VALUES ('{}', '{}', '{}', UTC_TIMESTAMP())"
_TAKE_OVER = (
    "UPDATE dyno_marker SET about = '{}', at = UTC_TIMESTAMP()"
    " WHERE kind = 'owner' AND at = '{}' AND about = '{}'"
)
_BEAT = "UPDATE dyno_marker SET at = UTC_TIMESTAMP() WHERE kind = 'owner' AND about = '{}'"
_NOT_EMPTY = "the schema is not empty, and Dyno has not made what is there: {}: name an empty schema"
_OWNER, _TABLE, _PROCEDURE = "owner", "base table", "procedure"
_DROP = {_TABLE: "DROP TABLE IF EXISTS `{}`", _PROCEDURE: "DROP PROCEDURE IF EXISTS `{}`"}
_ANOTHER_WAS_FIRST = ("1062 ", "1205 ", "1213 ")  # duplicate key; a conflict of locks, or with another node
_IS_NOT_THERE = ("1049 ", "1146 ")  # schema, table
_NAMES = 3  # of what is there that a text shows
_PLAIN = re.compile(r"\w{1,64}")
_HARMFUL = re.compile(r"[^A-Za-z0-9 .,:@_()/-]")
_PARTS = re.compile(r"[\d_]+")


class Thing(NamedTuple):
    kind: str
    name: str

    @property
    def text(self) -> str:
        return "{} {}".format(self.kind.replace("base ", ""), _harmless(self.name))


class OwnedSchema:
    """The schema of one session on a server that runs already."""

    def __init__(self, client: Client, who: str, texts: Iterable[str]) -> None:
        self._client = client  # of no other thread than that which calls
        self._who = _harmless(who)
        self._texts = "\n".join(texts)  # of the workloads: they name what they make
        self._is_ours = self._is_cluster = False

    def problem(self) -> str:
        """Why the schema may not be used now; '' if it may."""
        there = self._there()
        rows = self._rows() if _has_marker(there) else []
        if not rows:
            return _not_empty(there)
        return self._problem_with_marker(there, rows)

    def take(self) -> List[Thing]:
        """Become its owner, and drop what an owner that fell silent has left: these; else AgentError."""
        self._catch_up()
        there = self._there()
        if not _has_marker(there):
            self._refuse(_not_empty(there))
            self._create()
        else:
            rows = self._rows()
            self._refuse(self._problem_with_marker(there, rows))
            self._watch_owner(rows)
            self._take_over(rows)
        self._is_ours = True
        left = self._made()
        self._drop(left)
        return sorted(there.intersection(left))

    def _refuse(self, problem: str) -> None:
        if problem:
            raise AgentError(problem)

    def _create(self) -> None:
        try:
            self._client.run(_CREATE)
        except QueryError as error:
            raise AgentError("cannot create the marker {} in the schema: {}".format(MARKER, error)) from None
        self._insert_owner()

    def _insert_owner(self) -> None:
        try:
            self._client.run(_INSERT.format(_OWNER, "", self._who))
        except QueryError as error:
            self._refuse_if_another_was_first(error)
            raise

    def _take_over(self, rows: Sequence[Dict[str, object]]) -> None:
        """Two who try at once find that one row changes for one of them."""
        owner = _owner_of(rows)
        if owner is None:  # the marker was created, and its owner is not inserted yet
            self._insert_owner()
            return
        before = (_harmless(str(owner["at_text"])), _harmless(str(owner["about"])))
        try:
            changed, _ = self._client.change(_TAKE_OVER.format(self._who, *before))
        except QueryError as error:
            self._refuse_if_another_was_first(error)
            raise
        if not changed:
            self._refuse(_in_use(owner))

    def _refuse_if_another_was_first(self, error: QueryError) -> None:
        if error.said.startswith(_ANOTHER_WAS_FIRST):
            self._refuse("another one has become its owner at this moment: try again when that has ended")

    def _catch_up(self) -> None:
        """A node of a cluster may be behind what clients did at others: there the next reads wait for it."""
        self._is_cluster = self._client.pairs("SHOW VARIABLES LIKE 'wsrep_on'").get("wsrep_on") == "ON"
        if self._is_cluster:
            self._client.run("SET SESSION wsrep_sync_wait=1")

    def _watch_owner(self, rows: Sequence[Dict[str, object]]) -> None:
        """The clocks of nodes may differ: an owner of a cluster is silent if its row rests meanwhile."""
        owner = _owner_of(rows)
        if owner is None or not self._is_cluster:
            return
        time.sleep(BEAT_S + MORE_S)
        now = _owner_of(self._rows())
        if now is None or now["at_text"] != owner["at_text"]:
            self._refuse(_in_use(owner))

    def is_found_by(self, other: Client) -> bool:
        """Whether another connection finds the marker, at once or soon; also if it cannot connect now."""
        until = time.monotonic() + BEHIND_S
        while True:
            try:
                if any(row["about"] == self._who for row in other.query(_ROWS)):
                    return True
            except QueryError as error:
                if not error.said.startswith(_IS_NOT_THERE):
                    return True
            if time.monotonic() > until:
                return False
            time.sleep(0.1)

    def beat(self, client: Client) -> None:
        """Say that the owner is alive; in a thread of its own, by its own connection."""
        client.run(_BEAT.format(self._who))

    def note_made(self) -> None:
        """Record what is in the schema now as made by Dyno, as far as its workloads name it."""
        for each in self._there() - set(_things(self._rows())):
            if each.name != MARKER and self._is_named(each):
                self._client.run(_INSERT.format(each.kind, each.name, ""))

    def give_back(self) -> List[str]:
        """Drop what Dyno has made, and the marker; returns what is there still."""
        if not self._is_ours:
            return []
        self._catch_up()
        self.note_made()
        self._drop(self._made())
        self._client.run("DROP TABLE IF EXISTS " + MARKER)
        self._is_ours = False
        return sorted(each.name for each in self._there())

    # what is there

    def _there(self) -> Set[Thing]:
        return set(_things(self._client.query(_THERE)))

    def _rows(self) -> List[Dict[str, object]]:
        return self._client.query(_ROWS)

    def _made(self) -> List[Thing]:
        """Views and what else Dyno never makes is not dropped, whatever the marker says."""
        named = _things(self._rows())
        return [each for each in named if each.kind in _DROP and _PLAIN.fullmatch(each.name)]

    def _drop(self, made: Sequence[Thing]) -> None:
        left = list(made)
        for _ in range(len(left)):  # a table with a foreign key goes before the one that it names
            for each in list(left):
                if self._client.try_run(_DROP[each.kind].format(each.name)):
                    left.remove(each)
            if not left:
                break
        self._refuse("cannot drop the table {} of an earlier plan".format(left[0].name) if left else "")
        self._client.run("DELETE FROM dyno_marker WHERE kind <> 'owner'")

    def _is_named(self, each: Thing) -> bool:
        """Whether workloads of the plan have the words of the name: `sbtest1` is that of `sbtest%d`."""
        if each.name in (CANARY, TRIED):
            return each.kind in _DROP
        words = [word for word in _PARTS.split(each.name) if word]
        is_plain = _PLAIN.fullmatch(each.name) is not None
        return each.kind in _DROP and is_plain and bool(words) and all(word in self._texts for word in words)

    def _problem_with_marker(self, there: Set[Thing], rows: Sequence[Dict[str, object]]) -> str:
        owner = _owner_of(rows)
        if owner is not None and abs(int(str(owner["silent_s"] or 0))) < SILENT_S:
            return _in_use(owner)
        new = there - set(_things(rows))
        strange = {each for each in new if each.name != MARKER and not self._is_named(each)}
        return _not_empty(strange)


class Heartbeat(threading.Thread):
    """Keeps the marker fresh while a session works."""

    def __init__(self, schema: OwnedSchema, client: Client) -> None:
        super().__init__(name="heartbeat", daemon=True)
        self._schema, self._client = schema, client
        self._ended = threading.Event()

    def run(self) -> None:
        """At once, so that it has its connection before clients have taken all that there are."""
        while True:
            with contextlib.suppress(QueryError):  # the next one may come through
                self._schema.beat(self._client)
            if self._ended.wait(BEAT_S):
                break
        self._client.close()

    def end(self) -> None:
        self._ended.set()
        self.join(2 * READ_S)


def _things(rows: Iterable[Dict[str, object]]) -> List[Thing]:
    return [Thing(str(row["kind"]), str(row["name"])) for row in rows]


def _owner_of(rows: Iterable[Dict[str, object]]) -> Optional[Dict[str, object]]:
    return next((row for row in rows if row["kind"] == _OWNER), None)


def _has_marker(there: Set[Thing]) -> bool:
    return any(each.name == MARKER for each in there)


def _not_empty(there: Set[Thing]) -> str:
    names = sorted(each.text for each in there)
    if not names:
        return ""
    more = " and {} more".format(len(names) - _NAMES) if names[_NAMES:] else ""
    return _NOT_EMPTY.format(", ".join(names[:_NAMES]) + more)


def _in_use(owner: Dict[str, object]) -> str:
    text = "the schema is in use by {}: wait for its end, or until it has been silent for {} s"
    return text.format(_harmless(str(owner["about"])), SILENT_S)


def _harmless(text: str) -> str:
    """What can stand between quotes and in a line."""
    return _HARMFUL.sub("?", text)[:200]
