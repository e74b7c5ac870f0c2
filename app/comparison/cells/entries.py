"""What `compare --format json` gives: columns, rows and groups of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from app.history.lists.sessions import ContenderEntry
from app.history.steps.figures import CutEntry, SteadinessEntry
from app.history.steps.rates import LimitEntry

Coordinate = int | float | str


class ColumnEntry(TypedDict):
    """A column: a contender, its work and machine, as one session or several repeats."""

    id: str  # of the first of them
    ids: list[str]
    attempts: list[str]  # left out, as another attempt of the same is among its ids
    name: str
    target: str
    contender: ContenderEntry
    sequence: str
    source: str  # who published it, when and where; '' where it was not
    state: str
    failed_steps: int
    loads: int | None  # that the data of its sessions come from; null where nobody said
    server_starts: int | None
    contender_key: str
    work_key: str
    machine_key: str
    colour: int
    cpus: int | None  # that its server may use; null where unknown
    starts: list[float | None]  # when each session began, in seconds since 1970
    plans: list[str]  # of each session
    rounds: list[str]  # of each session, where its contenders took turns in slices; else ''
    by_round: bool  # its sessions and those of the base are judged as pairs
    across: str  # time, machines: what is between it and the base; '' where their sessions alternate
    canaries: list[float]  # of its machine, where columns are across time or machines


class MeasureEntry(TypedDict):
    """A measure of a step; the lists have one entry for each column."""

    values: list[float | None]  # medians
    n: list[int]  # sessions; rounds where it is judged by them
    samples: list[list[float | None]]  # one a session, in the order of its ids; null where it is left out
    rounds: list[list[float | None]]  # of a column that is judged by round: its ratio to the base in each


class RelatedEntry(MeasureEntry):
    """The figure that steps are compared by, null where there is none."""

    relative: list[float | None]  # the ratio to the base: the median of the rounds' ratios, else of medians
    low: list[float | None]  # the interval of the ratio; null where it is not judged, or it would be too wide
    high: list[float | None]
    spread: list[float | None]  # the largest deviation of a session from the median, as a share
    verdict: list[str | None]
    why: list[str]  # it has no verdict; '' where it has one
    p: list[float | None]  # of the test against the base: Student's of the rounds, else Welch's
    across: list[str]  # of a verdict across time or machines; '' of every other
    within: list[float | None]  # of a rate of queries that was measured once: its max_block_deviation


class RowEntry(RelatedEntry):
    """A step; the lists have one entry for each column."""

    workload: str
    title: str  # what it does, as its workload says; '' where nobody said
    kind: str
    group: str
    threads: int | None
    coordinates: dict[str, Coordinate]
    rate: float | None  # events a second that the plan sets; null where the clients go as fast as they can
    unit: str
    direction: str
    reasons: list[str]  # why there is no figure, or not one of each repeat
    marks: list[list[str]]
    left_out: list[list[str]]  # one a session: the marks for which it does not count; '' where it does
    steadiness: list[list[SteadinessEntry | None]]  # one a session, as the samples
    cuts: list[list[CutEntry | None]]
    disturbed: list[list[str]]  # one a session: what else took the machine, where that was too much
    searches: list[list[LimitEntry | None]]  # one a session: the search for a limit, of such steps
    latency_per: str  # what one latency is of
    measures: Mapping[str, MeasureEntry]  # by the name of a Measure; not the figure of the step itself


class CauseEntry(TypedDict):
    """What may make a step slow; the lists have one entry for each column, the base first."""

    name: str
    title: str
    words: str  # behind the figure
    figures: list[float | None]
    time_us: list[float | None]  # of the clients, per query
    share: list[float | None]  # of all their time
    explains: float | None  # a share of the difference in time per query; null if there is no difference
    n: list[int]
    # of what no cause is known by name: counters that moved, variables that differ
    known_by: NotRequired[str]  # counter, time, named, differs
    variable: NotRequired[str]  # that governs it and differs; '' where none does
    in_force: NotRequired[list[str]]  # its values
    counter: NotRequired[str]  # that moved; '' where none did
    because: NotRequired[str]  # a line of why; '' where Dyno does not know
    rank: NotRequired[float]


class PlansEntry(TypedDict):
    """A statement whose plans differ between columns, or within one."""

    statement: str  # behind the label of its step
    values: list[str | None]  # one a column


class Comparison(TypedDict):
    """What `compare --format json` gives."""

    base: str
    sessions: list[ColumnEntry]
    rows: list[RowEntry]
    plans: list[PlansEntry]
    groups: list[GroupEntry]
    limits: dict[str, float]  # of the verdicts
    repeatedly: bool  # a plan of them was looked at after each round, and went on until it was decided
    has_own_limits: bool  # it is judged by those of this plan, and by nobody else's
    warnings: list[str]


class RatioEntry(TypedDict):
    ratio: float
    low: float | None  # the interval; null where repeats are too few, or it would be too wide
    high: float | None
    steps: int  # that both columns have, and that are judged
    across: str  # as that of a verdict


class GroupEntry(TypedDict):
    """The steps of a group whose figures have one unit."""

    group: str
    unit: str
    direction: str
    steps: int  # the most that the ratio of a column to the base is over
    of: int  # steps of the group
    ratios: list[RatioEntry | None]  # a column each
