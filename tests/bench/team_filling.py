"""A team's server with a million sessions in its lists, ten thousand of them whole."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymysql

from app.history.lists.sessions import sessions
from app.history.store import journals as kept
from app.history.store.history import History
from app.team.local_sessions import chained, line_of
from app.team.store import ROW, TeamSessionLine
from tests import journals
from tests.team_server import Database

COLUMNS, STEPS = 6, 50  # sessions of a plan, steps of a session
ENGINES = ("innodb", "rocksdb", "myisam")
_BATCH = 60  # sessions of one statement
# lines without a journal: a million rows as the server makes them itself
_LINES = """
INSERT INTO line (id, plan, author, announced, person, size, unlocked_offset, state, name, ordinal, `repeat`,
    reason, failed_steps, target, contender, build, family, version, engine, preset, table_options, cores,
    sequence, contender_key, work_key, machine_key, protocol, agent,
    planned_at, started_at, ended_at, ended_t, began_at)
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < {count})
SELECT concat('L', lpad(n, 25, '0')), concat('P', lpad(n DIV 6, 25, '0')),
    concat('AUTHOR', lpad(n % 20, 20, '0')), n, concat('person ', n % 20), 1, -1,
    elt(1 + (n % 50 = 0), 'completed', 'failed'), concat('duel-', n), n % 6, 1, '', 0,
    concat('target-', n % 40),
    concat('contender-', n % 6), concat('mariadb-', n % 9), 'MariaDB', '11.4',
    elt(1 + n % 3, 'innodb', 'rocksdb', 'myisam'), elt(1 + n % 2, 'default', 'cached'), '', '',
    elt(1 + n % 4, 'duel', 'quick', 'all', 'small'), left(sha2(n % 6, 256), 32),
    left(sha2(n % 4, 256), 32), left(sha2(n % 40, 256), 32), '1.0', '0.1.0',
    1.6e9 + n * 60, 1.6e9 + n * 60, 1.6e9 + n * 60 + 300, 300, 1.6e9 + n * 60
FROM number"""
_HEADLINES = (
    "INSERT INTO headline SELECT id, '{group}', 1000 + ordinal * 100, 4, 4 FROM line WHERE id LIKE 'L%'"
)
_TAGS = """
INSERT INTO in_force (subject, kind, item, clock, author, number, value)
SELECT id, 'tag', elt(1 + announced % 3, 'quiet', 'noisy', 'kept'), 1, author, announced, 'true' FROM line
WHERE id LIKE 'L%' AND announced % 20 = 0"""


@dataclass(frozen=True)
class Template:
    """A whole session, of which others are copies under another id."""

    session: str
    plan: str
    raw: bytes
    line: TeamSessionLine


def fill(database: Database, folder: Path, lines: int, whole: int) -> list[list[str]]:
    """Fill the lists and journals; returns the ids of the whole sessions, by plan."""
    templates = _templates(folder)
    with pymysql.connect(
        unix_socket=str(database.folder / "s"), user="root", database="team", binary_prefix=True
    ) as connection:
        cursor = connection.cursor()
        _make_lines(cursor, lines)
        connection.commit()
        found = []
        for number in range(1, whole // COLUMNS + 1):
            found.append([_copy(cursor, template, number) for template in templates])
            if number % (_BATCH // COLUMNS) == 0:
                connection.commit()
        connection.commit()
        cursor.execute("ANALYZE TABLE line, headline, in_force, piece")
    return found


def _make_lines(cursor: Any, count: int) -> None:
    for name in ("max_recursive_iterations", "cte_max_recursion_depth"):  # MariaDB, MySQL
        try:
            cursor.execute(f"SET SESSION {name} = {count + 1}")
        except pymysql.Error:
            pass
    cursor.execute(_LINES.format(count=count))
    for group in ("read", "write"):
        cursor.execute(_HEADLINES.format(group=group))
    cursor.execute(_TAGS)


def _templates(folder: Path) -> list[Template]:
    contenders = [
        journals.contender(engine, preset) for engine in ENGINES for preset in ("default", "cached")
    ]
    steps = journals.steps(range(1, STEPS // 2 + 1), seconds=10, warmup=0)
    its_plan = journals.plan(contenders, its_steps=steps)
    with History(folder) as history:
        journals.store(history, *(journals.whole(its_plan, turn.session) for turn in its_plan.turns))
        return [
            Template(
                entry["id"], its_plan.id, kept.path_of(history.journals, entry["id"]).read_bytes(),
                line_of(history, entry["id"]),
            )
            for entry in sessions(history)
        ]  # fmt: skip


def _copy(cursor: Any, template: Template, number: int) -> str:
    """A copy of a session under other ids, as Dyno would have shared it."""
    names = {"plan": f"W{number:025d}", "session": f"W{number:09d}{template.session[10:]}"}
    old, new = template.session[:10].encode(), names["session"][:10].encode()
    raw = template.raw.replace(b'"' + template.plan.encode() + b'"', f'"{names["plan"]}"'.encode())
    raw = raw.replace(b'"' + old, b'"' + new)
    columns = {
        "id": names["session"], "plan": names["plan"], "author": "AUTHORWHOLE", "person": "a generator",
        "announced": number * COLUMNS + template.line.columns["ordinal"], "size": len(raw),
        "unlocked_offset": -1,
        **template.line.columns, "began_at": template.line.columns["started_at"] + number * 600,
        "started_at": template.line.columns["started_at"] + number * 600,
    }  # fmt: skip
    named = ", ".join(f"`{name}` = %s" for name in columns)
    cursor.execute(f"INSERT INTO line SET {named}", list(columns.values()))
    cursor.executemany(
        "INSERT INTO headline VALUES (%s, %s, %s, %s, %s)",
        [(names["session"], *headline) for headline in template.line.headlines],
    )
    chain, rows = b"", []
    for begin in range(0, len(raw), ROW):
        piece = raw[begin : begin + ROW]
        chain = chained(chain, piece)
        rows.append((names["session"], begin, len(piece), chain, zlib.compress(piece, 1)))
    cursor.executemany("INSERT INTO piece VALUES (%s, %s, %s, %s, %s)", rows)
    return names["session"]
