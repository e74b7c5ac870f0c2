"""What a person asks for: every option of a plan, for plan files, the command line and the window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from app.catalog.amounts import (
    CORE_SETS,
    GAPS,
    RATE_LIST,
    ROWS,
    SECONDS,
    TABLES,
    THREAD_LIST,
    WARMUP,
    CoreSets,
    core_sets_problem,
    rows_problem,
)
from app.catalog.sequence import TRANSPORTS
from app.core.errors import InputError
from app.core.option_groups import HOW_EXACT, HOW_LONG, SELDOM, SERVER, WHAT, WHERE
from app.core.toml_text import FLAG, TEXT, ValueRule, short_value_repr
from app.protocol.others import OTHERS_PCT, STEAL_PCT
from app.protocol.plan import LOAD_METHODS, ORDERS, STARTS, UNTIL_DECIDED
from app.protocol.reading import MOST_PCT
from app.protocol.waits import INSTRUMENTS, PRESET
from app.stats.at_target.looks import ROUNDS as MOST_ROUNDS
from app.stats.at_target.steady import LEAST_S
from app.stats.at_target.verdicts import LEAST

from .contender import ContenderRequest
from .cores import CPUS, SHARED_CPUS
from .options import (
    option,
    request_class_options,
)

MAX_CONTENDERS = 64
MAX_NAME = 60  # characters
LIMITS = ("matters_pct", "false_share_pct")  # of the verdicts of a plan until decided
ALLOWED = ("allow_busy", "allow_small_disk")  # what a person insists on, of no plan file

_NAMES = ValueRule((list,), items=TEXT)
_PERCENT = ValueRule((int, float), 0, 100)
_LIMIT_PCT = ValueRule((int, float), 0, MOST_PCT)


def _repeats_problem(repeats: int | str) -> str:
    if isinstance(repeats, str) and repeats != UNTIL_DECIDED:
        return f'must be a whole number or "{UNTIL_DECIDED}", not {short_value_repr(repeats)}'
    return ""


@dataclass(frozen=True)
class PlanRequest:
    """All options of a plan; None is filled in by the sequence or planner. A new option is a row here."""

    name: str = option(
        "",
        ValueRule((str,), longest=MAX_NAME),
        group=SELDOM,
        help="prefix of the session names",
    )
    target: str = option("local")
    sequence: str = option(
        "",
        group=WHAT,
        help="sequence of steps, as dyno sequence list names it",
        compared=True,
    )
    steps: tuple[str, ...] = option(
        (),
        _NAMES,
        "words",
        group=WHAT,
        help="run only these steps: a,b,c",
    )
    profile: tuple[str, ...] = option(  # besides those of the sequence
        (),
        _NAMES,
        "words",
        group=SELDOM,
        help="sample the stacks of the server in these steps: a,b; they are compared only with steps that are"
        " profiled as well",
        metavar="STEP,...",
    )
    tables: int | None = option(
        None,
        TABLES,
        "count",
        group=WHAT,
        help="number of tables (default: as the sequence says)",
        title="Tables",
        tip="Number of tables to load",
        compared=True,
    )
    rows: int | str | None = option(
        None,
        ROWS,
        "rows",
        group=WHAT,
        help='rows of each table, or "3x memory"',
        title="Rows per table",
        tip="Rows per table: 1000000, 50k, or a multiple of the memory, like 3x memory",
        further=rows_problem,
        compared=True,
    )
    threads: tuple[int, ...] | None = option(
        None,
        THREAD_LIST,
        "numbers",
        group=WHAT,
        help="client threads: 1,2,4 or 1..64 x2",
        title="Threads",
        tip="Client threads; each step runs once for each number: 1, 2, 4",
    )
    repeats: int | str = option(
        1,
        ValueRule((int, str), 1, 100),
        "repeats",
        group=HOW_EXACT,
        help="how often each is measured: 4 times or more to separate differences from noise; until-decided"
        f" runs {LEAST} to {MOST_ROUNDS}, as many as needed",
        title="Repeats",
        tip=f"How often each is measured: at least {LEAST} times to tell a difference from noise.\n"
        f"Until decided: {LEAST} to {MOST_ROUNDS} times; what is decided is measured no more",
        further=_repeats_problem,
        compared=True,
    )
    seconds: int | None = option(
        None,
        SECONDS,
        "time",
        group=HOW_LONG,
        help=f"measured seconds of each timed step; steps of less than {LEAST_S} are not checked for"
        " steadiness",
        title="Seconds",
        tip=f"Measured seconds per step, unless the sequence sets them; below {LEAST_S} no step is called"
        " steady",
        compared=True,
    )
    warmup: int | None = option(
        None,
        WARMUP,
        "time",
        group=HOW_LONG,
        help="unmeasured seconds before each timed step",
        title="Warm-up s",
        tip="Unmeasured seconds before each step",
        compared=True,
    )
    pause: int = option(
        0,
        WARMUP,
        "time",
        group=SELDOM,
        help="idle seconds before each session",
        title="Pause s",
        tip="Idle seconds before each session",
        carried=True,
    )
    load_method: str = option(
        "ordered",
        ValueRule((str,), choices=LOAD_METHODS),
        group=SELDOM,
        help="how the tables are filled: ordered (default): one client per table, in key order;"
        " parallel: several clients per table; bulk: the bulk load of the engine",
        title="Load",
        tip="Ordered: one client per table, in primary key order. Parallel: clients share each table.\n"
        "Bulk: the bulk load of the engine (MyRocks)",
        carried=True,
        compared=False,
    )
    order: str = option(
        "interleaved",
        ValueRule((str,), choices=ORDERS),
        group=HOW_EXACT,
        help="interleaved (default): sessions A B B A, which spreads drift of the machine over all"
        " servers; slices: 2 to 4 servers take turns, up to four a second, within each step; grouped:"
        " sessions A A B B",
        title="Order",
        tip="Interleaved: whole sessions, A B B A; spreads drift of the machine over all servers.\n"
        "Slices: 2 to 4 servers take turns, up to four a second, within each step, and share the "
        "memory. Noise of the machine affects all alike, so fewer repeats detect a difference.\n"
        "Grouped: whole sessions, A A B B; drift looks like a difference between servers",
        carried=True,
    )
    start: str = option(
        "loaded",
        ValueRule((str,), choices=STARTS),
        flag="start-state",
        group=SERVER,
        help="the server before the first step after the load: loaded (default): keeps running; restarted: is"
        " shut down and started; snapshot: starts from a stored copy of the data",
        title="Start",
        tip="State of the server at the first step: as loaded, or restarted after the load.\n"
        "Snapshot: started on a copy of the loaded data, which Dyno stores for later sessions",
        carried=True,
        compared=False,
    )
    transport: str = option(
        "",
        ValueRule((str,), choices=TRANSPORTS),
        group=SERVER,
        help="how sysbench reaches the server: Unix socket, or TCP over 127.0.0.1 (default: as the"
        " sequence says)",
        title="Transport",
        tip="How clients connect; sequence: as the sequence says, else by socket",
        compared=True,
    )
    instruments: str = option(  # of the Performance Schema
        PRESET,
        ValueRule((str,), choices=INSTRUMENTS),
        group=SERVER,
        help="what the servers measure of their waits: preset (default): as each my.cnf says; waits: the"
        " Performance Schema with all wait instruments, which costs throughput",
        title="Instruments",
        tip="Preset: the Performance Schema as each my.cnf sets it.\n"
        "Waits: on, with all wait instruments, so that Live and Why name what threads wait for. It costs "
        "throughput, so these sessions are never pooled with others",
        carried=True,
    )
    time_limit: int = option(  # seconds; 0: none
        0,
        WARMUP,
        "time",
        flag="within",
        group=HOW_LONG,
        help="start no repeat that would end later than this: 8h, 45min, 1h30. Dyno chooses seconds and"
        " repeats for it, and leaves out steps if it has to; what you give stays as it is",
        metavar="TIME",
        title="How long",
        tip="The time that the plan has: 30 min, 8 h, or until a time of day: 07:00. Dyno chooses seconds and"
        " repeats\nthat you leave open, and leaves out steps if it has to; empty: as long as the work takes",
        open="as needed",
    )
    time_box: int = option(
        0,
        WARMUP,
        "time",
        group=HOW_LONG,
        help="end the plan after this time, wherever it is: 45min. What is measured stays",
        metavar="TIME",
        title="Time box",
        tip="The plan ends after this time, wherever it is, as if you stopped it; empty: never",
        open="none",
        carried=True,
    )
    matters_pct: float | None = option(  # None: as the person has set it
        None,
        _LIMIT_PCT,
        "percent",
        flag="difference",
        group=HOW_EXACT,
        help="with --repeats until-decided: ignore differences below this percentage (default: 2, or your"
        " setting); with 0, up to 5.5%% of plans of equals end with a false difference instead of 5",
        metavar="PERCENT",
    )
    false_share_pct: float | None = option(
        None,
        _LIMIT_PCT,
        "percent",
        flag="false-share",
        group=HOW_EXACT,
        help="with --repeats until-decided: at most this percentage of false alarms (default: 5, or"
        " your setting)",
        metavar="PERCENT",
    )
    rate: tuple[int, ...] | None = option(  # None: as many as there can be
        None,
        RATE_LIST,
        "numbers",
        group=SELDOM,
        help="events per second to send, whatever the server does, one rate after another: 500,1000 or"
        " 100..6400 x2 (default: as many as possible)",
    )
    arrivals: str = option(  # those of the steps go before it
        "",
        GAPS,
        group=SELDOM,
        help="gaps between the events of a rate: poisson (default): random, as of many independent users;"
        " even: all the same; each-second: each second its part, then a pause, and nothing is made up",
    )
    cores: CoreSets | None = option(  # those of the steps go before them
        None,
        CORE_SETS,
        "core sets",
        group=SERVER,
        help="cores of the server, one after the other: how many (4,2,1 or 1-4), or CPUs in brackets, as"
        " taskset has them: '[0-3],[0,2,4-6]'",
        further=core_sets_problem,
    )
    cpus: str = option(  # of server and load, of steps without a core set
        SHARED_CPUS,
        ValueRule((str,), choices=CPUS),
        group=SERVER,
        help="shared (default): server and client use all cores; own: half of the cores for the server,"
        " the rest for the client",
    )
    vary: str = option(  # variations of the steps go before it
        "",
        group=SERVER,
        metavar="NAME=N,...",
        help="measure with each value of a server variable: innodb_spin_wait_delay=6,96 or =1..64 x2",
    )
    quiet_wait: int = option(
        0,
        WARMUP,
        "time",
        group=HOW_EXACT,
        help="wait up to this many seconds before each session for a quiet machine",
        carried=True,
    )
    repeat_if_disturbed: bool = option(
        False,
        FLAG,
        "flag",
        group=HOW_EXACT,
        help="repeat what other programs disturbed, up to three times: a step that only reads at once, else"
        " the session",
        carried=True,
    )
    others_pct: float = option(
        OTHERS_PCT,
        _PERCENT,
        "percent",
        group=SELDOM,
        help=f"mark a step as disturbed if other programs take more of the CPUs than this ({OTHERS_PCT:g})",
        metavar="PERCENT",
        carried=True,
    )
    steal_pct: float = option(
        STEAL_PCT,
        _PERCENT,
        "percent",
        group=SELDOM,
        help=f"mark a step as disturbed if the hypervisor takes more of the CPUs than this ({STEAL_PCT:g})",
        metavar="PERCENT",
        carried=True,
    )
    load: tuple[str, ...] = option(  # none: the load comes from the server's machine
        (),
        _NAMES,
        "words",
        flag="clients-on",
        group=WHERE,
        help="other targets that drive the load, each with a share of the client threads: client-1,client-2",
        metavar="TARGET,...",
        compared=True,
    )
    load_address: str = option(
        "",
        group=SELDOM,
        help="with --clients-on: the private address of the server's machine that they reach: 10.0.0.5",
        metavar="ADDRESS[:PORT]",
        carried=True,
        compared=False,
    )
    contenders: tuple[ContenderRequest, ...] = option((), None)
    allow_busy: bool = option(
        False,
        None,
        "flag",
        group=SELDOM,
        help="start even while a plan of another directory runs there",
        compared=True,
    )
    allow_small_disk: bool = option(
        False,
        None,
        "flag",
        group=SELDOM,
        help="start even if the plan may fill the disk",
    )

    def with_options(self, **options: Any) -> PlanRequest:
        """The request with options of the command line; None means: not given."""
        given = {key: value for key, value in options.items() if value is not None}
        for key, value in given.items():
            row = OPTIONS[key]
            if problem := row.problem(list(value) if isinstance(value, tuple) else value):
                raise InputError(f"--{row.flag} {problem}")
            given[key] = tuple(value) if isinstance(value, list) else value
        for contender in given.get("contenders", ()):
            key, why = contender.problem()
            if key:
                raise InputError(f"contender {contender.text}: {key} {why}")
        return replace(self, **given)

    @property
    def can_wait(self) -> bool:
        """Whether the plan may wait in a queue: no desktop gives it passwords or load targets there."""
        return not self.load and not any(each.server for each in self.contenders)

    @property
    def until_decided(self) -> bool:
        """Whether the plan runs until decided; with a single contender there is nothing to decide."""
        return self.repeats == UNTIL_DECIDED and len(self.contenders) > 1

    @property
    def rounds(self) -> int:
        """The largest number of rounds."""
        if isinstance(self.repeats, str):
            return MOST_ROUNDS if self.until_decided else LEAST
        return self.repeats


OPTIONS = request_class_options(PlanRequest)


def options_of_plan(asked: Any) -> dict[str, Any]:
    """The options that a plan has as they were asked for, of a request or of its plan."""
    return {name: getattr(asked, name) for name, row in OPTIONS.items() if row.carried}
