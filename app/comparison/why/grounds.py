"""What may make a step slow where no cause is known by name: counters that moved, variables that differ.

Every counter of the server per query, and every variable in force, is compared between two columns. A
counter that moved more than the rate explains is a ground; a variable that differs is one if a counter that
it governs moved, or if the clients' time grew where it acts. Without either it is only said that it differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from app.comparison.cells.cell import CauseEntry
from app.core.units import capitalised
from app.engines import KNOWN, engine_of
from app.engines.cause import RUNNING, Values
from app.engines.governs import (
    ACT_TITLES,
    ACTS,
    ANY,
    BYTES,
    GOVERNS,
    LARGE,
    LEVELS,
    OFF,
    SMALL,
    RelatedVariables,
)
from app.history.steps.figures import latest_fact, plan_of
from app.history.steps.step_values import BY_NAME, FILE, STATUS, WAIT
from app.history.store.history import History
from app.variables.render import comparable_option_value, option_values
from app.variables.variables import MATTERS, OF_THE_SERVER

GROWS, LEAST, LEAST_BYTES = 1.5, 0.01, 16.0  # a counter moved: times the other column, and more per query
OF_QUERIES = 2000.0  # a second: more than the server counts when no client is there
# What Dyno's own statements may move a second, at most: SHOW STATUS goes through a temporary table, and a
# look at the threads reads a row for each. By version this is more or less, for the same work.
_OWN_ROWS = "handler_read_rnd_next handler_write handler_tmp_write rows_tmp_read rows_sent"
_OWN_STATEMENTS = (
    "created_tmp_tables select_scan select_range handler_read_first handler_read_key handler_read_rnd"
    " handler_external_lock com_show_status com_select table_locks_immediate table_open_cache_hits"
    " optimizer_join_prefixes_check_calls"
)
OWN = {**dict.fromkeys(_OWN_ROWS.split(), 20_000.0), **dict.fromkeys(_OWN_STATEMENTS.split(), 200.0)}
TIME, COUNTER, DIFFERS = "time", "counter", "differs"  # what a ground is known by
SHOWN, MOST = 3, 5  # of what is only known to differ, and of what may act
MOSTLY = 0.9  # of the part of the sign that moved most: then the first one of a row is shown
NOT_SET, LEAST_PART = 0.3, 0.05  # of the rank of what no preset sets; of the difference in time
LIKELY = 0.2  # the least rank before the states
ENOUGH = 0.25  # of the difference: with less a cause is not better than the states of threads
_FAR = log(16)  # a value 16 times another differs as much as ON from OFF
_NOT_SET = "not set"  # an option that is no variable
_LEVEL, _BYTES = re.compile(LEVELS), re.compile(BYTES)
_COMMON = ("size", "max", "read")  # words that say little in the names of variables
_OFF_WORDS = ("OFF", "0", "NONE", "", "FALSE", "NO")
_US, _PER_QUERY = "us per query", "per query"


@dataclass(frozen=True)
class MovedFigure:
    """A figure that rose or fell per query."""

    name: str
    words: str
    figures: list[float | None]  # base first
    part: float  # of it that came or went
    is_counter: bool = False  # of the server


@dataclass(frozen=True)
class Differing:
    """A variable that differs between base and other column."""

    name: str
    values: tuple[str, str]
    is_set: bool  # by a preset, in one of them
    size: float  # of the difference, from 0 to 1

    @property
    def text(self) -> str:
        base, own = (value if len(value) <= 40 else f"{value[:37]}..." for value in self.values)
        return f"{self.name} is {own} (base {base})"


@dataclass(frozen=True)
class ColumnSettings:
    """What is in force in a column."""

    variables: Mapping[str, str] = field(default_factory=dict)
    in_preset: Mapping[str, str] = field(default_factory=dict)
    build: tuple[str, ...] = ()  # family, version, engine


def settings_of(history: History, session: str) -> ColumnSettings:
    """Those of a session; options that are no variables as its preset has them."""
    plan = plan_of(history, session)
    turn = next(turn for turn in plan["turns"] if turn["session"] == session)
    contender = plan["contenders"][turn["contender"]]
    preset = option_values(contender["cnf"])
    known: Mapping[str, str] = latest_fact(history, session, "variables") or {}
    plain = {name: comparable_option_value(value) for name, value in known.items() if session not in value}
    build = tuple(str(contender.get(each)) for each in ("family", "version", "engine"))
    return ColumnSettings({**preset, **plain}, preset, build)


def differing(base: ColumnSettings, other: ColumnSettings) -> list[Differing]:
    """The variables that differ; of two builds only those that a preset sets."""
    names = [name for name in {**base.variables, **other.variables} if name not in OF_THE_SERVER]
    found = []
    for name in names:
        values = base.variables.get(name), other.variables.get(name)
        is_set = base.in_preset.get(name) != other.in_preset.get(name)
        if None not in values and values[0] != values[1] and (is_set or base.build == other.build):
            of = (str(values[0]), str(values[1]))
            found.append(Differing(name, of, is_set, _distance(*of)))
        elif None in values and _is_set_for_one(name, base, other):
            base_value, own = (_NOT_SET if value is None else value for value in values)
            found.append(Differing(name, (base_value, own), True, 1.0))
    return found


def _is_set_for_one(name: str, base: ColumnSettings, other: ColumnSettings) -> bool:
    """Unless the other has it by another name, or always: a server without a query cache has it off."""
    if (name in base.in_preset) == (name in other.in_preset):
        return False
    rows = [row for row in MATTERS if name in row.names]
    sides = [(engine_of(side.build[2]), side.variables) for side in (base, other) if rows]
    return not any(len({row.answer(*side) for side in sides}) == 1 for row in rows)


def _distance(base: str, other: str) -> float:
    one, another = _number(base), _number(other)
    if not one or not another:
        return 1.0
    return min(1.0, abs(log(abs(another / one))) / _FAR)


def _number(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def moved(sides: Sequence[Values], slower: int, comparable: bool) -> dict[str, MovedFigure]:
    """Counters, costs and waits that rose per query in the slower column, or fell (`-name`)."""
    names = dict.fromkeys(name for values in sides for name in values if _is_figure(name))
    found = {}
    for name in names:
        figures = [values.get(name, _missing(name, values, comparable)) for values in sides]
        mine, other = figures[slower], figures[1 - slower]
        if mine is None or other is None:
            continue
        plain = name.removeprefix(STATUS)
        if _is_perhaps_own(plain, figures, sides):
            continue
        least = LEAST_BYTES if plain.startswith(FILE) or _BYTES.search(plain) else LEAST
        if mine - other >= least and _has_risen(mine, other, sides, slower):
            found[plain] = MovedFigure(
                plain, _words(name), figures, 1 - other / mine, name.startswith((STATUS, FILE))
            )
        elif other >= max(least, GROWS * mine):
            found[f"-{plain}"] = MovedFigure(plain, _words(name), figures, 1 - mine / other)
    return found


def _is_perhaps_own(name: str, figures: Sequence[float | None], sides: Sequence[Values]) -> bool:
    """Whether a counter moved no more than Dyno's own statements may move it."""
    moved_by = (
        (figure or 0.0) * values.get("queries", 0.0) for figure, values in zip(figures, sides, strict=True)
    )
    return name in OWN and max(moved_by) < OWN[name]


def _missing(name: str, values: Values, comparable: bool) -> float | None:
    """A counter that did not move is not stored, a wait only if it is long; of other builds who knows."""
    is_by_name = name.startswith((WAIT, FILE))
    is_known = values.get(BY_NAME) if is_by_name else comparable and name.startswith(STATUS)
    return 0.0 if is_known else None


def _is_figure(name: str) -> bool:
    if name.startswith(STATUS):
        return not _LEVEL.fullmatch(name.removeprefix(STATUS))
    return name.startswith((WAIT, FILE)) or ("." not in name and name.endswith(("_us", "_kb")))


def _has_risen(mine: float, other: float, sides: Sequence[Values], slower: int) -> bool:
    """More than the rate explains: what the server counts without clients rises as much as the rate falls."""
    rates = [values.get("queries", 0.0) for values in sides]
    is_of_queries = other * rates[1 - slower] >= OF_QUERIES
    explained = other if is_of_queries or not rates[slower] else other * rates[1 - slower] / rates[slower]
    return mine >= max(GROWS * other, 1.2 * explained)


def _words(name: str) -> str:
    if name.startswith(STATUS):
        return f"{name.removeprefix(STATUS).capitalize()} {_PER_QUERY}"
    if name.startswith(FILE):
        kind, way = name.removeprefix(FILE).rsplit(":", 1)
        return f"bytes {way} ({kind}) {_PER_QUERY}"
    if name.endswith("_kb"):
        return f"KiB {_PER_QUERY} ({name.removesuffix('_kb').replace('_', ' ')})"
    return f"{_US} ({name.removesuffix('_us').replace('_', ' ')})"


def grounds(
    sides: Sequence[Values], slower: int, settings: Sequence[ColumnSettings], named: Mapping[str, MovedFigure]
) -> list[CauseEntry]:
    """Of a base and another column; `named`: the causes that are known by name, as signs of variables."""
    figures = {**moved(sides, slower, settings[0].build == settings[1].build), **named}
    variables = [_of_variable(each, figures, sides, slower) for each in differing(*settings)]
    rows = {row for each in variables if _is_proof(each) and (row := GOVERNS.get(each["variable"]))}
    governed = {*named, *(sign for row in rows for sign in row.signs)}
    governed |= {each["counter"] for each in variables}
    plain = _plain(figures, governed, sides, slower)
    return [*variables, *plain]


def _of_variable(
    each: Differing, figures: Mapping[str, MovedFigure], sides: Sequence[Values], slower: int
) -> CauseEntry:
    row = GOVERNS.get(each.name)
    signs = [figures[name] for name in row.signs if name in figures] if row else _alike(each.name, figures)
    most = max((found.part for found in signs), default=0.0)
    sign = next((found for found in signs if found.part >= MOSTLY * most), None)
    where = row.acts if row else tuple(ACTS)
    times = [_time(values, where) for values in sides]
    explains = _explained(times, where, sides, slower)
    acts = row is not None and _is_worse(row, each, slower) and explains >= LEAST_PART
    is_proof = sign is not None and each.size >= _distance("1", str(GROWS))
    known_by = DIFFERS if not acts else COUNTER if is_proof else TIME
    part = sign.part if sign else 0.0
    weight = {COUNTER: explains * part * (1 + each.size) / 2, TIME: explains * each.size}
    unknown = 0.0 if row else each.size * (1 + part) / 2
    return {
        **_entry(each.name, each.text, sign or _no_sign(row, times), times, sides, explains),
        "known_by": known_by,
        "variable": each.name,
        "in_force": list(each.values),
        "because": row.why if row else "",
        "rank": weight.get(known_by, unknown) * (1.0 if each.is_set else NOT_SET),
    }


def _no_sign(row: RelatedVariables | None, times: list[float | None]) -> MovedFigure:
    """Where no counter moved, the clients' time."""
    return MovedFigure("", f"{_US} for {_states(row)}", times, 0.0)


def _states(row: RelatedVariables | None) -> str:
    *first, last = [ACT_TITLES[act] for act in (row.acts if row else ACTS)]
    return f"{', '.join(first)} and {last}" if first else last


def _entry(
    name: str,
    title: str,
    sign: MovedFigure,
    times: list[float | None],
    sides: Sequence[Values],
    explains: float,
) -> CauseEntry:
    return {
        "name": name,
        "title": title,
        "words": sign.words,
        "figures": sign.figures,
        "time_us": times,
        "share": [_share(time, values) for time, values in zip(times, sides, strict=True)],
        "explains": explains,
        "n": [0, 0],
        "counter": sign.name,
    }


def _share(time: float | None, values: Values) -> float | None:
    whole = values.get("client_us")
    return None if time is None or not whole else min(1.0, time / whole)


def _is_worse(row: RelatedVariables, each: Differing, slower: int) -> bool:
    """Whether the slower column has the value that costs more."""
    mine, other = _number(each.values[slower]), _number(each.values[1 - slower])
    if row.worse == ANY:
        return True
    if mine is not None and other is not None and (row.worse in (SMALL, LARGE) or mine * other):
        return (mine < other) == (row.worse in (SMALL, OFF))
    is_on = each.values[slower].upper() not in _OFF_WORDS
    return row.worse in (SMALL, LARGE) or is_on != (row.worse == OFF)


def has_states(values: Values) -> bool:
    """Whether the threads of its clients were seen."""
    return RUNNING in values


def _time(values: Values, acts: Iterable[str]) -> float | None:
    """Of the clients in these states; without states what the server's CPU leaves of it, or takes."""
    if has_states(values):
        return sum(values.get(name, 0.0) for act in acts for name in ACTS[act])
    cpu, whole = values.get("cpu_us"), values.get("client_us")
    if cpu is None or whole is None:
        return None
    cpu = min(cpu, whole)
    return (cpu if "cpu" in acts else 0.0) + (whole - cpu if set(acts) - {"cpu"} else 0.0)


def _explained(
    times: Sequence[float | None], acts: Iterable[str], sides: Sequence[Values], slower: int
) -> float:
    """The share of the difference in time per query, by the growth of time in these states, or of CPU."""
    mine, other = times[slower], times[1 - slower]
    whole = [values.get("client_us", 0.0) for values in (sides[slower], sides[1 - slower])]
    if mine is None or other is None or whole[0] <= whole[1]:
        return 0.0
    by_state = (mine - other) / (whole[0] - whole[1])
    by_cpu = _by_cpu(sides[slower], sides[1 - slower]) if "cpu" in acts else 0.0
    return min(max(0.0, by_state, by_cpu), 1.0)


def _by_cpu(slow: Values, fast: Values) -> float:
    """CPU per query that rose as much as the time explains all of it, as far as the clients wait for CPU."""
    cpu, before = slow.get("cpu_us", 0.0), fast.get("cpu_us", 0.0)
    if not has_states(slow) or not 0 < before < cpu:
        return 0.0
    needs_cpu = sum(slow.get(name, 0.0) for name in ACTS["cpu"]) / slow["client_us"]
    return min(1.0, log(cpu / before) / log(slow["client_us"] / fast["client_us"])) * needs_cpu


def _alike(variable: str, figures: Mapping[str, MovedFigure]) -> list[MovedFigure]:
    """Counters whose names share at least two words with a variable that no row is about."""
    words = set(_stems(variable))
    return [
        each
        for name, each in figures.items()
        if not name.startswith("-") and each.is_counter and len(words & set(_stems(name))) > 1
    ]


def _stems(name: str) -> Iterator[str]:
    return (word.rstrip("s") for word in name.split("_") if word not in (*KNOWN, *_COMMON))


def _plain(
    figures: Mapping[str, MovedFigure], governed: Iterable[str], sides: Sequence[Values], slower: int
) -> list[CauseEntry]:
    """Counters that moved although no variable that governs them differs, most first."""
    rows = {sign: row for row in reversed(dict.fromkeys(GOVERNS.values())) for sign in row.signs}
    found: list[CauseEntry] = []
    for name, each in figures.items():
        if name.startswith("-") or name in governed or not each.is_counter:
            continue
        row = rows.get(name)
        times: list[float | None] = [_time(values, row.acts) if row else None for values in sides]
        explains = _explained(times, row.acts if row else (), sides, slower)
        title = each.words.removesuffix(f" {_PER_QUERY}")
        entry = _entry(
            name,
            capitalised(title),
            replace(each, words=_PER_QUERY),
            times,
            sides,
            explains,
        )
        rank = each.part + (explains if row else -1.0)
        found.append({**entry, "known_by": COUNTER if row else DIFFERS, "variable": "", "in_force": [],
                      "because": "", "rank": rank})  # fmt: skip
    return sorted(found, key=lambda entry: -entry["rank"])[:SHOWN]


def order_causes(
    reasons: Sequence[CauseEntry], states: Sequence[CauseEntry], general: Sequence[CauseEntry]
) -> list[CauseEntry]:
    """What has proof first, then variables that may act where the time went, states, and what only differs.

    What only differs comes before the states if nothing has proof.
    """
    proofs = sorted((each for each in general if _is_proof(each)), key=_by_rank)
    others = sorted((each for each in general if not _is_proof(each)), key=_by_rank)
    variables = [each for each in others if each["variable"]]
    has_proof = any(-_by_rank(each) >= ENOUGH for each in (*reasons, *proofs))
    likely = [each for each in variables if each["rank"] >= LIKELY]
    likely = [each for each in likely if not (has_proof and each["known_by"] == DIFFERS)][:MOST]
    rest = [each for each in variables if each not in likely][:SHOWN]
    counters = [each for each in others if not each["variable"]]
    known = [each for each in counters if each["known_by"] == COUNTER]
    unknown = [each for each in counters if each not in known]
    return [*proofs, *sorted([*reasons, *likely], key=_by_rank), *known, *states, *rest, *unknown]


def _is_proof(entry: CauseEntry) -> bool:
    return entry["known_by"] == COUNTER and bool(entry["variable"])


def _by_rank(entry: CauseEntry) -> float:
    return -entry.get("rank", entry["explains"] or 0.0)
