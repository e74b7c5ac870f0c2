"""The tables of a team's server: MariaDB 10.6 or MySQL 8.0 and later. Primary keys everywhere, for Galera."""

from __future__ import annotations

VERSION = 1

LONGEST = 100  # characters of the texts that lists filter by: an index has them
_SHORT = f"VARCHAR({LONGEST}) NOT NULL"
_ID = "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin"
_TABLE = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin ROW_FORMAT=DYNAMIC"

TABLES = {
    "about": """
        name VARCHAR(32) NOT NULL, value VARCHAR(64) NOT NULL, PRIMARY KEY (name)""",
    "edit": f"""
        author {_ID} NOT NULL, number BIGINT NOT NULL,
        clock BIGINT NOT NULL, at DOUBLE NOT NULL, person VARCHAR(100) NOT NULL,
        subject {_ID} NOT NULL, kind VARCHAR(16) NOT NULL, item VARCHAR(100) NOT NULL, value MEDIUMTEXT,
        over_author {_ID} NOT NULL, over_number BIGINT NOT NULL,
        PRIMARY KEY (author, number)""",
    "in_force": f"""
        subject {_ID} NOT NULL, kind VARCHAR(16) NOT NULL, item VARCHAR(100) NOT NULL,
        clock BIGINT NOT NULL, author {_ID} NOT NULL, number BIGINT NOT NULL, value MEDIUMTEXT,
        PRIMARY KEY (kind, subject, item), KEY by_item (kind, item, subject)""",
    "line": f"""
        id {_ID} NOT NULL, plan {_ID} NOT NULL, author {_ID} NOT NULL, announced BIGINT NOT NULL,
        person VARCHAR(100) NOT NULL, size BIGINT NOT NULL, unlocked_offset BIGINT NOT NULL,
        state VARCHAR(16) NOT NULL, name TEXT NOT NULL, ordinal BIGINT NOT NULL, `repeat` BIGINT NOT NULL,
        reason TEXT NOT NULL, failed_steps BIGINT NOT NULL, target {_SHORT}, contender TEXT NOT NULL,
        build {_SHORT}, family {_SHORT}, version {_SHORT}, engine {_SHORT}, preset {_SHORT},
        table_options TEXT NOT NULL, cores TEXT NOT NULL, sequence {_SHORT}, contender_key {_SHORT},
        work_key {_SHORT}, machine_key {_SHORT}, protocol {_SHORT}, agent {_SHORT},
        planned_at DOUBLE NOT NULL, started_at DOUBLE, ended_at DOUBLE, ended_t DOUBLE,
        began_at DOUBLE NOT NULL, is_deleted TINYINT NOT NULL DEFAULT 0,
        PRIMARY KEY (id), KEY by_author (author, announced), KEY by_plan (plan),
        KEY by_begin (began_at, ordinal, id, target, build, engine, preset, sequence, state, is_deleted)""",
    "headline": f"""
        session {_ID} NOT NULL, `grouping` {_SHORT},
        qps DOUBLE, n BIGINT NOT NULL, steps BIGINT NOT NULL,
        PRIMARY KEY (session, `grouping`)""",
    "plan": f"""
        id {_ID} NOT NULL, hash VARCHAR(64) NOT NULL, content MEDIUMBLOB NOT NULL,
        PRIMARY KEY (id)""",
    "piece": f"""
        session {_ID} NOT NULL, `offset` BIGINT NOT NULL, size INT NOT NULL, chain BINARY(32) NOT NULL,
        content MEDIUMBLOB NOT NULL,
        PRIMARY KEY (session, `offset`)""",
}
# The tables of the history under their names there, so that its queries for lists read a team's as well.
_IN_FORCE = "SELECT subject AS session, {} FROM in_force WHERE kind = '{}' AND value IS NOT NULL"
VIEWS = {
    "session": "SELECT line.*, id AS number FROM line WHERE is_deleted = 0",
    "journal": "SELECT id AS session, plan, size AS `offset`, '' AS refused FROM line",
    "link": "SELECT id AS session, unlocked_offset FROM line",
    "team_session": "SELECT id AS session, person FROM line",
    "session_name": _IN_FORCE.format("JSON_UNQUOTE(value) AS name", "name"),
    "session_tag": _IN_FORCE.format("item AS tag", "tag"),
    "session_note": _IN_FORCE.format("JSON_UNQUOTE(JSON_EXTRACT(value, '$[1]')) AS text", "note"),
    "imported": _IN_FORCE.format("value AS source", "imported"),
    "published": _IN_FORCE.format("value AS source", "published"),
    "colour": "SELECT name AS contender_key, 0 AS colour FROM about WHERE FALSE",
}
NAMES = {*TABLES, *VIEWS}
STATEMENTS = (
    *(f"CREATE TABLE IF NOT EXISTS {name} ({columns}) {_TABLE}" for name, columns in TABLES.items()),
    *(f"CREATE SQL SECURITY INVOKER VIEW {name} AS {query}" for name, query in VIEWS.items()),
)
