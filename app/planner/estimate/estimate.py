"""How long a plan takes and what disk it needs: declared seconds exactly, the rest from stated guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.units import bytes_text, count_text, seconds_text
from app.engines import engine_of
from app.engines.engine import MIB
from app.engines.server import SYSTEM_BYTES, UNDO_BYTES, redo_bytes
from app.history.machines.measured import MachineHistory
from app.planner.request.slicing import SLICE_S, SWITCH_S, servers_at_once
from app.planner.resolve.sizes import (
    BINLOG_BYTES,
    SORT_BYTES,
    TEXT_SORT_BYTES,
    cache_bytes,
    is_mariadb,
    writes_binary_log,
)
from app.planner.resolve.valgrind import contenders_in_force
from app.protocol.answers import Survey
from app.protocol.plan import ATTEMPTS, LIMIT, PREPARING, SLICES, Contender, Plan, PlannedSession, Step
from app.stats.at_target.verdicts import LEAST, LEAST_COUNTED
from app.stats.between import ASSUMED
from app.stats.planning import least_difference
from app.variables import option_values
from app.variables.variables import Values

from .guesses import (
    CORE_RATE,
    DISK_RATE,
    STATEMENT_RATE,
    WRITE_RATE,
    StatementEstimator,
    roles_with_bounds,
    steps_left_out,
    workloads_of,
)
from .learned import LearnedDurations, past_build_defaults

TRIES, TRY_S = 15, 6  # of a search for a limit on a fast server, and seconds of one
UNDO_S = 120  # purge frees undo after about this time
UNKNOWN = MachineHistory()
COUNTS_FIND = f"find a difference of {LEAST_COUNTED:.1%}, if they agree"  # starts of a server
# that a file system in a file has more than is estimated: its size is fixed, and it has a log
LOOP_BYTES, LOOP_SHARE = 512 << 20, 4
SAMPLE_BYTES, STEP_BYTES, SESSION_BYTES = 700, 60_000, 400_000  # of a journal


@dataclass(frozen=True)
class ContenderSize:
    """Data of one contender, and where it fits."""

    contender: str
    data_bytes: int
    cache_bytes: int
    memory_bytes: int  # of the target, its share of that, or its limit
    session_bytes: int  # the most that is on the disk while its session is active
    parts: dict[str, int]

    @property
    def certain_bytes(self) -> int:
        """Bytes after the load."""
        return self.data_bytes + self.parts["redo"] + self.parts["system"]


@dataclass(frozen=True)
class PlanEstimate:
    """Time and disk of a whole plan."""

    seconds: float
    declared_s: int  # of it, exactly as the steps say
    guessed_s: float
    fewest_s: float  # that its fewest rounds take, where it ends when it is decided; 0: it takes all
    searching_s: float  # the most that searches for a limit may end sooner; 0: there are none
    time_limit: int  # no round begins that would take it longer; 0: none
    repeating_s: float  # most extra time if others disturb it
    disk_bytes: int  # the sessions that are active at the same time, and what is kept
    at_once: int  # sessions that are active at the same time
    kept_bytes: int
    snapshot_bytes: int  # of it, data sets that are kept
    contenders: list[ContenderSize]  # without servers that run already, whose data lie elsewhere
    assumptions: list[str]
    noise: float | None  # between sessions of equals there; None: not known
    noise_of: str  # what tells it, in words
    least: float | None  # difference found in one cell four times in five; None: none, or not known
    least_text: str  # in words what the self test found, else the same; '' if nothing is judged
    defaults: Mapping[str, Values]  # of builds that had sessions there, by fingerprint
    canary_s: float = 0.0  # of the whole

    @property
    def time_text(self) -> str:
        """`4 min`, or `2 min to 4 min`."""
        longest, shortest_s = seconds_text(self.longest_s), self._shortest_s
        is_range = 0 < shortest_s < self.longest_s
        return f"{seconds_text(shortest_s)} to {longest}" if is_range else longest

    @property
    def _shortest_s(self) -> float:
        """Seconds of the fewest rounds with short searches; 0: it takes all."""
        if not self.searching_s:
            return self.fewest_s
        return (self.fewest_s or self.seconds) * (1 - self.searching_s / self.seconds)

    @property
    def longest_s(self) -> float:
        """Seconds of all rounds, or of those within the time limit: at least one."""
        return (
            min(self.seconds, max(self.time_limit, self.fewest_s / LEAST))
            if self.time_limit
            else self.seconds
        )

    @property
    def seconds_text(self) -> str:
        whole = "all repeats: " if self.longest_s < self.seconds else ""
        text = (
            f"{whole}{self.declared_s} s as declared, about {self.guessed_s:.0f} s for {self.assumptions[0]}"
        )
        text += f"; {self.canary_s:.0f} s for the canary before each session" if self.canary_s else ""
        return f"{text}; {self.repeating_text}" if self.repeating_s else text

    @property
    def repeating_text(self) -> str:
        """The extra time of repeats in words; '' if the plan does not repeat."""
        longest = seconds_text(self.seconds + self.repeating_s)
        return f"up to {longest} if others disturb all of it" if self.repeating_s else ""

    @property
    def disk_text(self) -> str:
        if not self.contenders:
            return f"{bytes_text(self.kept_bytes)} of journals stay; the data lie on the servers"
        largest = max(self.contenders, key=lambda each: each.session_bytes)
        parts = ", ".join(f"{name} {bytes_text(size)}" for name, size in largest.parts.items() if size >= MIB)
        kept = f"{bytes_text(self.kept_bytes)} of journals stay"
        if self.snapshot_bytes:
            kept += f", and {bytes_text(self.snapshot_bytes)} of snapshots"
        together = f"{self.at_once} sessions at once, the " if self.at_once > 1 else ""
        text = f"{together}largest session: {largest.contender}: {parts}"
        return f"{text}; its data is deleted when it ends, {kept}"


def count_compared_cells(plan: Plan) -> int:
    """The number of cells that are compared with the base."""
    return sum(step.is_judged for step in plan.steps) * (len(plan.contenders) - 1)


def difference_text(share: float) -> str:
    """`3.0%`, `a factor of 2.2`."""
    return f"{share:.1%}" if share < 1 else f"a factor of {1 + share:.1f}"


def has_enough_repeats(plan: Plan) -> bool:
    """Whether its repeats are enough for a verdict."""
    return count_compared_cells(plan) > 0 and plan.repeats >= LEAST


def _least(plan: Plan, noise: float | None) -> float | None:
    """The smallest difference that the repeats find; `noise`: between sessions of equals."""
    if noise is None or not has_enough_repeats(plan):
        return None
    between = ASSUMED if plan.order == "grouped" else 0.0
    return least_difference(plan.repeats, count_compared_cells(plan), noise, between=between)


def _least_text(plan: Plan, least: float | None, self_test: str) -> str:
    """What was found is shown in place of what is computed."""
    if plan.counts:
        judges = plan.repeats > 1 and count_compared_cells(plan)
        return f"{count_text(plan.repeats, 'start')} {COUNTS_FIND}" if judges else ""
    if not has_enough_repeats(plan):
        return ""
    if self_test:
        return self_test
    if least is None:
        return "which differences it finds is not known here yet"
    return f"finds differences from {difference_text(least)} on, four times in five"


def _noise(plan: Plan, known: MachineHistory, learned: LearnedDurations) -> tuple[float | None, str]:
    """How much sessions vary on the target, and what tells it: its own sessions, else its calibration.

    Of servers that run already a calibration tells nothing.
    """
    own = f"as its last {count_text(learned.sessions, 'session')} did"
    if plan.order == SLICES and (found := learned.noise(in_slices=True)):
        return found.deviation, own
    smaller = "; servers that take turns may find smaller ones" if plan.order == SLICES else ""
    if found := learned.noise(in_slices=False):
        return found.deviation, own + smaller
    if _has_existing(plan):
        return None, ""
    return known.noise, "as its calibration says" + smaller


def _has_existing(plan: Plan) -> bool:
    return len(plan.started_contenders) < len(plan.contenders)


def estimate(plan: Plan, survey: Survey, known: MachineHistory = UNKNOWN) -> PlanEstimate:
    """Time, disk and detectable difference of a plan on the target of the survey."""
    work = StatementEstimator(workloads_of(plan), (survey.cpu.threads or 1) * CORE_RATE)
    learned = LearnedDurations(known.sessions, work.most_rate, _has_existing(plan))
    turns = plan.first_turns
    declared_each = sum(map(plan.declared_s, range(len(plan.steps)))) + plan.pause
    declared = declared_each * len(turns)
    guessed_each = [_guessed_s(plan, turn, work, learned) for turn in turns]
    guessed = sum(guessed_each)
    started = [each for each in contenders_in_force(plan) if not each.is_existing]
    sizes = [contender_size(plan, each, survey, work) for each in started]
    kept = _kept_bytes(plan, declared + guessed)
    snapshots = sum(each.certain_bytes for each in sizes) if plan.snapshot_at >= 0 else 0
    at_once = servers_at_once(plan)
    on_disk = [each.session_bytes for each in sizes] or [0]
    noise, noise_of = _noise(plan, known, learned)
    least = _least(plan, noise)
    return PlanEstimate(
        seconds=declared + guessed,
        declared_s=declared,
        guessed_s=guessed,
        fewest_s=sum(
            declared_each + seconds
            for turn, seconds in zip(turns, guessed_each, strict=True)
            if plan.until_decided and turn.repeat <= LEAST
        ),
        searching_s=sum(_spared_s(step) for step in plan.steps) * len(turns),
        time_limit=plan.time_limit,
        repeating_s=_repeating_s(plan, declared + guessed, work, learned)
        if plan.repeat_if_disturbed
        else 0.0,
        disk_bytes=(sum if at_once > 1 else max)(on_disk) + kept + snapshots,
        at_once=at_once,
        kept_bytes=kept,
        snapshot_bytes=snapshots,
        contenders=sizes,
        assumptions=_assumptions(plan, work, learned),
        noise=noise,
        noise_of=noise_of,
        least=least,
        least_text=_least_text(plan, least, "" if _has_existing(plan) else known.self_test),
        defaults=past_build_defaults(known.sessions),
    )


def _assumptions(plan: Plan, work: StatementEstimator, learned: LearnedDurations) -> list[str]:
    asks = ", settling and conditions" if plan.conditions_until(len(plan.steps)) else " and settling"
    slices = f"; changing servers (supposed: {SWITCH_S} s a turn of {SLICE_S} s)"
    return [
        f"server, load, index{asks} ({_origin(plan, work, learned)})"
        + (slices if plan.order == SLICES else "")
        + ("; searches for a limit, at most" if any(step.kind == LIMIT for step in plan.steps) else ""),
        f"steps bounded by events: {STATEMENT_RATE:,} statements/s a thread",
        f"growth by writes: {BINLOG_BYTES} bytes of binary log and {UNDO_BYTES} of undo a statement, "
        "with the bytes of its further rows, "
        f"at most {WRITE_RATE:,} statements/s a thread and {work.most_rate:,} in all",
    ]


def _origin(plan: Plan, work: StatementEstimator, learned: LearnedDurations) -> str:
    """Where the times of load and index come from."""
    engines = {each.engine: each for each in plan.contenders if not learned.knows(each, "load")}
    loads = [step for step in plan.steps if step.kind == "load"][:1]
    found = ((engine, work.thread_rate(step, engine)) for step in loads for engine in engines)
    rates = ", ".join(f"{engine} {rate / 1000:.0f}k" for engine, rate in found)
    known = f"by {count_text(learned.sessions, 'earlier session')} here" if learned.sessions else ""
    guessed = f"guessed: {rates} rows/s a thread, {bytes_text(DISK_RATE)}/s" if engines else ""
    return "; ".join(filter(None, (known, guessed)))


def _guessed_s(
    plan: Plan, turn: PlannedSession, work: StatementEstimator, learned: LearnedDurations
) -> float:
    """Guessed seconds; the first session of a contender loads, even if a snapshot may exist."""
    left_out, contender = steps_left_out(plan, turn), plan.contender_of(turn)
    # the server of a later one is made by the step that starts from the snapshot
    server = 0 if left_out else learned.outside_s(plan, contender)
    return server + sum(learned.steps_s(plan, contender, work)[left_out:])


def _spared_s(step: Step) -> float:
    """The most that a search may end sooner than its time limit: with short tries."""
    shortest_s = step.seconds + step.warmup + TRIES * (TRY_S + step.warmup)
    return max(0.0, step.cap_s - shortest_s) if step.kind == LIMIT else 0.0


def _repeating_s(plan: Plan, seconds: float, work: StatementEstimator, learned: LearnedDurations) -> float:
    """Seconds if every session and every repeatable step runs three times."""
    in_place = [index for index in range(len(plan.steps)) if plan.can_repeat(index)]
    declared = sum(map(plan.declared_s, in_place))
    guessed = 0.0
    for turn in plan.first_turns:
        each_s = learned.steps_s(plan, plan.contender_of(turn), work)
        guessed += sum(each_s[index] for index in in_place)
    steps = declared * len(plan.first_turns) + guessed
    return (ATTEMPTS - 1) * (seconds + ATTEMPTS * steps)


def contender_size(
    plan: Plan, contender: Contender, survey: Survey, work: StatementEstimator
) -> ContenderSize:
    """Disk of a session of a contender, by part."""
    engine, values = engine_of(contender.engine), option_values(contender.cnf)
    row, rows = work.row_bytes(contender), plan.tables * plan.rows
    together = [roles_with_bounds(plan, at, work) for at in range(len(plan.steps))]
    added = sum(work.changed_rows(step) for roles in together for step in roles if work.grows(step))
    writing = [[step for step in roles if step.writes and step.kind not in PREPARING] for roles in together]
    logged = [rows * row, *(_written_bytes(steps, BINLOG_BYTES, row, work) for steps in writing)]
    memory = (survey.memory_bytes or 0) // servers_at_once(plan)
    undo = [_written_bytes(steps, engine.undo_bytes, row, work, UNDO_S) for steps in writing]
    parts = {
        "tables": int((rows + added) * row),
        "redo": redo_bytes(values, contender.family, contender.version) + engine.own_bytes,
        "undo": int(max(undo, default=0)) if engine.undo_bytes else 0,
        "temporary": _temporary_bytes(plan, contender, rows, row),
        "binary log": int(max(logged)) if writes_binary_log(contender) else 0,  # emptied around each step
        "system": SYSTEM_BYTES["mariadb" if is_mariadb(contender) else "mysql"],
    }
    if any(step.kind == "backup" for step in plan.steps):
        # it and a server of its own on it: of a dump its tables, and its binary log, are there too
        restored = parts["tables"] if parts["binary log"] else 0
        parts["backup"] = 2 * parts["tables"] + parts["redo"] + parts["system"] + restored
    if plan.on_loop:
        parts["room"] = LOOP_BYTES + sum(parts.values()) // LOOP_SHARE
        parts["room"] += -sum(parts.values()) % MIB
    return ContenderSize(
        contender=contender.name,
        data_bytes=int(rows * row),
        cache_bytes=cache_bytes(contender),
        memory_bytes=min(filter(None, (memory, contender.memory_limit)), default=0),
        session_bytes=sum(parts.values()),
        parts=parts,
    )


def _written_bytes(
    steps: Sequence[Step], of_one: int, row: float, work: StatementEstimator, within_s: int = 0
) -> float:
    """Bytes that statements leave in a log, with the rows beyond the first of each."""
    statements = sum(work.statements(step, within_s) for step in steps)
    rows = sum(work.changed_rows(step, within_s) for step in steps)
    return statements * of_one + (rows - statements) * row


def _temporary_bytes(plan: Plan, contender: Contender, rows: int, row: float) -> int:
    """Bytes of temporary files of an index build; some engines copy the whole table."""
    if any(step.kind == "text-index" for step in plan.steps):
        return rows * TEXT_SORT_BYTES
    copies = engine_of(contender.engine).rewrites or any(step.kind == "ddl" for step in plan.steps)
    return int(rows * row) if copies else rows * SORT_BYTES


def _kept_bytes(plan: Plan, seconds: float) -> int:
    each = SESSION_BYTES + len(plan.steps) * STEP_BYTES
    return int(seconds * SAMPLE_BYTES) + len(plan.first_turns) * each
