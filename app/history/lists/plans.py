"""Plans as the history shows them: what a plan measured, and how far its sessions have come."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence, Set
from typing import NamedTuple, TypedDict

import msgspec

from app.core.names import full_name, short_names
from app.core.units import count_text
from app.history.store.damage import damage_as_error
from app.history.store.history import History
from app.protocol.states import ENDINGS, IN_PART, NOT_NEEDED, OUT_OF_TIME, state_word

from .sessions import STATE_OF

MISSING = "not here"  # sessions of a plan that were not imported, or are deleted
LONGEST = 40  # characters of the names of contenders: more are counted
_CHUNK = 1000  # plans that are read by one statement


class PlanEntry(TypedDict):
    """A plan, as `plan list --json` gives it."""

    id: str
    name: str
    target: str
    sequence: str
    contenders: list[str]
    builds: list[str]
    engines: list[str]
    presets: list[str]
    repeats: int  # the most there are, where it is until decided
    until_decided: bool
    at: float  # when its first session began; where none has, when it was planned
    sessions: int  # in the history
    states: dict[str, int]  # how many sessions are in each, by its word; MISSING: those that are elsewhere
    ending: str  # why it did not need all of its rounds, or had no time for them
    failed_steps: int
    tags: list[str]  # that all of its sessions have


class _Contender(msgspec.Struct):
    name: str
    build: str
    engine: str
    preset: str
    version: str = ""

    @property
    def full_name(self) -> str:
        return full_name(self.name, self.build, self.version, self.engine, (self.preset,))


class _Turn(msgspec.Struct):
    ordinal: int


class _Content(msgspec.Struct):
    """The parts of a plan that its line needs; reading all takes ten times as long."""

    name: str
    target: str
    sequence: str
    contenders: list[_Contender]
    turns: list[_Turn]
    repeats: int
    until_decided: bool = False


class _Row(NamedTuple):
    """The parts of a session that count for its plan."""

    ordinal: int
    at: float
    state: str
    reason: str
    failed_steps: int
    is_published: int

    @property
    def word(self) -> str:
        return "published" if self.is_published else state_word(self.state, self.reason)


_decode = msgspec.json.Decoder(_Content).decode


def plans(history: History, ids: Sequence[str]) -> list[PlanEntry]:
    """The plans of these ids that the history has, in this order."""
    return [plan for at in range(0, len(ids), _CHUNK) for plan in _plans(history, ids[at : at + _CHUNK])]


def _plans(history: History, ids: Sequence[str]) -> list[PlanEntry]:
    marks = ", ".join("?" * len(ids))
    contents = dict(history.query(f"SELECT id, content FROM plan WHERE id IN ({marks})", ids))
    rows: dict[str, list[_Row]] = {}
    statement = (
        f"SELECT plan, ordinal, coalesce(started_at, planned_at), {STATE_OF}, reason, failed_steps,"
        " EXISTS (SELECT 1 FROM published WHERE session = session.id)"
        f" FROM session WHERE plan IN ({marks})"
    )
    for plan, *row in history.query(statement, ids):
        rows.setdefault(plan, []).append(_Row(*row))
    tags = _shared_tags(history, {plan: len(its_rows) for plan, its_rows in rows.items()})
    return [_entry(id_, contents[id_], rows[id_], tags.get(id_, [])) for id_ in ids if id_ in rows]


def plan_ids(history: History, target: str = "", limit: int = -1) -> list[str]:
    """The ids of plans with sessions, by their start; `limit`: only the latest."""
    where, values = ("WHERE target = ?", [target]) if target else ("", [])
    statement = (
        f"SELECT plan FROM session {where} GROUP BY plan ORDER BY min(planned_at) DESC, plan DESC LIMIT ?"
    )
    return [plan for (plan,) in reversed(history.query(statement, (*values, limit)))]


def plan_ids_of_work(history: History, work_key: str, machine_key: str) -> list[str]:
    """The ids of plans of this work on this machine, by their start."""
    statement = (
        "SELECT plan FROM session WHERE work_key = ? AND machine_key = ?"
        " GROUP BY plan ORDER BY min(planned_at), plan"
    )
    return [plan for (plan,) in history.query(statement, (work_key, machine_key))]


def recent_plans(history: History, limit: int) -> list[PlanEntry]:
    """Plans that Dyno ran, the latest first; only the latest with the same work and contenders."""
    by_plan = (
        "SELECT plan, min(planned_at) AS began, target, work_key, group_concat(DISTINCT contender_key) AS who"
        " FROM session WHERE agent <> '' OR started_at IS NULL GROUP BY plan"  # others have no agent
    )
    statement = (
        f"SELECT plan, max(began) FROM ({by_plan}) GROUP BY target, work_key, who"
        " ORDER BY max(began) DESC, plan DESC LIMIT ?"
    )
    return plans(history, [plan for plan, _ in history.query(statement, (limit,))])


def _shared_tags(history: History, sessions: dict[str, int]) -> dict[str, list[str]]:
    """The tags that all sessions of each plan share."""
    statement = (
        "SELECT plan, tag, count(*) FROM session_tag JOIN session ON id = session"
        f" WHERE plan IN ({', '.join('?' * len(sessions))}) GROUP BY plan, tag ORDER BY tag"
    )
    found: dict[str, list[str]] = {}
    for plan, tag, count in history.query(statement, tuple(sessions)):
        if count == sessions[plan]:
            found.setdefault(plan, []).append(tag)
    return found


def _entry(id_: str, content: bytes, rows: Sequence[_Row], tags: list[str]) -> PlanEntry:
    with damage_as_error():
        plan = _decode(zlib.decompress(content))
    states = Counter(row.word for row in rows)
    states[MISSING] = len({turn.ordinal for turn in plan.turns} - {row.ordinal for row in rows})
    return {
        "id": id_,
        "name": plan.name or plan.sequence,
        "target": plan.target,
        "sequence": plan.sequence,
        "contenders": [each.full_name for each in plan.contenders],
        "builds": list(dict.fromkeys(each.build for each in plan.contenders)),
        "engines": list(dict.fromkeys(each.engine for each in plan.contenders)),
        "presets": list(dict.fromkeys(each.preset for each in plan.contenders)),
        "repeats": plan.repeats,
        "until_decided": plan.until_decided,
        "at": min(row.at for row in rows),
        "sessions": len(rows),
        "states": {word: number for word, number in states.items() if number},
        "ending": _ending({row.reason for row in rows} & {*NOT_NEEDED}),
        "failed_steps": sum(row.failed_steps for row in rows),
        "tags": tags,
    }


def _ending(reasons: Set[str]) -> str:
    """The reason of a plan, of those of its contenders."""
    if reasons <= {*ENDINGS}:
        return IN_PART if len(reasons) > 1 else "".join(reasons)
    return OUT_OF_TIME


def contenders_rounds_text(plan: PlanEntry) -> str:
    """`innodb, rocksdb x 4`, by what their names differ in; `8 contenders x 4` where that is long."""
    names = plan["contenders"]
    what = ", ".join(short_names(names).names)
    if len(what) > LONGEST and len(names) > 1:
        what = count_text(len(names), "contender")
    return f"{what} x {repeats_text(plan)}"


def repeats_text(plan: PlanEntry) -> str:
    return f"up to {plan['repeats']}" if plan["until_decided"] else str(plan["repeats"])


def states_text(plan: PlanEntry) -> str:
    """`completed`; if sessions differ, the number in each state: `6 completed, 10 not needed`."""
    states = plan["states"]
    words = list(states) if len(states) == 1 else [f"{n} {word}" for word, n in _in_order(states)]
    failed = [count_text(plan["failed_steps"], "failed step")] if plan["failed_steps"] else []
    return ", ".join([*words, *failed])


def _in_order(states: dict[str, int]) -> list[tuple[str, int]]:
    """States in order: running ones first, lost ones last."""
    order = ("active", "waiting", "failed", "lost", "stopped", "completed", "published")
    behind = len(order)
    ranks = {word: rank for rank, word in enumerate(order)} | {MISSING: behind + 1}
    return sorted(states.items(), key=lambda item: ranks.get(item[0], behind))
