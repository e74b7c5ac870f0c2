"""What an agent says of its target, of a plan before its start, and of plans that it has; see reading.py."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from .reading import (
    NEEDED,
    PART,
    BuildName,
    Count,
    Few,
    Figure,
    Id,
    Moment,
    Name,
    Number,
    Processor,
    Sha,
    Text,
)

PASS, WARN, FAIL = "pass", "warn", "fail"  # states of a check
INFO = "info"  # nothing to do


@dataclass(frozen=True)
class Cpu:
    model: Name | None = None
    sockets: Count | None = None
    cores: Count | None = None
    threads: Few | None = None


@dataclass(frozen=True)
class Disk:
    """The disk of Dyno's directory."""

    path: Text | None = None
    device: Name | None = None
    disks: list[Name] = field(default_factory=list)
    model: Name | None = None
    kind: Name | None = None
    filesystem: Name | None = None
    mount_options: Text | None = None
    scheduler: Name | None = None
    free_bytes: Count | None = None
    total_bytes: Count | None = None


@dataclass(frozen=True)
class OtherActiveAgent:
    """Another agent that runs a plan on the machine."""

    pid: Count | None = None
    directory: Text = ""
    plan: Name = ""  # its name, where that can be read

    @property
    def which(self) -> str:
        return "the plan {}".format(self.plan) if self.plan else "another plan"

    @property
    def where(self) -> str:
        return "in {} (process {})".format(self.directory, self.pid)

    def __str__(self) -> str:
        return "{} is running on this machine, {}".format(self.which, self.where)


@dataclass(frozen=True)
class Machine:
    """In a survey, and as a fact of each session; what a machine does not tell is None."""

    hostname: Name | None = None
    machine_id: Name | None = None
    cpu: Cpu | None = None
    topology: list[list[list[Processor]]] = field(default_factory=list)
    governor: Name | None = None
    turbo: bool | None = None
    memory_bytes: Count | None = None
    memory_available_bytes: Count | None = None
    swap_bytes: Count | None = None
    kernel: Name | None = None
    distribution: Name | None = None
    huge_pages: Name | None = None
    swappiness: Count | None = None
    load: list[Number] = field(default_factory=list)
    disk: Disk | None = None
    agents: list[OtherActiveAgent] = field(default_factory=list)
    kill_user_processes: bool | None = None
    user: Name | None = None
    open_files: Count | None = None
    is_root: bool = False
    clock_utc: Moment | None = None
    python: Name | None = None
    python_path: Text | None = None
    sysbench: Name | None = None
    sysbench_path: Text | None = None


@dataclass(frozen=True)
class Build:
    """An installed server, as a survey finds it."""

    name: BuildName
    base: Text
    server: Text
    family: Name | None = None
    version: Name | None = None
    version_text: Text | None = None
    engines: list[Name] = field(default_factory=list)
    other_engines: dict[Name, Text] = field(default_factory=dict)  # without facts: its plugin, by engine
    lacking: dict[Name, Text] = field(default_factory=dict)  # why an engine is not there, by engine
    plugin_dir: Text | None = None
    problem: Text | None = None  # why it cannot start
    script: bool = False
    binary: Text | None = None
    fingerprint: Name | None = None
    environment: dict[Name, Text] = field(default_factory=dict)
    notes: dict[Name, Text] | None = None
    installed: bool = False  # by Dyno

    def has(self, *engines: str) -> bool:
        """Whether it can start, and has these engines."""
        there = {*(each.lower() for each in self.engines), *self.other_engines}
        return not self.problem and there.issuperset(engines)


@dataclass(frozen=True)
class DataSnapshot:
    """A data set that is kept; what it does not say of itself is None."""

    key: Name
    problem: Text = ""  # why it cannot be used
    made_at: Moment | None = None
    session: Name | None = None
    size_bytes: Count | None = None
    contender: dict[Name, object] | None = None
    tables: Count | None = None
    rows: Count | None = None
    load_method: Name | None = None


@dataclass(frozen=True)
class Survey(Machine):
    """A target: its machine, what is installed there, what would spoil a measurement."""

    cpu: Cpu = field(default_factory=Cpu, metadata=NEEDED)
    builds: list[Build] = field(default_factory=list, metadata=NEEDED)
    warnings: list[Text] = field(default_factory=list, metadata=NEEDED)
    allocators: dict[Name, Text] | None = None  # None, of this and the next two: an older survey, not known
    numactl: Text | None = None
    memory_limit_problem: Text | None = None
    valgrind: Text | None = None  # its version; empty: it is not installed; None: an older survey
    snapshots: list[DataSnapshot] = field(default_factory=list)
    power_cut_problem: Text | None = None  # why steps of kind power-cut cannot be; None: an older survey
    clock_ahead_s: Number | None = None  # of the desktop's, which finds it; no more than is certain


@dataclass(frozen=True)
class OptionReply:
    """A build's answer about one option."""

    state: Name
    option: Text
    text: Text


@dataclass(frozen=True)
class Check:
    """A check before a start, and what to do unless it passes."""

    name: Name
    state: Name
    text: Text
    todo: Text = ""
    contender: Name = ""
    answers: tuple[OptionReply, ...] = ()


@dataclass(frozen=True)
class SessionJournalSize:
    """A session of a plan, and how long its journal is."""

    session: Id
    size: Count
    ended: bool


@dataclass(frozen=True)
class PlanOnTarget:
    """A plan on a target, and the agent file that started it."""

    plan: Id
    name: Name
    agent: Sha
    locked: bool  # it is being carried out
    sessions: list[SessionJournalSize]
    until_decided: bool = False  # some of its sessions may not be needed


@dataclass(frozen=True)
class Checks:
    checks: list[Check]


@dataclass(frozen=True)
class BuildOptionNames:
    """The names of all options that each build knows, by its server program."""

    options: dict[Text, list[Name]]


@dataclass(frozen=True)
class RehearsalResult:
    """The result of starting one contender once, with its settings in force."""

    checks: list[Check]
    variables: dict[Name, Text] = field(default_factory=dict)  # empty: it did not start
    compression: Text = ""  # of its tables, in the words of the engine
    waits_for: Text = ""  # it did not begin, because of this rehearsal of another plan
    allocator: Text = ""  # the file that malloc comes from, or `system`; empty: not known


@dataclass(frozen=True)
class Plans:
    plans: list[PlanOnTarget]


@dataclass(frozen=True)
class Snapshots:
    snapshots: list[DataSnapshot]


@dataclass(frozen=True)
class Installed:
    build: Build


@dataclass(frozen=True)
class EmptyAnswer:
    """An answer without content."""


@dataclass(frozen=True)
class ReceivedBytesAnswer:
    received: Count


@dataclass(frozen=True)
class RemovalAnswer:
    removed: list[Text]
    left: list[Text] = field(default_factory=list)  # what is not gone, why, and what to do


@dataclass(frozen=True)
class StartedPlan:
    """A plan, and the process that carries it out."""

    plan: Id
    pid: Count = 0
    sessions: list[Id] = field(default_factory=list)
    port: Count = 0  # that its load targets dial; 0: it has none


@dataclass(frozen=True)
class LoadTargetAdmission:
    """How the agent beside the server lets load targets in: asked for with `start` and `listen`."""

    address: Name
    port: Count  # 0: any
    certificate: Text
    key: Text = field(repr=False)
    admitted: list[Name] = field(default_factory=list)  # `admission` of each load target
    names: list[Name] = field(default_factory=list)  # of the load targets, for a trial


@dataclass(frozen=True)
class StartRequest:
    """What `start` needs beside the plan, and no file may hold."""

    admission: LoadTargetAdmission | None = field(default=None, metadata=PART)  # of a plan with load targets
    passwords: dict[Name, Name] = field(default_factory=dict, repr=False)  # of servers, by contender


@dataclass(frozen=True)
class ServerAddress:
    """A server that runs already, and the account: asked with `reach-server`."""

    host: Name
    port: Count
    schema: Name
    user: Name
    certificate: Name = ""  # without one and with TLS: only the certificate is asked for
    tls: bool = True  # False: plain text, as a person has asked for
    settings: list[Name] = field(default_factory=list)  # variables that belong to the contender
    password: Name = field(default="", repr=False)
    is_replica: bool = False  # of another one: it may be read only, and its schema is that of its primary


@dataclass(frozen=True)
class ExistingServer:
    """What a server that runs already shows to its account."""

    certificate: Name = ""  # its SHA-256; '': it offers no TLS
    tls: Name = ""  # the version of TLS; '': plain text
    family: Name = ""  # '': nobody has logged in, as the certificate is not accepted yet
    version: Name = ""
    comment: Text = ""  # what it says of itself
    engines: list[Name] = field(default_factory=list)
    default_engine: Name = ""
    schema_state: Text = ""  # why its schema may not be used; '': it is empty or Dyno's
    problems: list[Text] = field(default_factory=list)  # without which nothing can be measured
    notes: list[Text] = field(default_factory=list)  # what cannot be known of it
    rtt_ms: Figure | None = None  # of SELECT 1
    settings: dict[Name, Text] = field(default_factory=dict)  # those asked for
    called: Name = ""  # how it calls itself: host, port and id; '': several do, or none


@dataclass(frozen=True)
class TrialPort:
    """A conductor that waits for trials."""

    port: Count


@dataclass(frozen=True)
class ConductorAddress:
    """How a load target reaches the conductor of a plan: asked for with `drive` and `try-load`."""

    name: Name  # of the load target
    address: Name
    port: Count
    fingerprint: Name  # SHA-256 of the certificate that it must show
    token: Name = field(repr=False)


@dataclass(frozen=True)
class LoadLinkTrial:
    """What a load target measured to the conductor."""

    rtt_ms: Number
    mbit: Number  # per second, from the server's machine


@dataclass(frozen=True)
class DirectoryStatus:
    locked: bool
    plan: Name | None
    pid: Number | None
    taken: Text = ""  # why no plan can start in this directory now; a rehearsal is over soon
    elsewhere: Text = ""  # a plan in another directory of the machine


@dataclass(frozen=True)
class QueuedPlan:
    """A plan that waits for its turn on a target."""

    plan: Id
    name: Name
    sha256: Name  # of its bytes
    agent: Sha  # the agent file that was sent with it
    sessions: Few
    at: Moment | None = None  # it begins no sooner, by the clock of the target
    held: Text = ""  # why it waits for a person; '': it does not


@dataclass(frozen=True)
class Queue:
    """The plans that wait on a target, in their order; the target keeps the first two fields."""

    plans: list[QueuedPlan]
    held: Text = ""  # why none of them begins; '': they do
    at_work: Text = ""  # what is done there meanwhile
    now: Moment = 0.0  # by the clock of the target
    waits_for: Text = ""  # the plan of another directory that keeps the next one waiting

    def next_plan(self, now: float) -> QueuedPlan | None:
        """The first that is neither held nor to begin later."""
        if self.held:
            return None
        return next((each for each in self.plans if not each.held and (each.at or 0) <= now), None)

    @property
    def goes_on(self) -> bool:
        """Whether a plan begins by itself, now or later."""
        return not self.held and not all(each.held for each in self.plans)


ADD, MOVE, HOLD, CONTINUE, REMOVE = "add", "move", "hold", "continue", "remove"


@dataclass(frozen=True)
class QueueChange:
    """A change of a queue; empty to only list it."""

    do: Name = ""
    plan: Name = ""  # its id; to add one the SHA-256 of its bytes; '', to hold or continue: the whole queue
    place: Few = 1  # to move one there; the first is 1
    in_s: Number | None = None  # to add one that begins no sooner than that many seconds from now


@dataclass(frozen=True)
class AgentPushAnswer:
    """`python`: it is too old for an agent; else both others are there."""

    directory: Text | None = None
    there: bool = False
    python: Name | None = None


def to_json(answer: Any) -> dict[str, Any]:
    """JSON as stored and shown to scripts."""
    return asdict(answer)
