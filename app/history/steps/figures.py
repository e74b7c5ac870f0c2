"""What is kept of one session: its steps and their figures, series, facts and remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.engines.panel import FACT
from app.history.lists.sessions import SessionEntry, find, sessions, state_of
from app.history.recorded.counting import RecountedStep, stored_step_counts
from app.history.store.damage import read_json, unpack_json
from app.history.store.history import History
from app.protocol.checked.facts import is_oversize_fact
from app.protocol.plan import Plan, step_label
from app.protocol.stacks import COUNTERS, STACKS
from app.protocol.states import GOING_ON, GONE, UNREACHED
from app.protocol.thread_states import COSTS, STATES, client_time_figure, consistent_client_costs
from app.stats.at_target.steady import UNSTEADY

from .conditions import FACT as CONDITIONS
from .event_kinds import KindEntry, kinds_of_session
from .marks_of_work import OTHER_WORK, marks_by_current_rules
from .operations import operations_of_session
from .rates import rate_outcomes_by_step
from .remarks import remarks, was_busy
from .settled import SettleEntry, settle_results
from .soaks import SoakEntry, soaks_of_session
from .step_rows import StoredStepRow, step_rows
from .step_waits import waits_of_session
from .thread_states import thread_states

PER_QUERY = (*COSTS, *COUNTERS, *map(client_time_figure, STATES))


class SteadinessEntry(TypedDict):
    word: str  # steady, unsteady, too short to tell
    text: str  # why


class StepCutEntry(TypedDict):
    """A cut; the result is of its seconds, costs stay those of the whole step."""

    first_s: int
    last_s: int
    seconds: int  # that were measured
    reason: str
    whole: float  # the figure of all of them
    has_latency: bool  # whether latencies are of its seconds too: their buckets are stored


class StepEntry(TypedDict):
    """A step as `session show --json` gives it; what was not measured is null."""

    name: str
    kind: str
    workload: str
    group: str
    coordinates: dict[str, Any]
    state: str
    reason: str
    unit: str
    value: float | None
    queries: float | None
    seconds: float | None
    latency_ms: dict[str, float | None]
    errors: float | None
    size_bytes: float | None  # of all that is in the data directory
    data_bytes: float | None  # of tables and indexes
    rows: float | None
    per_query: dict[str, float | None]
    engine_figures: dict[str, float]  # by the name of a figure of the engine's panel
    warm: bool
    marks: list[str]
    others: dict[str, Any]  # `Others`, as the agent wrote it; empty where it did not look
    progress: dict[str, Any] | None
    latency_per: str  # what one latency is of
    # of the load, and of the last step of a run of writes: the settle step behind
    settled: SettleEntry | None
    steadiness: SteadinessEntry | None  # of a step that is driven for a time
    cut: StepCutEntry | None  # where a person cut it
    schedule: dict[str, Any] | None  # `Schedule` of a step that could not keep its rate
    limit: dict[str, Any] | None  # `Limit` of a step that searched for one
    load: dict[str, Any] | None  # `Load` of a step that load targets drove
    existing: dict[str, Any] | None  # `ExistingServerStep` of a step on a server that runs already
    max_block_deviation: float | None  # of blocks of its seconds from their median, as a share of it
    soak: SoakEntry | None  # of a timed step of a minute or more
    of_kind: KindEntry | None  # of a kind of events
    operation: dict[str, Any] | None  # `OperationResult` of a kill, a power cut and the like


class StepWithThreadStates(StepEntry):
    """A step with what the threads of the server did; `ThreadStates`, empty where nobody looked."""

    threads: dict[str, Any]


class ExplainEntry(TypedDict):
    """How the server executes a typical statement of a step."""

    step: str  # with its coordinates
    statement: str
    rows: list[dict[str, Any]]  # as EXPLAIN answered


class RunningServerEntry(TypedDict):
    """The server of a session that ran already: Dyno neither started nor ended it."""

    host: str
    port: int
    schema: str
    user: str
    tls: bool
    max_queries: int  # a second; 0: any
    is_replica: bool  # its first replica takes all that reads; the others of these are of its primary
    replicas: list[dict[str, Any]]  # `Replica`


class SessionDetails(SessionEntry):
    """A session with its steps, notes and log."""

    server: RunningServerEntry | None  # None: Dyno started it
    steps: list[StepWithThreadStates]
    notes: list[dict[str, Any]]
    events: list[dict[str, Any]]
    explains: list[ExplainEntry]
    waits: list[dict[str, Any]]  # waits and statements of each step that has any
    start_state: dict[str, Any] | None  # where its data came from, and how its server was started
    conditions: list[dict[str, Any]]  # facts: the conditions of consistency, each time they were asked
    memory: dict[str, Any] | None  # allocator, NUMA policy and limit of its server, as they were in force
    allow_busy: bool  # it was allowed to begin while another plan measured
    busy: bool  # it did
    attempt: int  # of its repeat: later ones follow disturbed ones


def session_details(history: History, reference: str) -> SessionDetails:
    """Everything about a session but its seconds."""
    id_ = find(history, reference)
    with history.reading():
        entry, plan = sessions(history, ids=[id_])[0], plan_of(history, id_)
        threads = thread_states(history, id_)
        shown: SessionDetails = {
            **entry,
            "server": running_server(plan, id_),
            "steps": [
                {**step, "threads": threads.get(at, {})} for at, step in enumerate(steps(history, id_))
            ],
            "notes": notes(history, id_),
            "events": _events(history, id_),
            "explains": explains(history, id_),
            "waits": [each.to_json() for each in waits_of_session(history, id_)],
            "start_state": latest_fact(history, id_, "start_state"),
            "conditions": facts(history, id_, CONDITIONS),
            "memory": latest_fact(history, id_, "memory"),
            "allow_busy": bool(plan.get("allow_busy")),
            "busy": was_busy(history, id_),
            "attempt": next(each.get("attempt", 1) for each in plan["turns"] if each["session"] == id_),
        }
    return shown


def running_server(plan: Mapping[str, Any], session: str) -> RunningServerEntry | None:
    """The server of a session that ran already; None if Dyno started it."""
    contender = contender_in(plan, session)
    return existing_server(contender) if contender.get("host") else None


def existing_server(contender: Mapping[str, Any]) -> RunningServerEntry:
    """The same of a contender that is one."""
    return {
        "host": contender["host"],
        "port": contender["port"],
        "schema": contender["schema"],
        "user": contender["user"],
        "tls": bool(contender["certificate"]),
        "max_queries": contender["max_queries"],
        "is_replica": bool(contender.get("is_replica")),
        "replicas": [dict(each) for each in contender.get("replicas", ())],
    }


def contender_in(plan: Mapping[str, Any], session: str) -> dict[str, Any]:
    """The contender of a session, from its plan as it was sent."""
    turn = next(turn for turn in plan["turns"] if turn["session"] == session)
    found: dict[str, Any] = plan["contenders"][turn["contender"]]
    return found


def steps(history: History, session: str) -> list[StepEntry]:
    """The steps in the order of the plan; if the session is over, all of them are."""
    state = state_of(history, session)
    settled, counts = settle_results(history, session), stored_step_counts(history, session)
    of_engine, loads, existing = (
        {fact["when"]: fact["value"] for fact in facts(history, session, name)}
        for name in (FACT, "load", "existing")
    )
    rates, soaks = rate_outcomes_by_step(history, session), soaks_of_session(history, session, counts)
    ways = (loads, existing)
    found = [
        _step(
            row,
            state,
            settled.get(at),
            counts.get(at),
            of_engine,
            ways,
            rates.get(at, {}),
            soaks.get(at),
        )
        for row in step_rows(history, session)
        for at in [row.position]
    ]
    for position, said in operations_of_session(history, session).items():
        found[position]["operation"] = said
    for position, kind in kinds_of_session(history, session).items():
        found[position]["of_kind"] = kind
    return _with_marks_of_today(history, session, found)


def _with_marks_of_today(history: History, session: str, found: list[StepEntry]) -> list[StepEntry]:
    if not any(OTHER_WORK in step["marks"] for step in found):
        return found
    work, plans = (
        {fact["when"]: fact["value"] for fact in facts(history, session, name)} for name in ("work", "plans")
    )
    for step in found:
        label = step_label(step["name"], step["coordinates"])
        step["marks"] = marks_by_current_rules(step["marks"], work.get(label, {}), plans.get(label, []))
    return found


def _step(
    row: StoredStepRow,
    session: str,
    settled: SettleEntry | None,
    counts: RecountedStep | None,
    of_engine: Mapping[str, dict[str, float]],
    ways: tuple[Mapping[str, dict[str, Any]], Mapping[str, dict[str, Any]]],
    rates: dict[str, Any],
    soak: SoakEntry | None,
) -> StepEntry:
    state, reason = _ended(row.state, row.reason, session)
    whole, coordinates = row.value, read_json(row.coordinates)
    costs = consistent_client_costs(
        read_json(row.per_query), row.queries, row.seconds, coordinates.get("threads", 1)
    )
    return {
        "name": row.name,
        "kind": row.kind,
        "workload": row.workload,
        "group": row.group,
        "coordinates": coordinates,
        "state": state,
        "reason": reason,
        "unit": row.unit,
        "value": _figure(whole, counts) if state == "completed" else None,
        "queries": _whole(row.queries),
        "seconds": row.seconds,
        "latency_ms": dict(
            zip(("p50", "p95", "p99"), _latency((row.p50_ms, row.p95_ms, row.p99_ms), counts), strict=True)
        ),
        "errors": _whole(row.errors),
        "size_bytes": _whole(row.size_bytes),
        "data_bytes": _whole(row.data_bytes),
        "rows": _whole(row.rows),
        "per_query": {**dict.fromkeys(PER_QUERY), **costs},
        "engine_figures": of_engine.get(step_label(row.name, coordinates), {}),
        "load": ways[0].get(step_label(row.name, coordinates)),
        "existing": ways[1].get(step_label(row.name, coordinates)),
        "warm": bool(row.warm),
        "marks": read_json(row.marks) + _unsteady(counts),
        "others": read_json(row.others) if row.others else {},
        "progress": read_json(row.progress) if row.progress else None,
        "latency_per": row.latency_per,
        "settled": settled,
        "steadiness": {"word": counts.steadiness.word, "text": counts.steadiness.text} if counts else None,
        "cut": _cut(whole, counts),
        "schedule": rates.get("schedule"),
        "limit": rates.get("limit"),
        "max_block_deviation": counts.max_block_deviation if counts else None,
        "soak": soak,
        "of_kind": None,
        "operation": None,
    }


def _ended(state: str, reason: str, session: str) -> tuple[str, str]:
    """State and reason of a step, if its session says more than the journal does."""
    if state == "active" and session == "lost":
        return "failed", GONE
    if state == "waiting" and session not in GOING_ON:
        return "skipped", UNREACHED
    return state, reason


def _figure(whole: float | None, counts: RecountedStep | None) -> float | None:
    return whole if counts is None or counts.value is None else counts.value


def _latency(whole: Sequence[float | None], counts: RecountedStep | None) -> Sequence[float | None]:
    """Percentiles of the seconds that count, where their buckets are stored."""
    return counts.latency_ms if counts is not None and counts.has_latency else whole


def _unsteady(counts: RecountedStep | None) -> list[str]:
    return [UNSTEADY] if counts is not None and counts.steadiness.word == UNSTEADY else []


def _cut(whole: float | None, counts: RecountedStep | None) -> StepCutEntry | None:
    if whole is None or counts is None or counts.cut is None:
        return None
    cut = counts.cut
    return {
        "first_s": cut.first_s,
        "last_s": cut.last_s,
        "seconds": counts.seconds,
        "reason": cut.reason,
        "whole": whole,
        "has_latency": counts.has_latency,
    }


def _whole(value: float | None) -> float | None:
    """A count without decimals."""
    return int(value) if value is not None and value == int(value) else value


def find_step(history: History, session: str, name: str, threads: int | None) -> tuple[int, int]:
    """Number and position of a step, by its name, or by all of its label as compare tells it."""
    rows = history.query(
        "SELECT step.number, position, step.name, coordinates FROM step"
        " JOIN session ON session = session.number WHERE id = ? ORDER BY position",
        (session,),
    )
    named = [
        ((number, position), coordinates)
        for number, position, its_name, text in rows
        for coordinates in [read_json(text)]
        if name in (its_name, step_label(its_name, coordinates))
    ]
    if not named:
        known = list(dict.fromkeys(str(its_name) for _, _, its_name, _ in rows))
        meant, names = did_you_mean(name, known), ", ".join(known) or "none"
        raise InputError(f"session {session} has no step {name!r}{meant}: choose one of {names}")
    fitting = [place for place, each in named if threads is None or each.get("threads") == threads]
    if len(fitting) == 1:
        return fitting[0]
    counts = ", ".join(str(each["threads"]) for _, each in named if "threads" in each)
    if not counts:
        raise InputError(f"step {name} of session {session} has no thread count: leave --threads out")
    asked = "choose one" if threads is None else f"not {threads}"
    raise InputError(f"step {name} of session {session} ran with --threads {counts}: {asked}")


def result(history: History, session: str, position: int) -> dict[str, Any]:
    """All of step_started and step_ended: totals, buckets, status, sizes, debt before and after."""
    row = history.one(
        "SELECT started, ended FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number WHERE id = ? AND position = ?",
        (session, position),
    )
    if row is None:
        return {}
    begin, end = row
    started = {f"{name}_at_start" if name == "debt" else name: v for name, v in unpack_json(begin).items()}
    return {**started, **(unpack_json(end) if end else {})}


def facts(history: History, session: str, name: str = "") -> list[dict[str, Any]]:
    """The facts of a session in order; all, or those with one name."""
    rows = history.query(
        "SELECT fact.name, moment, content FROM fact JOIN session ON session = session.number"
        " WHERE id = ? AND (? = '' OR fact.name = ?) ORDER BY seq",
        (session, name, name),
    )
    found = [
        {"name": its_name, "when": when, "value": unpack_json(content)} for its_name, when, content in rows
    ]
    return [each for each in found if not (name and is_oversize_fact(each["value"]))]


def latest_fact(history: History, session: str, name: str) -> Any:
    """The latest fact of that name; None if the session has none."""
    found = facts(history, session, name)
    return found[-1]["value"] if found else None


def explains(history: History, session: str) -> list[ExplainEntry]:
    """The EXPLAIN results in the order of the journal."""
    found: list[ExplainEntry] = [
        {"step": fact["when"], "statement": fact["value"]["statement"], "rows": fact["value"]["rows"]}
        for fact in facts(history, session, "explain")
    ]
    return list({(each["step"], each["statement"]): each for each in found}.values())  # of each try the last


def settings(history: History, reference: str) -> dict[str, Any]:
    """Settings and facts of a session: the contender, its my.cnf, every fact."""
    id_ = find(history, reference)
    entry = sessions(history, ids=[id_])[0]
    plan = plan_of(history, id_)
    kept: dict[str, Any] = {}
    for fact in facts(history, id_):
        if fact["name"] == STACKS:  # `dyno session stacks` has them
            continue
        key = f"{fact['name']} {fact['when']}".strip()
        kept[key] = fact["value"]
    if steps_in_force := settings_by_changing_step(history, id_):
        kept["steps"] = steps_in_force
    server, cnf = running_server(plan, id_), contender_in(plan, id_)["cnf"]
    return {"id": id_, "contender": entry["contender"], "server": server, "cnf": cnf, "facts": kept}


def settings_by_changing_step(history: History, session: str) -> dict[str, dict[str, Any]]:
    """The settings in force in steps that change them, by the label of the step."""
    rows = history.query(
        "SELECT step.name, coordinates, ended FROM result JOIN step ON result.step = step.number"
        " JOIN session ON step.session = session.number WHERE id = ? AND ended IS NOT NULL ORDER BY position",
        (session,),
    )
    return {
        step_label(name, read_json(coordinates)): each
        for name, coordinates, ended in rows
        if (each := unpack_json(ended).get("in_force"))
    }


def plan_of(history: History, session: str) -> dict[str, Any]:
    """The plan as it was sent, as JSON."""
    row = history.one(
        "SELECT content FROM plan JOIN session ON plan.id = session.plan WHERE session.id = ?", (session,)
    )
    if row is None:
        raise InputError(f"no session {session!r} in the history")
    content: dict[str, Any] = unpack_json(row[0])
    return content


def plans_by_session(history: History, sessions: Sequence[str]) -> dict[str, Plan]:
    """The plans of these sessions, in their order; each plan is read once."""
    found: dict[str, Plan] = {}
    for session in sessions:
        if session not in found:
            plan = Plan.from_json(plan_of(history, session))
            found |= {turn.session: plan for turn in plan.turns}
    return {session: found[session] for session in sessions}


def notes(history: History, session: str) -> list[dict[str, Any]]:
    """Notes written during the session (with their second) and afterwards."""
    during = history.query(
        "SELECT note.t, note.at, step, text FROM note JOIN session ON session = session.number"
        " WHERE id = ? ORDER BY seq",
        (session,),
    )
    added = history.query("SELECT at, text FROM session_note WHERE session = ? ORDER BY number", (session,))
    found = [
        {"t": t, "at": at, "step": None if step < 0 else step, "text": text} for t, at, step, text in during
    ]
    return found + [{"t": None, "at": at, "step": None, "text": text} for at, text in added]


def _events(history: History, session: str) -> list[dict[str, Any]]:
    """Remarks without the notes, which `notes` has with those added later."""
    return [
        {"t": each.t, "kind": each.kind, "about": each.about, "text": each.text}
        for each in remarks(history, session)
        if each.kind != "note"
    ]
