"""Looking for sessions among thousands: text, facets, order; the ids of all that fit, their lines by page."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.core.errors import InputError
from app.history.store.history import History

from .sessions import CHUNK, NAME_OF, STATE_OF, STATES, SessionEntry, escaped_for_like, sessions
from .studies import PLAN_OR_STUDY

_DATE = "coalesce(started_at, planned_at)"  # as the index has it
_NEWEST_FIRST = f"{_DATE} DESC, ordinal DESC, id DESC"
_TAGS = (
    "(SELECT group_concat(tag) FROM (SELECT tag FROM session_tag WHERE session = session.id ORDER BY tag))"
)
_PERSON = "(SELECT nullif(person, '') FROM team_session WHERE session = session.id)"
_TAGGED = "id IN (SELECT session FROM session_tag WHERE tag {})"
# as lists show it: plans of earlier versions left build and version out of the names of contenders
_SERVER = """
    CASE WHEN instr(build, version) THEN build
    WHEN version LIKE substr(build, instr(build, '-') + 1) || '.%'
    THEN substr(build, 1, instr(build, '-')) || version
    ELSE build || '-' || version END"""
_SHOWN_NAME = f"""
    CASE WHEN build <> '' AND {NAME_OF} = session.name AND contender IN (engine, engine || '-' || preset)
    THEN replace(session.name, contender, ({_SERVER}) || '-' || contender) ELSE {NAME_OF} END"""
_SEARCHED = ("target", "contender", "build", "family", "version", "engine", "preset", "sequence")

QPS = "qps "  # in front of a group: sorted by its headline
_HEADLINE = "LEFT JOIN headline ON headline.session = number AND grouping = ?"

# by what else sessions can be sorted
ORDERS: Mapping[str, tuple[str, ...]] = {
    "name": (f"{_SHOWN_NAME} COLLATE NOCASE",),
    "state": (STATE_OF, "failed_steps"),
    **{name: (f"{name} COLLATE NOCASE",) for name in ("target", "contender", "build", "engine", "preset")},
    "sequence": ("sequence COLLATE NOCASE",),
    "repeat": ("repeat",),
    "date": (_DATE,),
    "length": ("ended_t",),
    "tags": (_TAGS,),
    "person": (f"{_PERSON} COLLATE NOCASE",),
}
# each value of a facet stands for the sessions that have it; several values: any of them
FACETS = ("target", "build", "engine", "preset", "sequence", "state", "tag")
_PLAIN = {name: STATE_OF if name == "state" else name for name in FACETS if name != "tag"}


@dataclass(frozen=True)
class Filter:
    """A filter: every word of the text must occur, and one of the chosen values of each facet."""

    text: str = ""
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not self.text.strip() and not any(self.chosen.values())


@dataclass(frozen=True)
class Order:
    by: str = "date"
    is_descending: bool = True


class StepGroupQps(NamedTuple):
    """The QPS of a group: geometric mean of `n` of its `steps`, those with a result."""

    qps: float | None
    n: int
    steps: int


class SessionLine(SessionEntry):
    """A line of the list, with the value it is sorted by."""

    at: float  # when it began; where it has not, when it was planned
    headlines: dict[str, StepGroupQps]  # by group


class FacetValue(NamedTuple):
    """A value of a facet, and the number of sessions with it."""

    value: str
    sessions: int


@dataclass(frozen=True)
class FoundSessions:
    """The matching sessions in order, the number of all, and the groups with a QPS."""

    ids: tuple[str, ...]
    plans: Mapping[str, tuple[str, ...]]  # the same ids by plan or published study, these in their order
    total: int
    groups: tuple[str, ...]


@dataclass
class _Where:
    """Conditions joined by AND, and the values of their question marks."""

    conditions: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def add(self, condition: str, *values: str) -> None:
        self.conditions.append(condition)
        self.values.extend(values)

    def __str__(self) -> str:
        return f"WHERE {' AND '.join(self.conditions)}" if self.conditions else ""


def browse(history: History, wanted: Filter, order: Order) -> FoundSessions:
    """All matching sessions, in this order."""
    where, join, values = _where(wanted), "", []
    if order.by.startswith(QPS):
        join, values = _HEADLINE, [order.by.removeprefix(QPS)]
    statement = f"SELECT id, {PLAN_OR_STUDY} FROM session {join} {where} ORDER BY {_sorting(order)}"
    rows: list[tuple[str, str]] = history.query(statement, values + where.values)
    ids = tuple(id_ for id_, _ in rows)
    total = len(ids) if wanted.is_empty else history.query("SELECT count(*) FROM session")[0][0]
    return FoundSessions(ids, _by_plan(rows, order), total, groups_with_qps(history))


def page(history: History, wanted: Filter, order: Order, begin: int, count: int) -> list[SessionLine]:
    """The lines of a part of the matching sessions: of a million, nobody reads all."""
    where = _where(wanted)
    statement = f"SELECT id FROM session {where} ORDER BY {_sorting(order)} LIMIT {begin:d}, {count:d}"
    return read_session_lines(history, [id_ for (id_,) in history.query(statement, where.values)])


def _by_plan(rows: Sequence[tuple[str, str]], order: Order) -> dict[str, tuple[str, ...]]:
    """Sort by plan: a plan is placed by its first session; by date that is the earliest."""
    step = -1 if order.by == "date" and order.is_descending else 1
    plans: dict[str, list[str]] = {}
    for id_, plan in rows[::step]:
        plans.setdefault(plan, []).append(id_)
    return {plan: tuple(ids[::step]) for plan, ids in list(plans.items())[::step]}


def groups_with_qps(history: History) -> tuple[str, ...]:
    """The groups with a QPS in any session; one index lookup each."""
    rows = history.query(
        "WITH RECURSIVE known (name) AS (SELECT min(grouping) FROM headline UNION ALL SELECT"
        " (SELECT min(grouping) FROM headline WHERE grouping > name) FROM known WHERE name IS NOT NULL)"
        " SELECT name FROM known WHERE name IS NOT NULL"
    )
    return tuple(name for (name,) in rows)


def read_session_lines(history: History, ids: Sequence[str]) -> list[SessionLine]:
    """The lines of these sessions, in this order, without deleted ones."""
    found: dict[str, SessionLine] = {}
    for at in range(0, len(ids), CHUNK):
        found.update(_lines(history, ids[at : at + CHUNK]))
    return [found[id_] for id_ in ids if id_ in found]


def _lines(history: History, ids: Sequence[str]) -> dict[str, SessionLine]:
    statement = (
        f"SELECT id, {_DATE}, grouping, qps, n, steps FROM session LEFT JOIN headline ON session = number"
        f" WHERE id IN ({', '.join('?' * len(ids))})"
    )
    return build_session_lines(history.query(statement, ids), sessions(history, ids=ids))


def build_session_lines(
    headlines: Iterable[Sequence[Any]], entries: Iterable[SessionEntry]
) -> dict[str, SessionLine]:
    """Lines by id; `headlines`: id, when it began, group, QPS, n and steps of each group of each session."""
    began: dict[str, float] = {}
    by_id: dict[str, dict[str, StepGroupQps]] = {}
    for id_, at, group, *headline in headlines:
        began[id_] = at
        if group is not None:
            by_id.setdefault(id_, {})[group] = StepGroupQps(*headline)
    there = [entry for entry in entries if entry["id"] in began]
    return {
        each["id"]: {**each, "at": began[each["id"]], "headlines": by_id.get(each["id"], {})}
        for each in there
    }


def facets(history: History, wanted: Filter) -> dict[str, list[FacetValue]]:
    """The values of each facet, among sessions that match the text and all other facets."""
    chosen = {name: frozenset(values) for name, values in wanted.chosen.items() if values}
    counted: dict[str, Counter[str]] = {name: Counter() for name in _PLAIN}
    for *values, count in _combinations(history, wanted):
        given = dict(zip(_PLAIN, values, strict=True))
        missed = [name for name in given if name in chosen and given[name] not in chosen[name]]
        for name, value in given.items():
            if missed in ([], [name]):
                counted[name][value] += count
    counted["tag"] = _tags(history, wanted)
    return {name: _in_order(name, counted[name], chosen.get(name, ())) for name in FACETS}


def _combinations(history: History, wanted: Filter) -> list[tuple[Any, ...]]:
    """Numbers of sessions by the values of all facets: far fewer rows than sessions."""
    where = _where(Filter(wanted.text, {"tag": wanted.chosen.get("tag", ())}))
    columns = ", ".join(_PLAIN.values())
    by = ", ".join(str(at + 1) for at in range(len(_PLAIN)))
    return history.query(f"SELECT {columns}, count(*) FROM session {where} GROUP BY {by}", where.values)


def _tags(history: History, wanted: Filter) -> Counter[str]:
    where = _where(Filter(wanted.text, {**wanted.chosen, "tag": ()}))
    tagged = "session JOIN session_tag ON session_tag.session = id"
    rows = history.query(f"SELECT tag, count(*) FROM {tagged} {where} GROUP BY tag", where.values)
    return Counter(dict(rows))


def _in_order(name: str, counts: Counter[str], chosen: Sequence[str] | frozenset[str]) -> list[FacetValue]:
    """The values in order, with chosen ones that match nothing, so that they can be cleared."""
    values = {*counts, *chosen} - {""}
    key = STATES.index if name == "state" else str.casefold
    return [FacetValue(value, counts[value]) for value in sorted(values, key=key)]


def _where(wanted: Filter) -> _Where:
    where = _Where()
    for word in wanted.text.split():
        _add_word(where, word)
    for name, values in wanted.chosen.items():
        if name not in FACETS:
            raise InputError(f"cannot filter by {name!r}: choose one of {', '.join(FACETS)}")
        if values:
            several = f"IN ({', '.join('?' * len(values))})"
            where.add(_TAGGED.format(several) if name == "tag" else f"{_PLAIN[name]} {several}", *values)
    return where


def patterns_of(word: str) -> tuple[str, ...]:
    """The patterns of a word: for the texts of a list, tags, notes, and the end of an id."""
    text = escaped_for_like(word)
    return (f"%{text}%", f"%{text}%", f"%{text}%", f"%{text.upper()}")


def _add_word(where: _Where, word: str) -> None:
    """Look for a word in the list's texts, in tags, notes, or at the end of the id."""
    like = "LIKE ? ESCAPE '\\'"
    texts = " || ' ' || ".join((NAME_OF, _SHOWN_NAME, *_SEARCHED))
    where.add(
        f"({texts} {like} OR {_TAGGED.format(like)}"
        f" OR id IN (SELECT session FROM session_note WHERE text {like}) OR id {like})",
        *patterns_of(word),
    )


def _sorting(order: Order) -> str:
    """The ORDER BY clause: sessions without a value last, equal ones newest first."""
    direction = "DESC" if order.is_descending else "ASC"
    if order.by == "date":
        return _NEWEST_FIRST.replace("DESC", direction)
    expressions = ("qps",) if order.by.startswith(QPS) else ORDERS.get(order.by)
    if expressions is None:
        raise InputError(f"cannot sort by {order.by!r}: choose one of {', '.join(ORDERS)}")
    parts = [f"{each} IS NULL, {each} {direction}" for each in expressions]
    return f"{', '.join(parts)}, {_NEWEST_FIRST}"


def tags(history: History) -> list[str]:
    """All tags of all sessions."""
    return [tag for (tag,) in history.query("SELECT DISTINCT tag FROM session_tag ORDER BY tag")]
