"""The shape of each fact of a journal that somebody reads; others are kept and shown as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, Required, TypedDict

from msgspec import Meta

from app.engines.panel import FACT
from app.protocol.reading import read
from app.protocol.stacks import MOST_TEXT, STACKS

from . import Count, Figure, Name, Number, ShapeError, Text, Texts, check

Packed = Annotated[str, Meta(max_length=MOST_TEXT, pattern="^[A-Za-z0-9+/=]*$")]


class StartState(TypedDict, total=False):
    load: Name
    start: Name
    pause_s: Number
    source: Name
    snapshot: Name
    copy: Name
    not_kept: Name


class Memory(TypedDict, total=False):
    allocator: Text | None
    numa: Text | None
    limit_bytes: Count | None
    used_bytes: Count | None
    peak_bytes: Count | None


class Compression(TypedDict):
    in_force: Text


class Explain(TypedDict):
    statement: str
    rows: list[dict[Name, Any]]


class StatementPlans(TypedDict, total=False):
    """Plans of a statement; `end` only if it differs from the begin."""

    statement: Required[str]
    begin: Required[list[dict[Name, Any]]]
    end: list[dict[Name, Any]]


class Work(TypedDict):
    """Rows of an event, by what was done with them."""

    found: dict[Name, Number | None]
    expected: dict[Name, list[Number]]
    wrong: NotRequired[list[Name]]  # what was beyond its bounds


class NamedBuild(TypedDict, total=False):
    """A build, as named by a contender and the fact of its session."""

    build: Name
    base: Text
    server: Text
    family: Name
    version: Name
    fingerprint: Name


class Build(NamedBuild, total=False):
    """The build of a session, with its notes."""

    notes: Texts | None


class LoadPart(TypedDict):
    """What one load target did in a step."""

    name: Name
    threads: Count
    events: Count
    cpu_pct: Number | None
    rtt_ms: Number | None  # of the network
    network_pct: Number | None  # of the time of its events, at least
    clock_error_ms: Number | None


class Load(TypedDict):
    """The load of a step from other machines, and how far apart their seconds were."""

    targets: list[LoadPart]
    apart_ms: Number | None  # between the ends of the same second of two of them, at most


class Canary(TypedDict):
    """The result of the canary before a session."""

    build: Name
    key: Name
    reads: Number  # a second, by key
    commits: Number
    reads_by_second: list[Number]
    commits_by_second: list[Number]
    others: dict[Name, Any]


class Stacks(TypedDict, total=False):
    """Sampled stacks of a step, packed."""

    tool: Name
    event: Name
    unwinding: Name
    rate_hz: Figure
    on_cpu: Packed
    on_samples: Count
    on_cut: Count
    off_cpu: Packed
    off_samples: Count
    off_cut: Count
    off_tool: Name
    dumps: Count
    stopped_s: Figure
    unnamed_pct: Figure
    symbols: Name
    problem: Text


FACTS: Mapping[str, Any] = {
    FACT: dict[Name, Figure],
    "canary": Canary,
    "build": Build,
    "start_state": StartState,
    "variables": Texts,
    "not_default": list[Name],
    "memory": Memory,
    "my_cnf": str,
    "create_table": str,
    "compression": Compression,
    "explain": Explain,
    "plans": list[StatementPlans],
    "work": Work,
    "load": Load,
    STACKS: Stacks,
}
LEFT_OUT = "left out"  # the key of what the agent writes in place of a fact that is too large for a line


def check_fact(data: Mapping[str, Any]) -> None:
    name, value = data.get("name", ""), data.get("value")
    if not is_left_out(value):
        try:
            if name == "machine":
                from app.protocol.answers import Machine  # dear to import, and no live event needs it

                read(Machine, value)
            elif name in FACTS:
                check(value, FACTS[name])
        except ShapeError as error:
            raise ShapeError(f"the fact {name}: {error}") from None


def is_left_out(value: Any) -> bool:
    """Whether a fact was left out as too large for the journal."""
    return isinstance(value, dict) and value.keys() == {LEFT_OUT}
