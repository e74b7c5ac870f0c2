"""A contender over time: all sessions of the same work on the same machine, and where their figures change.

The sessions of a plan are one point, as they share what the machine was like then. A change is of the machine
where its canaries change as well. Counted instructions are judged by how far starts are apart, untested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from math import exp, log
from statistics import fmean, median
from typing import TypedDict

from app.catalog import Catalog
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.units import direction_of
from app.history.lists.sessions import ContenderEntry, SessionEntry, sessions, sessions_of_reference
from app.history.machines.canaries import CanaryRun, canaries_of
from app.history.steps.figures import StepEntry, latest_fact, steps
from app.history.store.history import History
from app.protocol.plan import INSTRUCTIONS, UNCOMPARED, step_key, step_label
from app.stats.at_target.verdicts import room_of_counts, spoilt_by, spread_of_starts
from app.stats.changes import (
    FEWEST,
    MOST,
    SHARE,
    LevelChange,
    chance_level,
    chance_of_change,
    change_at,
    changes,
)

BETTER, WORSE, DIFFERS = "better", "worse", "differs"
SERVER, MACHINE, UNKNOWN, VALGRIND = "server", "machine", "unknown", "valgrind"
COUNTED_FEWEST = 2  # plans of a counted step: each is exact
CANARIES = ("reads", "commits")
_CANARY_LEVEL, _PART = 0.01, 0.5  # a canary changes too: by so much of the change at least

Key = tuple[str, str]  # name and coordinates of a step


class OverTimePointEntry(TypedDict):
    """A plan: its sessions of this contender."""

    at: float  # when the first of them began, in seconds since 1970
    plan: str
    sessions: list[str]
    build: str
    version: str


class ChangeEntry(TypedDict):
    """A change of a step."""

    at: int  # the first point after it
    ratio: float  # of the means after and before
    low: float  # its interval, 95 %
    high: float
    before: int  # points that the means are of
    after: int
    verdict: str  # better, worse; differs where the unit says neither
    cause: str  # server, machine; unknown without enough canaries; valgrind: another version counted
    builds: list[str]  # the last one before and the first one after


class StepOverTimeEntry(TypedDict):
    step: str
    unit: str
    direction: str
    values: list[float | None]  # one a point: the geometric mean of its sessions
    n: list[int]  # sessions of each
    left_out: list[str]  # marks for which sessions of a point do not count
    changes: list[ChangeEntry]


class OverTimeEntry(TypedDict):
    """What `changes --json` gives."""

    target: str
    sequence: str
    contender: ContenderEntry  # of the latest session
    points: list[OverTimePointEntry]
    canaries: dict[str, list[float | None]]  # reads and commits a second, one a point
    steps: list[StepOverTimeEntry]
    false_share: float  # of the steps that change


@dataclass(frozen=True)
class _Point:
    entry: OverTimePointEntry
    figures: Mapping[Key, Sequence[StepEntry]]
    canaries: Mapping[str, float]  # logarithms
    valgrind: str  # that counted its instructions; '' where nobody said


def over_time(history: History, reference: str, step: str = "", false_share: float = SHARE) -> OverTimeEntry:
    """The line of a session or a plan of one contender, by all steps or by one."""
    ids = sessions_of_reference(history, reference)
    with history.reading():
        (asked,) = sessions(history, ids=ids[:1])
        plans = _plans(_line(history, asked))[-MOST:]
        runs = _comparable(canaries_of(history, [each["id"] for plan in plans for each in plan]))
        points = [_point(history, plan, runs) for plan in plans]
    if not points:
        raise InputError(f"session {asked['name']} is not completed, and no other one of the same work is")
    keys = list(dict.fromkeys(key for point in reversed(points) for key in point.figures))
    chosen = [key for key in keys if step in ("", key[0], _label(key))]
    found = [_step(points, key) for key in chosen]
    if not found:
        known = list(dict.fromkeys(map(_label, keys)))
        meant = did_you_mean(step, [*(key[0] for key in keys), *known])
        raise InputError(f"no step {step!r}{meant}: choose one of {', '.join(known)}")
    _find_changes([each for each in found if not is_counted(each)], points, false_share)
    for each, key in zip(found, chosen, strict=True):
        if is_counted(each):
            each["changes"] = list(_changes_of_counts(each, points, _starts(points, key)))
    return {
        "target": asked["target"],
        "sequence": asked["sequence"],
        "contender": asked["contender"],
        "points": [point.entry for point in points],
        "canaries": {name: _plain(each) for name, each in _canaries(points).items()},
        "steps": found,
        "false_share": false_share,
    }


def shares_of(values: Sequence[float | None], usual: Sequence[float | None] = ()) -> list[float | None]:
    """Each value divided by the median of the usual ones, or of all: 1 is as usual."""
    known = [value for value in usual or values if value is not None]
    middle = median(known) if known else 1.0
    return [None if value is None else value / middle for value in values]


def too_few_plans_text(found: OverTimeEntry) -> str:
    """Why no change can be told of any step; '' if it can."""
    return "" if any(map(can_change, found["steps"])) else why_no_change(found["steps"][0])


def is_counted(step: StepOverTimeEntry) -> bool:
    """Whether its instructions are counted."""
    return step["unit"] == INSTRUCTIONS


def can_change(step: StepOverTimeEntry) -> bool:
    return not why_no_change(step)


def why_no_change(step: StepOverTimeEntry) -> str:
    """Why no change can be told of a step; '' if it can."""
    known = sum(value is not None for value in step["values"])
    fewest = COUNTED_FEWEST if is_counted(step) else FEWEST
    if known < fewest:
        return f"too few plans ({known}, needs {fewest})"
    if is_counted(step) and max(step["n"]) < COUNTED_FEWEST:
        return f"one start in each plan (needs {COUNTED_FEWEST} in one of them)"
    return ""


def means_between_changes(step: StepOverTimeEntry) -> list[float | None]:
    """At each point the geometric mean of its part between changes; a gap where the figure has one."""
    ends = [0, *(change["at"] for change in step["changes"]), len(step["values"])]
    found: list[float | None] = []
    for first, last in pairwise(ends):
        part = step["values"][first:last]
        known = [log(value) for value in part if value is not None]
        found += [exp(fmean(known)) if value is not None else None for value in part]
    return found


def has_worsened_step(found: OverTimeEntry) -> bool:
    """Whether a step is worse since its latest change, and neither machine nor valgrind is the cause."""
    latest = [step["changes"][-1] for step in found["steps"] if step["changes"]]
    return any(change["verdict"] == WORSE and change["cause"] not in (MACHINE, VALGRIND) for change in latest)


def _line(history: History, asked: SessionEntry) -> list[SessionEntry]:
    """The completed sessions of the same work, machine and contender, but for the build."""
    engine, who = asked["contender"]["engine"], _without_build(asked["contender"])
    found = sessions(history, states=("completed",), engine=engine, sequence=asked["sequence"])
    return [
        each
        for each in found
        if all(each[key] == asked[key] for key in ("work_key", "machine_key"))
        and _without_build(each["contender"]) == who
    ]


def _without_build(contender: ContenderEntry) -> tuple[str, ...]:
    """A contender without its build; a preset counts by the name that it has now."""
    preset = Catalog().preset_name(contender["engine"], contender["preset"])
    return contender["family"], contender["engine"], preset, contender["table_options"], contender["cores"]


def _plans(line: Sequence[SessionEntry]) -> list[list[SessionEntry]]:
    """The sessions of each plan and build, in the order of time."""
    grouped: dict[tuple[str, str], list[SessionEntry]] = {}
    for each in line:
        grouped.setdefault((each["plan"], each["contender"]["build"]), []).append(each)
    return sorted(grouped.values(), key=lambda plan: plan[0]["started_at"] or "")


def _comparable(runs: Mapping[str, CanaryRun]) -> dict[str, CanaryRun]:
    """The undisturbed runs of the server that is the canary now."""
    latest = max(runs.values(), key=lambda run: run.at, default=None)
    return {id_: run for id_, run in runs.items() if latest and run.key == latest.key and not run.disturbed}


def _point(history: History, plan: Sequence[SessionEntry], runs: Mapping[str, CanaryRun]) -> _Point:
    first = plan[0]
    figures: dict[Key, list[StepEntry]] = {}
    for entry in plan:
        for key, step in _figures(history, entry["id"]):
            figures.setdefault(key, []).append(step)
    return _Point(
        {
            "at": datetime.fromisoformat(first["started_at"] or "1970-01-01T00:00:00Z").timestamp(),
            "plan": first["plan"],
            "sessions": [each["id"] for each in plan],
            "build": first["contender"]["build"],
            "version": first["contender"]["version"],
        },
        figures,
        _canaries_of(runs[each["id"]] for each in plan if each["id"] in runs),
        ", ".join(dict.fromkeys(latest_fact(history, each["id"], "valgrind") or "" for each in plan)),
    )


def _figures(history: History, session: str) -> Iterator[tuple[Key, StepEntry]]:
    for step in steps(history, session):
        is_compared = step["kind"] not in UNCOMPARED or step["operation"]
        if step["value"] and not step["warm"] and is_compared:
            yield step_key(step["name"], step["coordinates"]), step


def _canaries_of(runs: Iterable[CanaryRun]) -> dict[str, float]:
    """The mean logarithms of reads and of commits a second."""
    figures = [(log(each.reads), log(each.commits)) for each in runs if each.reads > 0 < each.commits]
    return dict(zip(CANARIES, map(fmean, zip(*figures, strict=True)), strict=False))


def _label(key: Key) -> str:
    return step_label(key[0], json.loads(key[1]))


def _step(points: Sequence[_Point], key: Key) -> StepOverTimeEntry:
    places = [point.figures.get(key, ()) for point in points]
    model = next(place[0] for place in reversed(places) if place)
    counted = [[step for step in place if _counts(step, model["unit"])] for place in places]
    marks = [dict.fromkeys(mark for step in place for mark in spoilt_by(step["marks"])) for place in places]
    means = [fmean(log(step["value"] or 1.0) for step in place) if place else None for place in counted]
    return {
        "step": _label(key),
        "unit": model["unit"],
        "direction": direction_of(model["unit"]),
        "values": _plain(means),
        "n": [len(place) for place in counted],
        "left_out": [", ".join(each) for each in marks],
        "changes": [],
    }


def _counts(step: StepEntry, unit: str) -> bool:
    return step["unit"] == unit and not spoilt_by(step["marks"])


def _plain(logarithms: Sequence[float | None]) -> list[float | None]:
    return [None if each is None else exp(each) for each in logarithms]


def _canaries(points: Sequence[_Point]) -> dict[str, list[float | None]]:
    return {name: [point.canaries.get(name) for point in points] for name in CANARIES}


# changes


def _find_changes(found: Sequence[StepOverTimeEntry], points: Sequence[_Point], false_share: float) -> None:
    """Judge all steps together: of those that change, at most this share does so by chance."""
    series = [_known(step["values"]) for step in found]
    chances = [chance_of_change([log(value) for _, value in each]) for each in series]
    limit = _limit(chances, false_share)
    for step, known in zip(found, series, strict=True):
        if len(known) >= FEWEST:
            values = [log(value) for _, value in known]
            places = [place for place, _ in known]
            step["changes"] = list(_entries(step, points, places, values, chance_level(len(values), limit)))


def _known(values: Sequence[float | None]) -> list[tuple[int, float]]:
    return [(at, value) for at, value in enumerate(values) if value is not None]


def _limit(chances: Sequence[float], false_share: float) -> float:
    """The chance up to which a step counts as changed (Benjamini and Hochberg)."""
    limits = [false_share * rank / len(chances) for rank in range(1, len(chances) + 1)]
    return max(
        (limit for chance, limit in zip(sorted(chances), limits, strict=True) if chance < limit), default=0.0
    )


def _entries(
    step: StepOverTimeEntry,
    points: Sequence[_Point],
    places: Sequence[int],
    values: Sequence[float],
    level: float,
) -> Iterator[ChangeEntry]:
    """The changes; `places`: the points that the values are of."""
    found = changes(values, level) if level else []
    ends = [0, *(change.at for change in found), len(values)]
    for which, change in enumerate(found):
        part = places[ends[which] : ends[which + 2]]
        half, at = change.half_width(), places[change.at]
        yield {
            "at": at,
            "ratio": exp(change.apart),
            "low": exp(change.apart - half),
            "high": exp(change.apart + half),
            "before": change.at - ends[which],
            "after": ends[which + 2] - change.at,
            "verdict": _verdict(change.apart, step["direction"]),
            "cause": _cause(points, part, at, change),
            "builds": [points[place].entry["build"] for place in (places[change.at - 1], at)],
        }


def _verdict(apart: float, direction: str) -> str:
    if direction not in ("higher", "lower"):
        return DIFFERS
    return BETTER if (apart > 0) == (direction == "higher") else WORSE


def _cause(points: Sequence[_Point], part: Sequence[int], at: int, change: LevelChange) -> str:
    """The machine's where one of its canaries changes between the same points, in the same direction."""
    is_known = False
    for figures in _canaries([points[place] for place in part]).values():
        known = [(place, value) for place, value in zip(part, figures, strict=True) if value is not None]
        split = sum(place < at for place, _ in known)
        if 2 <= split <= len(known) - 2:
            is_known = True
            canary = change_at([value for _, value in known], split, (0, len(known)))
            if (
                canary.p < _CANARY_LEVEL
                and canary.apart * change.apart > 0
                and (abs(canary.apart) >= _PART * abs(change.apart))
            ):
                return MACHINE
    return SERVER if is_known else UNKNOWN


# of instructions: no drift of the machine is in them, so nothing is tested


def _starts(points: Sequence[_Point], key: Key) -> list[list[float]]:
    """The counts of each point."""
    of_key = [point.figures.get(key, ()) for point in points]
    return [[step["value"] or 0.0 for step in place if _counts(step, INSTRUCTIONS)] for place in of_key]


def _changes_of_counts(
    step: StepOverTimeEntry, points: Sequence[_Point], starts: Sequence[Sequence[float]]
) -> Iterator[ChangeEntry]:
    """Where a count leaves what it was since the last change, by more than its starts differ by."""
    known = [(at, value) for at, value in enumerate(step["values"]) if value is not None]
    spreads = [spread_of_starts(each) for each in starts if len(each) > 1]
    if len(known) < COUNTED_FEWEST or not spreads:
        return
    parts: list[list[tuple[int, float]]] = [known[:1]]
    for at, value in known[1:]:
        room = _room([*(starts[place] for place, _ in parts[-1]), starts[at]], median(spreads))
        is_level = abs(log(value / _mean_of(parts[-1]))) <= log(room)
        parts[-1].append((at, value)) if is_level else parts.append([(at, value)])
    for before, after in pairwise(parts):
        room = _room([starts[place] for place, _ in (*before, *after)], median(spreads))
        yield _counted_change(step, points, before, after, room)


def _room(starts: Sequence[Sequence[float]], usual: float) -> float:
    """How many times a count may be another; a single start has the spread that is usual for the step."""
    return room_of_counts(median(spread_of_starts(each) if len(each) > 1 else usual for each in starts))


def _mean_of(part: Sequence[tuple[int, float]]) -> float:
    return exp(fmean(log(value) for _, value in part))


def _counted_change(
    step: StepOverTimeEntry,
    points: Sequence[_Point],
    before: Sequence[tuple[int, float]],
    after: Sequence[tuple[int, float]],
    room: float,
) -> ChangeEntry:
    ratio, ends = _mean_of(after) / _mean_of(before), (points[before[-1][0]], points[after[0][0]])
    tools = {point.valgrind for point in ends} - {""}
    return {
        "at": after[0][0],
        "ratio": ratio,
        "low": ratio / room,
        "high": ratio * room,
        "before": len(before),
        "after": len(after),
        "verdict": _verdict(log(ratio), step["direction"]),
        "cause": VALGRIND if len(tools) > 1 else SERVER,
        "builds": [point.entry["build"] for point in ends],
    }
