"""Published studies as the history shows them: the sessions of an article in one row, as a plan has them."""

# ruff: noqa: S608 - no word of a statement comes from outside

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.history.store.damage import read_json
from app.history.store.history import History

from .plans import PlanEntry
from .sessions import SessionEntry, sessions

_BEFORE = "study "  # an id of a study: this, and its source
# in a statement over sessions: the study of one that was published, else its plan
PLAN_OR_STUDY = f"coalesce((SELECT '{_BEFORE}' || content FROM published WHERE session = session.id), plan)"
PUBLISHED = "published"


def is_study(id_: str) -> bool:
    return id_.startswith(_BEFORE)


def studies(history: History, ids: Sequence[str]) -> list[PlanEntry]:
    """The studies of these ids, in this order."""
    return [study for each in ids if (study := _study(history, each))]


def _study(history: History, id_: str) -> PlanEntry | None:
    source = id_.removeprefix(_BEFORE)
    rows = history.query("SELECT session FROM published WHERE content = ?", (source,))
    found = sessions(history, ids=[session for (session,) in rows])
    return _entry(id_, study_name(source), found, _began(history, found)) if found else None


def study_name(source: str) -> str:
    """`Somebody, 2017: Two engines on a laptop`, as far as it is known."""
    said = read_json(source)
    who = [str(said["author"])] if said.get("author") else []
    when = [str(said["date"])[:4]] if said.get("date") else []
    return ": ".join(filter(None, (", ".join(who + when), str(said.get("article", ""))))) or "published"


def _began(history: History, found: Sequence[SessionEntry]) -> float:
    marks = ", ".join("?" * len(found))
    statement = f"SELECT min(coalesce(started_at, planned_at)) FROM session WHERE id IN ({marks})"
    return float(history.query(statement, [each["id"] for each in found])[0][0])


def _entry(id_: str, name: str, found: Sequence[SessionEntry], at: float) -> PlanEntry:
    contenders = [each["contender"] for each in found]
    return {
        "id": id_,
        "name": name,
        "target": ", ".join(_each(each["target"] for each in found)),
        "sequence": ", ".join(_each(each["sequence"] for each in found)),
        "contenders": _each(each["name"] for each in contenders),
        "builds": _each(each["build"] for each in contenders),
        "engines": _each(each["engine"] for each in contenders),
        "presets": _each(each["preset"] for each in contenders),
        "repeats": 1,
        "until_decided": False,
        "at": at,
        "sessions": len(found),
        "states": {PUBLISHED: len(found)},
        "ending": "",
        "failed_steps": sum(each["failed_steps"] for each in found),
        "tags": sorted(set.intersection(*(set(each["tags"]) for each in found))),
    }


def _each(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
