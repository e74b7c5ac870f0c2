"""A history of many sessions: some are stored as they come from a target, others are copies of their rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from sqlite3 import Connection

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.plan import Plan, Step
from tests import journals

GROUPS = ("write-heavy", "point-query", "scan-heavy", "text")
TAGS = ("quiet", "noisy", "published")
APART_S = 4000.0  # one copy begins so much later than the one before
PLANNED = 12  # copies of one plan
_NUMBERED = ("headline", "series", "fact", "log", "note", "mark")  # by the number of the session


def fill(home: Path, sessions: int, steps: int) -> None:
    """Sessions of different targets, builds, engines, presets, sequences, states and tags."""
    with History(home) as history:
        history.connection.execute("PRAGMA synchronous = OFF")
        originals = [session for at in range(4) for session in _store(history, at, steps)]
        numbers = count(len(originals))
        with history.transaction() as connection:
            for number in range(len(originals), sessions):
                _copy(connection, originals[number % len(originals)], next(numbers))
        history.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _store(history: History, at: int, steps: int) -> list[str]:
    plan = _plan(at, steps)
    for turn in plan.turns:
        failed = steps // 2 if turn.ordinal % 9 == 0 else None
        maker = journals.Maker(plan, turn.session, seed=turn.ordinal).begin()
        for position in range(steps):
            is_bad = position == failed
            maker.start_step(position)
            maker.end_step(position, "failed" if is_bad else "completed", "error 1205" if is_bad else "")
        maker.end(*(("stopped", "as was asked for") if turn.ordinal == 5 else ()))
        JournalStorer(history).append(plan.id, turn.session, 0, maker.raw)
    return [turn.session for turn in plan.turns]


def _plan(at: int, steps: int) -> Plan:
    contenders = [
        replace(journals.contender(engine, preset), build=f"{family}-{version}", version=version)
        for engine in ("innodb", "rocksdb", "myisam")
        for preset, family, version in (
            ("default", "mysql", f"8.0.{30 + at}"), ("cached", "mariadb", f"10.{4 + at}")
        )
    ]  # fmt: skip
    its_steps = [
        Step(f"step{position}", "drive", workload="point-query", group=GROUPS[position % 4], seconds=300,
             coordinates={"threads": 1 + position % 8})
        for position in range(steps)
    ]  # fmt: skip
    plan = journals.plan(contenders, repeats=2, number=at + 1, its_steps=its_steps, target=f"target-{at % 3}")
    return replace(plan, sequence=("duel", "quick", "writes", "reads")[at])


def _copy(connection: Connection, session: str, number: int) -> None:
    """All rows of a session again, as one that began later."""
    row = connection.execute("SELECT number FROM session WHERE id = ?", (session,)).fetchone()
    id_, plan = journals.session_id(9, number), f"{900_000 + number // PLANNED:026d}"
    later = number * APART_S
    connection.execute(
        "INSERT OR IGNORE INTO plan SELECT ?, hash, content FROM plan WHERE id ="
        " (SELECT plan FROM session WHERE id = ?)",
        (plan, session),
    )
    new = _again(connection, "session", f"number = {row[0]}", id=id_, plan=plan, number=None)[0]
    connection.execute(
        "UPDATE session SET planned_at = planned_at + ?, started_at = started_at + ? WHERE number = ?",
        (later, later, new),
    )
    for table in _NUMBERED:
        _again(connection, table, f"session = {row[0]}", session=new)
    _again(connection, "step", f"session = {row[0]}", session=new, number=None)
    if number % 7 == 0:
        connection.execute("INSERT INTO session_tag VALUES (?, ?)", (id_, TAGS[number % len(TAGS)]))


def _again(connection: Connection, table: str, of: str, **changes: object) -> list[int]:
    """Insert the rows of a table once more, with these changes; returns the number of the last."""
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    chosen = ", ".join("?" if name in changes else name for name in names)
    cursor = connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {chosen} FROM {table} WHERE {of}",
        [changes[name] for name in names if name in changes],
    )
    return [cursor.lastrowid or 0]
