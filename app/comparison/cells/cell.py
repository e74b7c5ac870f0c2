"""The table of a comparison: columns, rows, and a cell where they meet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import NotRequired, TypedDict

from app.history.lists.sessions import ContenderEntry
from app.history.steps.figures import SteadinessEntry, StepCutEntry
from app.history.steps.soaks import SoakEntry
from app.protocol.others import DISTURBED
from app.protocol.plan import TIME, is_waiting
from app.stats import VerdictLimits
from app.stats.at_target.moderated import UNKNOWN, VariancePrior

Coordinate = int | float | str
OTHER_RESULTS, MORE_WORK = "other-results", "more-work"  # of a step
FAILED, OF_SNAPSHOT = "failed", "of-snapshot"  # why a cell has no figure
OTHER_PLAN = "other-plan"  # columns were not asked for the same work


@dataclass
class Column:
    """A contender, its work and machine, as one session or several repeats."""

    id: str  # of the first of them
    ids: list[str]
    attempts: list[str]  # left out, as another attempt of the same is among its ids
    name: str
    target: str
    contender: ContenderEntry
    sequence: str
    source: str  # who published it, when and where; '' where it was not
    states: list[str]  # each that some of its sessions have
    failed_steps: int
    loads: int | None  # that the data of its sessions come from; None where nobody said
    server_starts: int | None
    contender_key: str
    work_key: str
    machine_key: str
    colour: int
    cpus: int | None  # that its server may use; None where unknown
    starts: list[float | None]  # when each session began, in seconds since 1970
    plans: list[str]  # of each session
    rounds: list[str]  # of each session, where its contenders took turns in slices; else ''
    by_round: bool = False  # its sessions and those of the base are judged as pairs
    across: str = ""  # time, machines: what is between it and the base; '' where their sessions alternate
    other_work: str = ""  # how its plan differs from that of the base; '' where it has the same work
    canaries: list[float] = field(default_factory=list)  # of its machine, where columns are across something
    runs_already: bool = False  # its server does: the canaries are those of the server

    @property
    def state(self) -> str:
        return ", ".join(self.states)


@dataclass
class ColumnFigure:
    """What a column has of a step by one measure."""

    value: float | None  # median
    n: int  # sessions; rounds where it is judged by them
    samples: list[float | None]  # one a session, in the order of its ids; None where it is left out
    rounds: list[float | None]  # of a column that is judged by round: its ratio to the base in each
    marks: list[str] = field(default_factory=list)  # of the values by this measure; of a cell also its steps'
    resolution: float = 0.0  # the largest of the sessions: a smaller difference cannot be measured


@dataclass
class Cell(ColumnFigure):
    """A step in a column, by the figure that steps are compared by: all that people see of it."""

    relative: float | None = None  # the ratio to the base: the median of the rounds' ratios, else of medians
    low: float | None = None  # the interval of the ratio; None where not judged, or too wide
    high: float | None = None
    spread: float | None = None  # the largest deviation of a session from the median, as a share
    verdict: str | None = None
    whys: list[str] = field(default_factory=list)  # it has no verdict; none where it has one
    p: float | None = None  # of the test against the base: Student's of the rounds, else Welch's
    across: str = ""  # of a verdict across time or machines; '' of every other
    within: float | None = None  # of a rate of queries that was measured once: its max_block_deviation
    reason: str = ""  # why there is no figure, or not one of each repeat
    lacking: str = ""  # the same by name: the state of the step, OF_SNAPSHOT; '' for any other reason
    # one a session, in the order of its ids:
    left_out: list[list[str]] = field(default_factory=list)  # the marks for which it does not count
    steadiness: list[SteadinessEntry | None] = field(default_factory=list)
    cuts: list[StepCutEntry | None] = field(default_factory=list)
    soaks: list[SoakEntry | None] = field(default_factory=list)  # of steps of a minute or more
    operations: list[Mapping[str, object] | None] = field(default_factory=list)  # what such a step did
    known_spread: float = 0.0  # of all counted starts that the history has, where this has fewer than three
    disturbed: list[str] = field(default_factory=list)  # what else took the machine, where that was too much
    others: list[Mapping[str, object]] = field(default_factory=list)  # the same as `Others`, of all sessions
    searches: list[Mapping[str, object] | None] = field(default_factory=list)  # for a limit, of such steps
    schedules: list[Mapping[str, object] | None] = field(default_factory=list)  # of missed rates and levels
    pooled: bool = False  # its verdict takes the noise of earlier plans into account

    @property
    def why(self) -> str:
        """The same in one text."""
        return ", ".join(self.whys)

    @property
    def was_disturbed(self) -> bool:
        """Whether a repeat is marked so, or does not count for it."""
        return DISTURBED in self.marks or any(DISTURBED in marks for marks in self.left_out)

    @property
    def effect(self) -> float:
        """How far its ratio is from 1, in either direction; 0 without one."""
        return abs(log(self.relative)) if self.relative and self.relative > 0 else 0.0


@dataclass
class Row:
    """A step, with a cell for each column."""

    workload: str
    title: str  # what it does, as its workload says; '' where nobody said
    kind: str
    group: str
    threads: int | None
    coordinates: dict[str, Coordinate]
    rate: float | None  # events a second that the plan sets; None where the clients go as fast as they can
    unit: str
    direction: str
    cells: list[Cell]
    latency_per: str  # what one latency is of
    measures: Mapping[str, list[ColumnFigure]]  # by the name of a Measure; not the figure of the step itself
    counts_writes: bool = False  # its instructions are counted, and it writes
    beside: bool = False  # a role of another step, carried out together with it
    alone: tuple[str, str] | None = None  # the key of the step that does the work of this role without others
    earlier: VariancePrior = UNKNOWN  # what earlier plans tell of the noise of its repeats
    earlier_plans: int = 0  # how many do

    @property
    def is_waiting(self) -> bool:
        """Whether it is only how long servers took to settle or start: shown, never judged."""
        return is_waiting(self.kind, self.unit, TIME if self.is_operation else "")

    @property
    def is_operation(self) -> bool:
        """Whether Dyno did something to the server while roles went on."""
        return any(said for cell in self.cells for said in cell.operations)

    def has(self, measure: str) -> bool:
        """Whether any column has a figure by it."""
        return measure in self.measures and any(figure.n for figure in self.measures[measure])


@dataclass
class GroupMeanRatio:
    """The mean ratio of a column to the base, over the steps of a group."""

    ratio: float
    low: float | None = None  # the interval; None where repeats are too few, or it would be too wide
    high: float | None = None
    steps: int = 0  # that both columns have, and that are judged
    across: str = ""  # as that of a verdict


@dataclass
class RowGroup:
    """The steps of a group whose figures have one unit."""

    group: str
    unit: str
    direction: str
    steps: int  # the most that the ratio of a column to the base is over
    of: int  # steps of the group
    ratios: list[GroupMeanRatio | None]  # a column each


@dataclass
class DifferingStatementPlans:
    """A statement whose plans differ between columns, or within one."""

    step: str  # its label
    statement: str
    values: list[str | None]  # one a column

    @property
    def label(self) -> str:
        return f"{self.step}: {self.statement}"


@dataclass(frozen=True)
class Caveat:
    """What to know before the figures are believed."""

    text: str
    kind: str = ""  # OTHER_RESULTS, MORE_WORK, OTHER_PLAN
    step: str = ""  # its label, of the first two
    cause: str = ""  # the same without the session that it is about; '' where it is about none
    reason: str = ""  # of OTHER_PLAN: how the work differs

    @property
    def comes_first(self) -> bool:
        """Before any result: columns did not do the same, or more for the same."""
        return self.kind in (OTHER_RESULTS, MORE_WORK)


@dataclass
class Comparison:
    """Columns beside a base, and their steps as rows."""

    base: int  # the place of its column
    columns: list[Column]
    rows: list[Row]
    plans: list[DifferingStatementPlans]
    groups: list[RowGroup]
    limits: VerdictLimits  # of the verdicts
    repeatedly: bool  # a plan of them was looked at after each round, and went on until it was decided
    is_last_look: bool  # the time of all such plans was up
    has_own_limits: bool  # it is judged by those of this plan, and by nobody else's
    warnings: list[Caveat]

    @property
    def first_texts(self) -> list[str]:
        """The warnings that come before any result."""
        return [each.text for each in self.warnings if each.comes_first]

    @property
    def base_id(self) -> str:
        return self.columns[self.base].id


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
