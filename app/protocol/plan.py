"""The plan: what one press of Run starts, fully resolved and immutable, as it is sent to a target."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields, replace
from itertools import takewhile
from typing import Any, Iterable, List, Mapping

from .conditions import Condition
from .hosts import place_key
from .others import OTHERS_PCT, STEAL_PCT
from .reading import (
    Content,
    Count,
    Cpus,
    Few,
    Figure,
    Id,
    LimitPct,
    Name,
    Number,
    Scalar,
    Second,
    ShapeError,
    Text,
    max_list_entries_rule,
    read,
    typed_keys_rule,
)
from .series import PER_MINUTE
from .waits import PRESET

LIMIT = "limit"  # a driven step that searches the highest rate under a limit of its p99
POWER_CUT = "power-cut"  # the file system of the data loses what is not synced, and the server is killed
COUNT = "count"  # a driven step whose instructions are counted: its server runs under valgrind
OUTAGES = ("kill", POWER_CUT, "restart")  # that end the server and start it again
# what Dyno does to the server while roles go on; a restart without roles is none of them
OPERATIONS = (*OUTAGES, "ddl", "backup")
STEP_KINDS = (
    "load", "index", "settle", "warmup", "drive", "scan", "text-index", "restart", LIMIT, COUNT,
    "kill", POWER_CUT, "ddl", "backup",
)  # fmt: skip
LONGEST_S = 10.0  # of a slice: a step that needs longer ones is carried out whole
BACKUP_TOOLS = ("mariadb-backup", "clone", "dump")  # in this order a build is asked for them
PREPARING = ("load", "index", "text-index")  # without which the others would measure nothing
WITHOUT_WORK = ("settle", *OPERATIONS)  # kinds of steps that have no workload
UNCOMPARED = ("settle", "restart", "warmup")  # kinds of steps that say nothing of a contender
QUERYING = ("drive", "scan", LIMIT, COUNT)  # whose statements meet the tables that others have filled
READING = ("warmup", *(kind for kind in QUERYING if kind != COUNT))  # kinds of steps that a replica may take
STARTS = ("loaded", "restarted", "snapshot")
# the value of a step: in its unit, mean ms, bytes of the tables, instructions of an event, seconds
FIGURES = ("rate", "latency", "size", "instructions", "time")
INSTRUCTIONS = "instructions"  # the unit of the fourth
TIME = "time"  # the figure of an operation: until the server answers, or as long as it took
LOAD_METHODS = ("ordered", "parallel", "bulk")
SLICES = "slices"
EACH_SECOND = (
    "each-second"  # in each second its part of the rate, then nothing; what was missed is not made up
)
LEAST_EACH_SECOND = 0.95  # of such a rate, where a plan says no other level
# gaps between the events of a rate: exponential, all the same, or none until the part of the second is done
ARRIVALS = ("poisson", "even", EACH_SECOND)
UNTIL_DECIDED = "until decided"  # in place of a number of repeats
ORDERS = ("interleaved", SLICES, "grouped")  # A B B A of sessions by round, of slices within one, or A A B B
RATE_MISSED = "rate-missed"  # mark of a step whose events piled up
LEVEL_MISSED = "level-missed"  # mark of a role that did not reach its level
ROLE_MISSED = "role-missed"  # mark of the other roles of its step
OF_KIND = "/"  # in names of steps and series, before that of a kind of events
QPS_UNIT = "queries/s"  # of the steps that have a QPS
ROWS_UNIT = "rows/s"
LEVELS = (LEVEL_MISSED, ROLE_MISSED)  # marks that no other repeat makes good
MOST_REPLICAS = 8  # of a server
OPEN_FILES = 1024  # of a server, without its clients: tables, logs, libraries; below it lets fewer clients in

START = "dyno-start.lua"  # of every step: how sysbench is started; it says nothing of the work

ALLOCATORS = {"jemalloc": "libjemalloc2", "tcmalloc": "libtcmalloc-minimal4"}  # and the packages of Debian

UNHASHED = ("load_certificate", "statements", "loop_bytes")  # they change nothing of what a plan does
ATTEMPTS = 3  # the most of a step or a session that others disturb
_PARTS = ("contenders", "steps", "turns", "canary", "load")  # of a plan, each a list of dataclasses
MEMORY = ("allocator", "numa", "memory_limit")  # the same of a contender
_ORDERED_ONCE = "insert"  # what `ordered` was called while there was no other: keys and hashes keep it


@dataclass(frozen=True)
class Replica:
    """A server that runs already and repeats what its primary does; it takes reads alone."""

    name: Name
    host: Name
    port: Count
    user: Name
    certificate: Name = ""
    max_queries: Count = 0
    price: Name = ""


@dataclass(frozen=True)
class Contender:
    """What is compared: a build with an engine, a preset, table options and cores."""

    name: Name
    build: Name
    base: Text
    server: Text
    family: Name
    version: Name
    fingerprint: Name  # of the server binary
    engine: Name  # as in app/engines, or any other that the server lists, in small letters
    preset: Name
    cnf: Content  # the rendered preset; the agent adds the paths, socket and user of the session
    table_options: Name = ""
    cores: Cpus = ""  # as taskset -c takes them; empty: all
    allocator: Name = ""  # one of ALLOCATORS, or the path of a library; empty: the one it was linked with
    numa: Name = ""  # as numactl takes it: interleave=all, membind=0, preferred=0, localalloc
    memory_limit: Count = 0  # bytes of server and page cache; 0: none
    # of a server that runs already, whose name is in `build`: no build and no preset; `cnf` has chosen settings as found
    host: Name = ""
    port: Count = 0
    schema: Name = ""
    user: Name = ""
    certificate: Name = ""  # the SHA-256 of what it shows; empty: plain text
    max_queries: Count = 0  # a second that it may be sent; 0: any
    price: Name = ""  # of an hour: 0.52 USD
    change_by: Text = ""  # a program there: `make` before each session, `unmake` after it
    # of such a server, in the order of their names; they have the same schema
    replicas: list[Replica] = field(
        default_factory=list, hash=False, metadata=max_list_entries_rule(MOST_REPLICAS)
    )
    # the first of them takes all that reads: it is what is measured, and `host` is that of its primary
    is_replica: bool = False

    @property
    def is_existing(self) -> bool:
        """Whether it is a server that runs already, which Dyno neither starts nor ends."""
        return bool(self.host)

    @property
    def key(self) -> str:
        """The key of a contender: what shapes the server, without names."""
        usual = [self.fingerprint, self.engine, self.cnf, self.table_options, self.cores]
        if self.is_existing:
            usual += [self.host, str(self.port), self.schema, self.family, self.version]
            usual += [self.change_by] if self.change_by else []
        for each in self.replicas:
            usual += ["replica" if self.is_replica else "with replica", each.host, str(each.port)]
        return digest([*usual, self.memory] if self.memory else usual)

    @property
    def memory(self) -> dict[str, Any]:
        """The memory settings of the contender."""
        return {name: getattr(self, name) for name in MEMORY if getattr(self, name)}

    def replica_of_step(self, step: Step) -> int:
        """Which of its replicas carries a step out: 1, 2, ...; 0: none does."""
        return step.on or int(self.is_replica and step.kind in READING and not step.writes)

    @property
    def places(self) -> list[tuple[str, int]]:
        """Where its server and its replicas listen, each once; of one that Dyno starts nowhere."""
        servers: list[Contender | Replica] = [self, *self.replicas] if self.is_existing else []
        return list(dict.fromkeys(place_key(each.host, each.port) for each in servers))

    def password_name(self, replica: Replica) -> str:
        """Where the password of a replica is, among those of the contenders."""
        return "{}/{}".format(self.name, replica.name)


_COORDINATES = typed_keys_rule(
    threads="Positive", cores="Positive", cpus="Cpus", volume_rows="Positive", rate="Positive"
)


@dataclass(frozen=True)
class Step:
    """One entry of a sequence at one point of its sweep, with every value filled in."""

    name: Name
    kind: Name
    workload: Name = ""  # empty for settle and restart
    group: Name = ""
    unit: Name = "queries/s"
    latency_per: Name = "query"  # query | transaction: what one event of the workload is
    lua: Name = ""  # the name of a file of the plan
    # of the Lua file: only those are checked that Dyno computes with
    options: dict[Name, Any] = field(
        default_factory=dict, metadata=typed_keys_rule(table_size="Count", rows_before="Count")
    )
    ignore_errors: list[Count] = field(default_factory=list)  # counted, not fatal
    ignore_errors_by_engine: dict[Name, list[Count]] = field(default_factory=dict)  # further ones
    # {"threads": 1, ...}: only those are checked that curves use
    coordinates: dict[Name, Any] = field(default_factory=dict, metadata=_COORDINATES)
    threads: Few = 1
    seconds: Second = 0  # measured seconds; 0: bounded by events alone
    events: Count = 0  # 0: bounded by seconds alone
    warmup: Second = 0  # seconds before the measured ones, in the same process
    warm: bool = False  # kept, never compared
    writes: bool = False
    cap_s: Second = 0  # settle, limit: the longest it may take
    # what came later, from here on: part of keys and hashes where it says something, so that old ones stay
    figure: Name = "rate"  # one of FIGURES
    rate: Count = 0  # events a second that are asked for; 0: as many as it can
    arrivals: Name = ARRIVALS[0]
    limit_ms: Figure = 0.0  # of a step of kind limit: of its p99
    cores: Cpus = ""  # CPUs of the server for this step, as taskset -c takes them; empty: the contender's
    load_cores: Cpus = ""  # CPUs of the load generator; empty: all
    shared_cores: bool = False  # the load runs on cores of the server
    variables: dict[Name, Scalar] = field(default_factory=dict)  # SET GLOBAL for this step, put back after it
    restart_with: dict[Name, Scalar] = field(default_factory=dict)  # what the server is started with for it
    key_caches: bool = False  # MyISAM: each table has a key cache of its own for this step
    analyse: bool = False  # ANALYZE TABLE on all tables after it: it has changed their rows or indexes

    sliced: bool = False  # in slices: the contenders of a round take turns within it
    profile: bool = False  # stacks and counters of the server are sampled in its measured seconds

    # of a step with several roles: that of its figure, then the others, each like a step of its own
    role: Name = ""  # what it is called in its step; empty: the step has no roles
    beside: bool = False  # carried out together with the step before it, which is not beside another
    ends: bool = False  # the step goes on until all roles that have this have done theirs
    follows: Name = ""  # the role whose statements its own follow, client by client
    apart: Count = 0  # the most statements that one may be ahead of the other
    least_pct: Figure = 0.0  # of its rate that it has to reach; 0: it has no level
    most_p99_ms: Figure = 0.0  # that its p99 may not pass; 0: any
    # one of the kinds of events of the step or role before it: its figures are of these events alone
    event_kind: Name = ""

    @property
    def series_key(self) -> str:
        """What is in braces in the names of its series: `reader`, `payment`, `reader/payment`."""
        return OF_KIND.join(filter(None, (self.role, self.event_kind)))

    @property
    def figure_key(self) -> str:
        """The same of the kind that is its figure."""
        return OF_KIND.join(filter(None, (self.role, self.figure_kind)))

    # of an operation, whose roles are the steps beside it: it goes on for its `seconds` after it happened
    after: Second = 0  # seconds that its roles work before it
    statement: Text = ""  # of kind ddl, with {table}
    algorithm: Name = ""  # of kind ddl: the one that is asked for; empty: the server chooses
    tool: Name = ""  # of kind backup: one of BACKUP_TOOLS; empty: the first that the build has
    again_after_ms: Count = 0  # of kind kill: a second kill so long after the server was started; 0: none
    cold: bool = False  # of kind restart: the system caches no data when the server starts again

    # of a load: what holds of its tables, asked after it and after the last step
    conditions: list[Condition] = field(default_factory=list, metadata=max_list_entries_rule(100))
    check: bool = False  # the conditions of the loads before it are asked after it too
    figure_kind: Name = ""  # whose committed events per minute are its figure; empty: that of all events
    on: Few = 0  # the replica that carries it out: 1, 2, ...; 0: the server itself

    @property
    def is_operation(self) -> bool:
        """Whether Dyno does something to the server while roles go on."""
        return self.kind in OPERATIONS and self.figure == TIME

    @property
    def is_preparing(self) -> bool:
        """Whether it belongs to the load, or lets the server write what that left."""
        return self.kind in (*PREPARING, "settle")

    @property
    def least_share(self) -> float:
        """Of its rate that it has to reach; 0: it has no level. What each second lacks is not made up for."""
        if self.least_pct:
            return self.least_pct / 100
        return LEAST_EACH_SECOND if self.comes_each_second else 0.0

    @property
    def comes_each_second(self) -> bool:
        """Whether each second has its part of the rate, sent at once."""
        return bool(self.rate) and self.arrivals == EACH_SECOND

    @property
    def sent_rate(self) -> int:
        """Events a second that its clients send: of parts of a second each client sends whole events."""
        each = -(-self.rate // max(self.threads, 1))
        return each * self.threads if self.comes_each_second else self.rate

    def ignored_by(self, engine: str) -> list[int]:
        """The errors that are counted and ignored on an engine."""
        return sorted({*self.ignore_errors, *self.ignore_errors_by_engine.get(engine, [])})

    @property
    def is_judged(self) -> bool:
        """Whether contenders are compared by it: not by warming up, nor by how long a server took."""
        return not (self.warm or self.kind == "warmup" or is_waiting(self.kind, self.unit, self.figure))

    @property
    def counts_writes(self) -> bool:
        return self.kind == COUNT and self.writes

    @property
    def direction(self) -> str:
        """Whether more of its figure is better: of a rate it is, of milliseconds and bytes it is not."""
        return "higher" if self.figure == "rate" else "lower"

    @property
    def label(self) -> str:
        return step_label(self.name, self.coordinates)


def step_label(name: str, coordinates: Mapping[str, Any]) -> str:
    """The name of a step with its coordinates, as people read it: `point-query threads=2`."""
    return " ".join([name, *("{}={}".format(*item) for item in sorted(coordinates.items()))])


def is_waiting(kind: str, unit: str, figure: str = "") -> bool:
    """Whether the figure of a step is only how long a server took to settle or start: no size, no operation."""
    return kind in ("settle", "restart") and unit != "bytes" and figure != TIME


def step_key(name: str, coordinates: str | Mapping[str, Any]) -> tuple[str, str]:
    """What is the same for a step of several sessions: its name, and its coordinates as the history has them."""
    return name, coordinates if isinstance(coordinates, str) else coordinates_json(coordinates)


def coordinates_json(coordinates: Mapping[str, Any]) -> str:
    """The coordinates as the history has them."""
    return json.dumps(coordinates, sort_keys=True)


def _later(cls: Any, first: str) -> List[str]:
    """The fields from the first one that came later."""
    names = [each.name for each in fields(cls)]
    return names[names.index(first) :]


LATER = _later(Step, "figure")


@dataclass(frozen=True)
class PlannedSession:
    """One session of the plan: its id and place, decided before anything starts."""

    session: Id
    name: Name
    contender: Few  # index into Plan.contenders
    repeat: Few  # 1, 2, ...
    ordinal: Few  # 1, 2, ... in the order of carrying out
    attempt: Few = 1  # later ones begin only where others have disturbed the one before


@dataclass(frozen=True)
class DrivingTarget:
    """A target that only drives: clients of the steps run there."""

    name: Name
    machine_key: Name
    about: Name = ""  # its CPU, its sysbench


@dataclass(frozen=True)
class Plan:
    """Contenders x sequence x repeats on a target."""

    id: Id
    name: Name
    target: Name
    machine_key: Name
    sequence: Name
    contenders: list[Contender]
    steps: list[Step]
    turns: list[PlannedSession]
    files: dict[Name, Content]  # every workload, Lua, preset and sequence file used: name -> text
    tables: Few
    rows: Count  # of each table
    seconds: Second
    warmup: Second
    pause: Second  # idle seconds before each session
    threads: list[Few]
    repeats: Few
    order: Name = "grouped"  # one of ORDERS; the planner always sets it, a plan without it is an old one
    transport: Name = "socket"  # socket | loopback | network: from load targets
    load_method: Name = "ordered"  # one of LOAD_METHODS
    start: Name = "loaded"  # one of STARTS: the state the first step after the load finds
    allow_busy: bool = False
    # what came later, from here on: part of the hash where it is not as usual, so that old ones stay
    others_pct: Number = OTHERS_PCT  # of its CPUs: a step in which others took more is marked as disturbed
    steal_pct: Number = STEAL_PCT  # the same of what the hypervisor took
    # servers that are measured before sessions: a small one, and those that run already; or none
    canary: list[Contender] = field(default_factory=list)
    quiet_wait: Second = 0  # seconds, the longest to wait for a quiet machine before each session
    repeat_if_disturbed: bool = False  # a step in place, else its session: up to ATTEMPTS of each
    until_decided: bool = False  # repeats are the most there are: it ends when more would tell nothing new
    time_limit: Second = 0  # seconds, of such a plan: no round begins that would pass it; 0: none
    # such a plan is judged by this (smaller differences do not count) and the next
    matters_pct: LimitPct = 2.0
    false_share_pct: LimitPct = 5.0  # of its differences, how many may be noise
    instruments: Name = PRESET  # one of INSTRUMENTS: what the servers measure of their waits
    load: list[DrivingTarget] = field(default_factory=list)  # where the clients run; none: beside the server
    load_address: Name = ""  # of the server's machine, as load targets reach it
    load_certificate: Name = ""  # SHA-256 of what the conductor shows there; another one for each start
    # what an event sends, by Lua file, as declared beside it: steps are checked by it, and do nothing else for it
    statements: dict[Name, list[dict[Name, Any]]] = field(default_factory=dict)
    loop_bytes: Count = 0  # of the file whose file system the data lie on, by the estimate
    time_box: Second = 0  # seconds after which the plan ends, wherever it is; 0: none

    @property
    def on_loop(self) -> bool:
        """Whether the data lie on a file system in a file, from the beginning of a session: power is cut."""
        return any(step.kind == POWER_CUT for step in self.steps)

    @property
    def work_key(self) -> str:
        """The key of the work, without names."""
        work = [
            [{**step_fields_to_hash(step), "cap_s": 0} for step in self.steps],  # how long settling may take
            sorted(self._texts_of_the_work()),
            self.tables,
            self.rows,
            self.transport,
            self._load_method_as_published,
            self.start,
            *([SLICES] if self.order == SLICES else []),
            *([self.instruments] if self.instruments != PRESET else []),
            *([sorted(each.machine_key for each in self.load)] if self.load else []),
        ]
        return digest(work)

    def _texts_of_the_work(self) -> list[str]:
        left_out = "workloads/" + START
        return [
            text for name, text in self.files.items() if name.startswith("workloads/") and name != left_out
        ]

    @property
    def hash(self) -> str:
        """The SHA-256 of the content: the same for the same plan pressed twice."""
        nameless = replace(self, id="", turns=[])
        steps = [step_fields_to_hash(step) for step in self.steps]
        contenders = [_content_of_contender(each) for each in self.contenders]
        method = self._load_method_as_published
        turns = [{**vars(turn), "session": ""} for turn in self.first_turns]
        turns = [{name: value for name, value in each.items() if name != "attempt"} for each in turns]
        parts = {"steps": steps, "contenders": contenders, "turns": turns, "load_method": method}
        silent = [
            name for name in _later(Plan, "others_pct") if getattr(self, name) == getattr(Plan, name, [])
        ]
        silent += UNHASHED
        content = {name: value for name, value in nameless.to_json().items() if name not in silent}
        return digest({**content, **parts})

    @property
    def _load_method_as_published(self) -> str:
        return _ORDERED_ONCE if self.load_method == "ordered" else self.load_method

    @property
    def started_contenders(self) -> list[Contender]:
        """Those whose servers Dyno starts, on the machine of the plan."""
        return [each for each in self.contenders if not each.is_existing]

    @property
    def first_turns(self) -> list[PlannedSession]:
        """The first attempt of each session: these are always carried out."""
        return [turn for turn in self.turns if turn.attempt == 1]

    def canary_of(self, contender: Contender) -> Contender | None:
        """What is measured before each session of a contender: a server that runs already itself."""
        if contender.is_existing:
            return contender if contender in self.canary else None
        return next((each for each in self.canary if not each.is_existing), None)

    def shares_server(self, contender: Contender) -> bool:
        """Whether others take turns with it on its server, in slices: what that counts is of all of them."""
        others = [place for each in self.contenders if each.name != contender.name for place in each.places]
        return self.order == SLICES and not {*others}.isdisjoint(contender.places)

    def can_repeat(self, index: int) -> bool:
        """Whether a step can run again in place: it only reads, and does not need cold caches."""
        step = self.steps[index]
        before = next((each for each in self.steps[:index][::-1] if not each.beside), Step("", ""))
        is_cold = before.kind in OUTAGES or step.restart_with != before.restart_with
        is_cold = is_cold or self.is_loaded_after(index - 1)
        return step.kind in QUERYING and not (step.writes or step.warm or is_cold or step.role)

    def conditions_until(self, index: int) -> list[Condition]:
        """The conditions of the loads up to a step, each load of several once."""
        loads = {each.workload: each.conditions for each in self.steps[: index + 1] if each.conditions}
        return [condition for conditions in loads.values() for condition in conditions]

    def is_loaded_after(self, index: int) -> bool:
        """Whether a load with conditions is over here, and measured steps follow: then these are asked."""
        rest = next((each for each in self.steps[index + 1 :] if not each.beside), None)
        latest = takewhile(lambda each: each.is_preparing, self.steps[index::-1] if index >= 0 else ())
        return rest is not None and not rest.is_preparing and any(each.conditions for each in latest)

    def is_loaded_anew_after(self, index: int) -> bool:
        """Whether the next step makes tables anew whose conditions could not be asked later."""
        rest = next((each for each in self.steps[index + 1 :] if not each.beside), None)
        before = {each.workload for each in self.steps[: index + 1] if each.conditions}
        return rest is not None and rest.workload in before and not rest.options.get("rows_before")

    @property
    def most_clients(self) -> int:
        """The largest number of client threads of any step, all of its roles together."""
        together = map(self.together, range(len(self.steps)))
        return max((sum(role.threads for role in roles) for roles in together), default=1)

    def rows_loaded_by(self, step: Step) -> int:
        """The rows that a load adds to the tables: all of the plan, or its part of them."""
        before = int(step.options.get("rows_before", 0))
        return self.tables * (int(step.options.get("table_size", self.rows)) - before)

    @property
    def snapshot_at(self) -> int:
        """The step that starts the server from a snapshot: those before it make the data. -1: there is none."""
        restarts = [index for index, step in enumerate(self.steps) if step.kind == "restart"]
        return restarts[0] if self.start == "snapshot" and restarts else -1

    @property
    def counts(self) -> bool:
        """Whether its servers run under valgrind, from the snapshot on."""
        return any(step.kind == COUNT for step in self.steps)

    def beside(self, index: int) -> list[int]:
        """The steps that are carried out together with this one: its other roles, and kinds of events."""
        last = index + 1
        while last < len(self.steps) and self.steps[last].beside:
            last += 1
        return list(range(index + 1, last))

    def other_roles(self, index: int) -> list[int]:
        return [at for at in self.beside(index) if not self.steps[at].event_kind]

    def together(self, index: int) -> list[Step]:
        """A step with its other roles; [] of one of those."""
        is_other = self.steps[index].beside
        return [] if is_other else [self.steps[at] for at in (index, *self.other_roles(index))]

    def roles(self, index: int) -> list[Step]:
        """The roles of a step or operation, the watched one first; [] of a step without."""
        return [each for each in self.together(index) if each.role]

    def writes(self, index: int) -> bool:
        """Whether a step, or another role of it, writes."""
        return any(step.writes for step in self.together(index))

    def declared_s(self, index: int) -> int:
        """The seconds that a step says: with its warm-up, and of roles those that it waits for."""
        roles = self.together(index)
        seconds = [role.seconds for role in ending_roles(roles)]
        return max(seconds, default=0) + sum(role.warmup for role in roles[:1])

    def set_rate(self, index: int) -> int:
        """The events a second that are asked of a step: its own rate, or that of the role it follows."""
        step = self.steps[index]
        if not step.follows:
            return step.sent_rate
        first = max(at for at in range(index + 1) if not self.steps[at].beside)
        return next(role.sent_rate for role in self.together(first) if role.role == step.follows)

    def contender_of(self, turn: PlannedSession) -> Contender:
        return self.contenders[turn.contender]

    def turn_of(self, session: str) -> PlannedSession:
        return next(turn for turn in self.turns if turn.session == session)

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON; do not change it, as it shares objects with the plan."""
        parts = {name: [_plain(each) for each in getattr(self, name)] for name in _PARTS}
        return {**vars(self), **parts}

    @classmethod
    def from_json(cls, data: Any) -> Plan:
        """Read a plan from any source; raises ValueError that names what is wrong."""
        try:
            plan = read(cls, data)
        except ShapeError as error:
            raise ValueError("plan: {}".format(error)) from None
        plan = replace(plan, load_method=load_method_of(plan.load_method))
        for turn in plan.turns:
            if not 0 <= turn.contender < len(plan.contenders):
                raise ValueError("plan: turn {} names no contender of it".format(turn.ordinal))
        for step in plan.steps:
            if step.kind not in STEP_KINDS:
                raise ValueError("plan: step {} has the unknown kind {}".format(step.name, step.kind))
        if plan.steps and plan.steps[0].beside:
            raise ValueError("plan: step {} is beside no other".format(plan.steps[0].name))
        there = min((len(each.replicas) for each in plan.contenders), default=0)
        for step in plan.steps:
            if step.on > there or (step.on and step.kind not in READING):
                raise ValueError("plan: step {} is on a replica that cannot take it".format(step.name))
        if any(each.is_replica and not each.replicas for each in plan.contenders):
            raise ValueError("plan: a contender is a replica without its address")
        alone = next((each.name for at, each in enumerate(plan.steps) if _lacks_roles(plan, at)), "")
        if alone:
            raise ValueError("plan: step {} is an operation without roles".format(alone))
        for roles in map(plan.together, range(len(plan.steps))):
            names = {"", *(each.role for each in roles)}
            lost = next((each.name for each in roles if each.follows not in names), "")
            if lost:
                raise ValueError("plan: step {} follows no role of its own".format(lost))
        return plan


def ending_roles(roles: list[Step]) -> list[Step]:
    """The roles that their step waits for; of a step without roles it itself."""
    return [role for role in roles if role.ends] or roles[:1]


def time_limit_s(roles: list[Step]) -> int:
    """The seconds after which a step that is driven should be over; 0: once its work is done."""
    first, seconds = roles[0], [role.seconds for role in ending_roles(roles)]
    if first.role and first.cap_s:
        return first.cap_s
    return max(seconds) + first.warmup if all(seconds) else 0


def _lacks_roles(plan: Plan, index: int) -> bool:
    step = plan.steps[index]
    must_have = step.is_operation or (step.kind in OPERATIONS and step.kind != "restart")
    return must_have and not (step.is_operation and plan.roles(index))


def step_fields_to_hash(step: Step) -> dict[str, Any]:
    """A step for keys and hashes: newer fields only if they have other values than the default."""
    untouched = Step(step.name, step.kind)
    silent = [name for name in LATER if getattr(step, name) == getattr(untouched, name)]
    return {name: value for name, value in _plain(step).items() if name not in silent}


def _plain(part: Any) -> dict[str, Any]:
    """A part of a plan as JSON; of a step with its conditions, of a contender with its replicas."""
    inner = {Step: "conditions", Contender: "replicas"}.get(type(part), "")
    return {**vars(part), **({inner: [dict(vars(each)) for each in getattr(part, inner)]} if inner else {})}


def _content_of_contender(contender: Contender) -> dict[str, Any]:
    later = _later(Contender, MEMORY[0])
    return {name: value for name, value in _plain(contender).items() if value or name not in later}


def keeps_rate(rate: float | None, unit: str, marks: Iterable[str]) -> bool:
    """Whether the result of a step is only the rate that the plan sets, as the clients kept it."""
    is_throughput = unit in (QPS_UNIT, ROWS_UNIT) or unit.endswith(PER_MINUTE)
    return bool(rate) and is_throughput and not {RATE_MISSED, LEVEL_MISSED} & {*marks}


def load_method_of(text: str) -> str:
    """The load method by its current name."""
    return "ordered" if text == _ORDERED_ONCE else text


def digest(content: Any) -> str:
    """The SHA-256 of a JSON value, whatever the order of its keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
