"""The list of sessions, and which of them a person means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from app.core.errors import InputError
from app.core.names import full_name, full_session_name
from app.core.nearest import did_you_mean
from app.core.units import date_text
from app.history.store.damage import read_json, unpack_json
from app.history.store.history import History

STATES = ("waiting", "active", "completed", "failed", "stopped", "lost")
SUFFIX = 6  # characters of an id that are enough to name it
LOST = "its agent is gone: it was killed, or the machine was restarted"
_ALL = (1 << 63) - 1
CHUNK = 1000  # sessions asked for at once: each id is written five times, and SQLite takes 32,766 values
_SHOWN = 5  # of the sessions that a name could mean


class ContenderEntry(TypedDict):
    name: str
    build: str
    family: str
    version: str
    engine: str
    preset: str
    table_options: str
    cores: str


class SessionEntry(TypedDict):
    """One line of the list, as `session list --json` gives it."""

    id: str
    name: str
    state: str
    reason: str
    unread: bool  # the rest of its journal cannot be read, or none of it: the reason says why
    failed_steps: int
    target: str
    contender: ContenderEntry
    sequence: str
    plan: str
    repeat: int
    started_at: str | None  # UTC
    seconds: float | None  # how long it took
    published: bool
    imported: bool
    tags: list[str]
    person: str  # who brought it to the team; '': this computer's own
    contender_key: str
    work_key: str
    machine_key: str
    colour: int


class SessionRow(NamedTuple):
    """A row of `_SELECT`, or of the same statement of a team's server."""

    id: str
    name: str
    state: str
    reason: str
    failed_steps: int
    target: str
    contender: str
    build: str
    family: str
    version: str
    engine: str
    preset: str
    table_options: str
    cores: str
    sequence: str
    plan: str
    repeat: int
    started_at: str | None
    ended_t: float | None
    contender_key: str
    work_key: str
    machine_key: str
    refused: str | None  # why the rest of its journal cannot be read


# lost: no end, and the rest cannot be read, or the lock was seen free after all of the journal had been read
STATE_OF = """
    CASE WHEN state IN ('waiting', 'active') AND EXISTS (
        SELECT 1 FROM journal LEFT JOIN link USING (session)
        WHERE journal.session = session.id AND (refused <> '' OR unlocked_offset = offset))
    THEN 'lost' ELSE state END"""
NAME_OF = "coalesce((SELECT name FROM session_name WHERE session = session.id), session.name)"
_SELECT = f"""
SELECT id, name, {STATE_OF}, reason, failed_steps, target, contender, build, family, version, engine, preset,
    table_options, cores, sequence, plan, repeat, strftime('%Y-%m-%dT%H:%M:%SZ', started_at, 'unixepoch'),
    ended_t, contender_key, work_key, machine_key, (SELECT refused FROM journal WHERE session = id)
FROM session
"""  # noqa: S608 - no word of it comes from outside
_ADDED = {
    "name": "name FROM session_name",
    "tag": "tag FROM session_tag",
    "person": "person FROM team_session",
    "published": "NULL FROM published",
    "imported": "NULL FROM imported",
}


def sessions(
    history: History,
    *,
    ids: Sequence[str] = (),
    states: Sequence[str] = (),
    target: str = "",
    engine: str = "",
    sequence: str = "",
    plan: str = "",
    tag: str = "",
    text: str = "",
    limit: int = -1,
) -> list[SessionEntry]:
    """The matching sessions in the order of their turns; `limit`: only the latest ones."""
    _check_states(states)
    wanted = {"target = ?": target, "engine = ?": engine, "sequence = ?": sequence, "plan = ?": plan}
    wanted["id IN (SELECT session FROM session_tag WHERE tag = ?)"] = tag
    wanted[f"{NAME_OF} LIKE ? ESCAPE '\\'"] = f"%{escaped_for_like(text)}%" if text else ""
    conditions = [condition for condition, value in wanted.items() if value]
    values: list[str | int] = [value for value in wanted.values() if value]
    for expression, several in ((STATE_OF, states), ("id", ids)):
        if several:
            conditions.append(f"{expression} IN ({', '.join('?' * len(several))})")
            values.extend(several)
    where = f"WHERE {' AND '.join(conditions)} " if conditions else ""
    order = "ORDER BY planned_at DESC, ordinal DESC, id DESC LIMIT ?"
    rows = history.query(_SELECT + where + order, (*values, limit if limit >= 0 else _ALL))
    added = SessionAnnotations(_added_rows(history, ids))
    return [added.entry(SessionRow(*row)) for row in reversed(rows)]


def session(history: History, reference: str) -> SessionEntry:
    """The session of a full id, its last 6 characters, a unique name, or `last`."""
    return sessions(history, ids=[find(history, reference)])[0]


def sessions_of_plan(history: History, reference: str) -> list[str]:
    """The sessions of a plan, by its id, the end of that, or its name; none if there is no such plan."""
    return _of_plan_id(history, reference) or _of_plan_name(history, reference)


def _of_plan_name(history: History, name: str) -> list[str]:
    """Find a plan by its name, which begins the names of its sessions."""
    statement = (
        "SELECT id, content FROM plan WHERE id IN (SELECT plan FROM session WHERE name LIKE ? ESCAPE '\\')"
    )
    rows = history.query(statement, (f"{escaped_for_like(name)}%",))
    found = [id_ for id_, content in rows if unpack_json(content).get("name") == name]
    if len(found) > 1:
        raise InputError(
            f"{len(found)} plans have the name {name!r}: write the id of one, see `dyno plan list`"
        )
    return _of_plan_id(history, found[0]) if found else []


def _of_plan_id(history: History, reference: str) -> list[str]:
    ending = f"%{escaped_for_like(reference)}" if len(reference) == SUFFIX else ""
    statement = "SELECT plan, id FROM session WHERE plan = ? OR plan LIKE ? ESCAPE '\\' ORDER BY ordinal"
    rows = history.query(statement, (reference, ending))
    plans = sorted({plan for plan, _ in rows})
    if len(plans) > 1:
        raise InputError(f"{reference!r} fits the plans {', '.join(plans)}: write the whole id")
    return [str(id_) for _, id_ in rows]


def find_all(history: History, references: Iterable[str]) -> list[str]:
    """The ids of these sessions, each once; a plan means all of its sessions, `last` the latest plan."""
    return list(dict.fromkeys(id_ for each in references for id_ in _find_several(history, each)))


def _find_several(history: History, reference: str) -> list[str]:
    if reference == "last" and (latest := _last(history)):
        (reference,) = history.one("SELECT plan FROM session WHERE id = ?", latest) or (reference,)
    return _find_some(history, reference)


def sessions_of_reference(history: History, reference: str) -> list[str]:
    """The id of the session that is meant, or those of a plan that has one contender."""
    ids = _find_some(history, reference)
    if len({each["contender"]["name"] for each in sessions(history, ids=ids)}) > 1:
        raise InputError(f"the plan {reference!r} has several contenders: {_name_one(history, ids)}")
    return ids


def find(history: History, reference: str) -> str:
    """The session that is meant by its id, the last 6 characters of that, a unique name, `last`,
    or as the only one of a plan; raises InputError where there is none, or several.

    It is counted anew first, where an older version stored it: somebody is about to read it.
    """
    ids = _find_some(history, reference)
    if len(ids) > 1:
        raise InputError(f"the plan {reference!r} has {len(ids)} sessions: {_name_one(history, ids)}")
    return ids[0]


def _of_full_name(history: History, reference: str) -> list[str]:
    """The session of a name as lists show it, where its plan gave it a shorter one."""
    ids = [each["id"] for each in sessions(history) if each["name"] == reference]
    if len(ids) > 1:
        raise InputError(f"{len(ids)} sessions fit {reference!r}: {_name_one(history, ids)}")
    return ids


def _recount(history: History, ids: Sequence[str]) -> None:
    from app.history.recorded.recounting import (
        recount_if_waiting,  # with the statistics: not for a list of sessions
    )

    recount_if_waiting(history, ids)


def _find_some(history: History, reference: str) -> list[str]:
    """One session, or all of a plan; a plan by its name only where no session has that."""
    exact = history.query("SELECT id FROM session WHERE id = ?", (reference,))
    ids = [id_ for (id_,) in exact] or _of_plan_id(history, reference)
    ids = ids or _one_session(history, reference) or _of_plan_name(history, reference)
    ids = ids or _of_full_name(history, reference)
    if not ids:
        none = f"no session {reference!r} in the history{meant_name(history, reference)}"
        raise InputError(
            f"{none}: list them with `dyno session list`, or write last for the latest plan",
            window_text=f"{none}: History lists those that are there",
        )
    _recount(history, ids)
    return ids


def meant_name(history: History, reference: str) -> str:
    """The session or plan that a mistyped name may mean, to append to a message."""
    from .typed_names import plan_names, session_names

    return did_you_mean(reference, [*plan_names(history.directory), *session_names(history.directory)])


def _one_session(history: History, reference: str) -> list[str]:
    """Empty where no session is meant; raises InputError where several are."""
    ids = _last(history) if reference == "last" else _meant(history, reference)
    if len(ids) > 1:
        raise InputError(f"{len(ids)} sessions fit {reference!r}: {_name_one(history, ids)}")
    return ids


def _name_one(history: History, ids: Sequence[str]) -> str:
    """What a person can write to mean one of these."""
    ends = [id_[-SUFFIX:] for id_ in ids]
    references = dict(zip(ids, ends if len(set(ends)) == len(ids) else ids, strict=True))
    texts = [
        f"{references[each['id']]} ({', '.join(filter(None, (each['name'], began_text(each))))})"
        for each in sessions(history, ids=ids[:_SHOWN])
    ]
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return f"name one of {', '.join(texts)}{more}"


def began_text(entry: SessionEntry) -> str:
    """`2026-11-24 14:35`, by the clock here; '' where it has not."""
    began = entry["started_at"]
    return date_text(datetime.fromisoformat(began).timestamp()) if began else ""


def latest_machine_key(history: History, target: str) -> str:
    """The machine of a target at its latest measurement; '' if there is none."""
    row = history.one(
        "SELECT machine_key FROM session WHERE target = ? ORDER BY started_at DESC LIMIT 1", (target,)
    )
    return str(row[0]) if row else ""


def state_of(history: History, session: str) -> str:
    """The state of a session; '' if it does not exist."""
    row = history.one(f"SELECT {STATE_OF} FROM session WHERE id = ?", (session,))  # noqa: S608 - our own words
    return row[0] if row else ""


def _last(history: History) -> list[str]:
    """The latest session that has begun; if none has, the first that waits."""
    statement = (
        "SELECT id FROM session ORDER BY state != 'waiting' DESC,"
        " CASE WHEN state = 'waiting' THEN -ordinal ELSE started_at END DESC, id DESC LIMIT 1"
    )
    return [id_ for (id_,) in history.query(statement)]


def _meant(history: History, reference: str) -> list[str]:
    """The sessions that have this name, or this end of their id."""
    if not reference:
        raise InputError("name a session by its id, the last 6 characters of that, its name, or `last`")
    ending = f"%{escaped_for_like(reference)}" if len(reference) == SUFFIX else ""
    statement = f"SELECT id FROM session WHERE {NAME_OF} = ? OR id LIKE ? ESCAPE '\\'"  # noqa: S608 - our own words
    return [id_ for (id_,) in history.query(f"{statement} ORDER BY planned_at DESC", (reference, ending))]


def escaped_for_like(text: str) -> str:
    """A text escaped for LIKE."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _check_states(states: Sequence[str]) -> None:
    for state in states:
        if state not in STATES:
            meant = did_you_mean(state, STATES)
            raise InputError(f"no state {state!r}{meant}: choose one of {', '.join(STATES)}")


def _added_rows(history: History, ids: Sequence[str]) -> Iterator[tuple[str, str, Any]]:
    """What people added to these or all sessions, by one statement: joined here in a third of the time."""
    for at in range(0, max(len(ids), 1), CHUNK):
        chunk = ids[at : at + CHUNK]
        of = f" WHERE session IN ({', '.join('?' * len(chunk))})" if chunk else ""
        parts = [f"SELECT '{kind}', session, {what}{of}" for kind, what in _ADDED.items()]
        statement = " UNION ALL ".join((*parts, "SELECT 'colour', contender_key, colour FROM colour"))
        yield from history.query(statement, tuple(chunk) * len(parts))


class SessionAnnotations:
    """What people added to sessions, from rows of its kind, of what it is, and its value."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._found: dict[tuple[str, str], list[Any]] = {}
        for kind, of_what, value in rows:
            self._found.setdefault((kind, of_what), []).append(value)

    def _one(self, kind: str, of_what: str, otherwise: Any) -> Any:
        return self._found.get((kind, of_what), (otherwise,))[0]

    def entry(self, row: SessionRow) -> SessionEntry:
        """The line of a session, with what people added to it; names that Dyno gave are full."""
        name, contender = _full_names(row)
        return {
            "id": row.id,
            "name": self._one("name", row.id, name),
            "state": row.state,
            "reason": row.refused or (LOST if row.state == "lost" else row.reason),
            "unread": bool(row.refused),
            "failed_steps": row.failed_steps,
            "target": row.target,
            "contender": {
                "name": contender,
                "build": row.build,
                "family": row.family,
                "version": row.version,
                "engine": row.engine,
                "preset": row.preset,
                "table_options": row.table_options,
                "cores": row.cores,
            },
            "sequence": row.sequence,
            "plan": row.plan,
            "repeat": row.repeat,
            "started_at": row.started_at,
            "seconds": None if row.started_at is None else row.ended_t,  # one that never began is waiting
            "published": ("published", row.id) in self._found,
            "imported": ("imported", row.id) in self._found,
            "tags": sorted(set(self._found.get(("tag", row.id), ()))),
            "person": self._one("person", row.id, ""),
            "contender_key": row.contender_key,
            "work_key": row.work_key,
            "machine_key": row.machine_key,
            "colour": self._one("colour", row.contender_key, 0),
        }


def _full_names(row: SessionRow) -> tuple[str, str]:
    """Of the session and its contender: plans of earlier versions left out build and version."""
    full = full_name(row.contender, row.build, row.version, row.engine, (row.preset,))
    return full_session_name(row.name, row.contender, full), full


def source_text(history: History, session: str) -> str:
    """Source of a session: `Somebody, 2017-03, Two engines on a laptop`; '' if it has none."""
    row = history.one("SELECT content FROM published WHERE session = ?", (session,))
    source = read_json(row[0]) if row else {}
    return ", ".join(source[each] for each in ("author", "date", "article") if each in source)


def is_untouched(history: History) -> bool:
    """Whether the history has always been empty."""
    return history.one("SELECT 1 FROM session UNION ALL SELECT 1 FROM deleted") is None
