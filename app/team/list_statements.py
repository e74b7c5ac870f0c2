"""The statements of a team's lists for MariaDB and MySQL: those of `app.history.lists`, written again.

They have the same columns in the same order, and the same marks.
"""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

from collections.abc import Sequence

from app.core.errors import InputError
from app.history.lists.browsing import FACETS, Filter, patterns_of

_LIKE = "LIKE %s COLLATE utf8mb4_general_ci"  # SQLite does not tell a from A here
_STATE_OF = """
    CASE WHEN state IN ('waiting', 'active') AND EXISTS (
        SELECT 1 FROM journal LEFT JOIN link USING (session)
        WHERE journal.session = session.id AND (refused <> '' OR unlocked_offset = `offset`))
    THEN 'lost' ELSE state END"""
_WORD = f"""
    (coalesce((SELECT name FROM session_name WHERE session = session.id), session.name)
        || ' ' || target || ' ' || contender || ' ' || build || ' ' || family || ' ' || version
        || ' ' || engine || ' ' || preset || ' ' || sequence {_LIKE}
    OR id IN (SELECT session FROM session_tag WHERE tag {_LIKE})
    OR id IN (SELECT session FROM session_note WHERE text {_LIKE}) OR id {_LIKE})"""
_TAGGED = "id IN (SELECT session FROM session_tag WHERE tag IN ({}))"

IDS = "SELECT id FROM session {} ORDER BY began_at DESC, ordinal DESC, id DESC LIMIT {:d}, {:d}"
HEADLINES = """
SELECT id, began_at, `grouping`, qps, n, steps FROM session LEFT JOIN headline ON session = number
WHERE id IN ({ids})"""
SESSIONS = f"""
SELECT id, name, {_STATE_OF}, reason, failed_steps, target, contender, build, family, version, engine, preset,
    table_options, cores, sequence, plan, `repeat`,
    DATE_FORMAT(FROM_UNIXTIME(started_at), '%%Y-%%m-%%dT%%H:%%i:%%SZ'),
    ended_t, contender_key, work_key, machine_key, (SELECT refused FROM journal WHERE session = id)
FROM session WHERE id IN ({{ids}})"""
ADDED = """
SELECT 'name', session, name FROM session_name WHERE session IN ({ids})
UNION ALL SELECT 'tag', session, tag FROM session_tag WHERE session IN ({ids})
UNION ALL SELECT 'person', session, person FROM team_session WHERE session IN ({ids})
UNION ALL SELECT 'published', session, NULL FROM published WHERE session IN ({ids})
UNION ALL SELECT 'imported', session, NULL FROM imported WHERE session IN ({ids})"""
FOUND = f"SELECT id FROM session WHERE id = %s OR plan = %s OR id {_LIKE} LIMIT 0, 1000"


def sql_placeholders(values: Sequence[str]) -> str:
    return ", ".join(["%s"] * len(values))


def where(wanted: Filter) -> tuple[str, list[str]]:
    """The condition of a filter, and the values of its marks."""
    conditions: list[str] = []
    values: list[str] = []
    for word in wanted.text.split():
        conditions.append(_WORD)
        values += patterns_of(word)
    for name, several in wanted.chosen.items():
        if name not in FACETS:
            raise InputError(f"cannot filter by {name!r}: choose one of {', '.join(FACETS)}")
        if several:
            conditions.append(_chosen(name).format(sql_placeholders(several)))
            values += several
    return f"WHERE {' AND '.join(conditions)}" if conditions else "", values


def _chosen(facet: str) -> str:
    if facet == "tag":
        return _TAGGED
    return f"{_STATE_OF if facet == 'state' else facet} IN ({{}})"
