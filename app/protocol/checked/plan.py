"""The shape of a plan, as a journal begins with it."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from msgspec import Meta

from app.protocol.reading import MOST_PCT

from . import Count, Cpus, Few, Figure, Name, Number, Texts
from .facts import NamedBuild

MOST_SECONDS = 1 << 21  # of one step: 24 days

Id = Annotated[str, Meta(min_length=1, max_length=64)]
LimitPct = Annotated[float, Meta(ge=0, le=MOST_PCT)]
Second = Annotated[int, Meta(ge=-MOST_SECONDS, le=MOST_SECONDS)]
Positive = Annotated[int, Meta(ge=1, le=10**15)]
Scalar = bool | int | float | str | None


class Contender(NamedBuild, total=False):
    name: Name
    engine: Name
    preset: Name
    cnf: str
    table_options: Name
    cores: Cpus
    allocator: Name
    numa: Name
    memory_limit: Count


class Options(TypedDict, total=False):
    """Options of a Lua file; only those that Dyno computes with are checked."""

    table_size: Count
    rows_before: Count


class Coordinates(TypedDict, total=False):
    """Coordinates of a sweep; only those that curves use are checked."""

    threads: Positive
    cores: Positive
    cpus: Cpus
    volume_rows: Positive
    rate: Positive


class Step(TypedDict, total=False):
    name: Name
    kind: Name
    workload: Name
    group: Name
    unit: Name
    latency_per: Name
    lua: Name
    options: Options
    ignore_errors: list[Count]
    ignore_errors_by_engine: dict[Name, list[Count]]
    coordinates: Coordinates
    threads: Few
    seconds: Second
    events: Count
    warmup: Second
    warm: bool
    writes: bool
    cap_s: Second
    figure: Name
    rate: Count
    arrivals: Name
    limit_ms: Figure
    cores: Cpus
    load_cores: Cpus
    shared_cores: bool
    variables: dict[Name, Scalar]
    restart_with: dict[Name, Scalar]
    key_caches: bool
    analyse: bool
    sliced: bool
    profile: bool


class Turn(TypedDict, total=False):
    session: Id
    name: Name
    contender: Few
    repeat: Few
    ordinal: Few
    attempt: Few


class LoadTarget(TypedDict, total=False):
    name: Name
    machine_key: Name
    about: Name


class PlanShape(TypedDict, total=False):
    id: Id
    name: Name
    target: Name
    machine_key: Name
    sequence: Name
    contenders: list[Contender]
    steps: list[Step]
    turns: list[Turn]
    files: Texts
    tables: Few
    rows: Count
    seconds: Second
    warmup: Second
    pause: Second
    threads: list[Few]
    repeats: Few
    order: Name
    transport: Name
    load_method: Name
    start: Name
    allow_busy: bool
    others_pct: Number
    steal_pct: Number
    quiet_wait: Second
    repeat_if_disturbed: bool
    canary: list[Contender]
    until_decided: bool
    time_limit: Second
    matters_pct: LimitPct
    false_share_pct: LimitPct
    instruments: Name
    load: list[LoadTarget]
    load_address: Name
    load_certificate: Name
    statements: dict[Name, list[dict[str, Any]]]
