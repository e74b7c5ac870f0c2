"""Texts about a step: its point in a sweep, remarks on its result, what it settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.core.units import bytes_text, count_text, figure_text, seconds_text
from app.protocol.checked.facts import (
    ExistingServerStep,
    LoadTargetStepFigures,
    RemoteLoadFacts,
    ReplicaLagOfStep,
)
from app.protocol.events import CLIENT_BOUND, LOPSIDED, NOT_ALONE, QUERY_LIMITED, REMOTE, TUNNELLED
from app.protocol.others import ATTEMPT_MARKS, DISTURBED, Others
from app.protocol.plan import LEVEL_MISSED, RATE_MISSED, ROLE_MISSED
from app.protocol.reading import ShapeError, read
from app.protocol.stacks import PROFILED, PROFILED_ON_REQUEST
from app.stats.at_target.steady import UNSTEADY

from .event_kinds import kind_text
from .figures import SteadinessEntry, StepCutEntry, StepEntry
from .operations import operation_text
from .rates import limit_search_text, missed_schedule_text, rate_try_lines
from .settled import SettleEntry

AWAITED_S = 1.0  # for a replica to catch up: less is not said
COUNTED_OTHERWISE = "counted-otherwise"
AT_LEAST, LAG_LOST = "at-least", "lag-lost"  # of the lag of replicas

MARKS = {
    "error-ridden": "more than 1 % of its events ended in an error, which was counted and retried",
    "after-a-crash": "the server had crashed before it and was restarted",
    "capped": "settling had not finished when its time limit was reached",
    "indebted": "the step started while many earlier writes still had to be flushed, compacted or purged",
    "bad-statistics": "ANALYZE TABLE failed or was skipped before it, or the server's row estimate "
    "was wrong by more than a factor of two: it may have read far more rows than needed",
    "one-index": "ANALYZE TABLE failed or the server's row estimate was wrong by more than a factor of two, "
    "but each of its statements has one index only: no estimate could change its plan, so it is judged",
    "no-statistics": "the server's row estimate was more than 10 % off when it started: a bad execution plan "
    "would show in the number of rows read",
    "other-work": "its events sent or changed an unexpected number of rows: the log names the "
    "statement and its execution plan",
    "other-reads": "its events read or sorted an unexpected number of rows (the log names the statement and "
    "its execution plan): judged all the same, as that is what they cost this server",
    "changed-plan": "the server changed the execution plan of a statement between its start and its end: its "
    "figures are a mix of both",
    "no-index": "the engine could not build the index: statements ran without it",
    "fewer-clients": "fewer clients were connected than the step has threads",
    DISTURBED: "other programs or the host took more of the machine than allowed",
    "same-load": "other programs took more CPU than allowed, but equally (within 2 %) from all servers "
    "in all repeats, so the result is judged",
    "shared-load": "other programs or the host took more of the machine than allowed, but from every "
    "server of the repeat, so the result is judged",
    ATTEMPT_MARKS[2]: "the attempt before was disturbed",
    ATTEMPT_MARKS[3]: "the two attempts before were disturbed",
    "out-of-rows": "more than half of its rows were deleted when it ended: every second statement found none",
    "restarted": "the server was restarted for it, with empty caches",
    "checked": "conditions of consistency were asked after it: the steps behind it may find more in caches",
    UNSTEADY: "its throughput changed while it was measured (where servers took turns: their ratio)",
    "of-all-seconds": "its figures cover the whole step, although only some of its seconds count",
    COUNTED_OTHERWISE: "counted on another CPU model or by another valgrind than the base",
    AT_LEAST: "rows that Dyno wrote had not arrived on a replica when it ended: the lag is at least this",
    LAG_LOST: "a replica did not answer at times: its lag then is not known",
    "failed-repeat": "at least one of its repeats failed: the others are not a fair sample",
    PROFILED: "its stacks were sampled, which costs a little: it is judged only against steps that are"
    " profiled too",
    PROFILED_ON_REQUEST: "a person had its stacks sampled while it ran, which costs a little",
    RATE_MISSED: "its events piled up: the server could not keep up with the rate, so its latency grew until "
    "the step ended",
    LEVEL_MISSED: "it did not reach the level that the plan asks for, so it is not judged in any other way",
    ROLE_MISSED: "another role of its step did not reach its level: what they did was not the same",
    CLIENT_BOUND: "the client was the bottleneck: a load target had no CPU left, so the server could do more",
    LOPSIDED: "a client of one load target drove at least four times as many events as one of another: its "
    "threads are not those of the plan",
    TUNNELLED: "its queries came through a tunnel, which takes CPU and time that the server does not",
    REMOTE: "the server runs on another machine: the time of a query has the network's in it",
    QUERY_LIMITED: "the plan's limit of queries a second held its clients back",
    NOT_ALONE: "other clients of the server sent statements: what they cost it is in its figures",
    "shared-cores": "the load generator ran on the cores of the server",
}

HAS_MARKS = "!"  # next to a result; says nothing about its verdict
BUSY = "it began while another plan measured on the same machine"


def cut_scope_text(cut: StepCutEntry) -> str:
    """What a cut does not change."""
    return f"{'costs' if cut['has_latency'] else 'latency and costs'} cover the whole step"


def repeated_attempt_text(attempt: int) -> str:
    """`attempt 2: the attempt before was disturbed`; '' for the first one."""
    return f"attempt {attempt}: {MARKS[ATTEMPT_MARKS[attempt]]}" if attempt in ATTEMPT_MARKS else ""


def step_mark_meaning(mark: str) -> str:
    """A mark with its meaning; one of a later Dyno as it is."""
    return f"{mark}: {MARKS[mark]}" if mark in MARKS else mark


def marks_text(marks: Iterable[str]) -> str:
    """The marks in lines."""
    return "\n".join(map(step_mark_meaning, marks))


def running_server_text(server: Mapping[str, Any]) -> str:
    """`runs already: db.example:3306, schema bench, TLS`."""
    most = f", at most {server['max_queries']:,} queries/s" if server["max_queries"] else ""
    way = "TLS" if server["tls"] else "plain text"
    replicas = ", ".join(f"{each['name']} ({_place(each)})" for each in server["replicas"])
    where = f"replica {replicas} of {_place(server)}" if server["is_replica"] else _place(server)
    more = f", with replicas {replicas}" if replicas and not server["is_replica"] else ""
    return f"runs already: {where}, schema {server['schema']}, {way}{most}{more}"


def _place(server: Mapping[str, Any]) -> str:
    host = f"[{server['host']}]" if ":" in server["host"] else server["host"]
    return f"{host}:{server['port']}"


def load_target_lines(said: Mapping[str, Any] | None) -> list[str]:
    """A line on the load of a step from other machines, and one for each load target."""
    if said is None:
        return []
    load = read(RemoteLoadFacts, said)
    apart = "" if load.apart_ms is None else f", their seconds at most {load.apart_ms:.1f} ms apart"
    targets = count_text(len(load.targets), "load target")
    return [f"{targets}{apart}", *(f"    {_load_part(each)}" for each in load.targets)]


def existing_server_text(said: Mapping[str, Any] | None) -> str:
    """`SELECT 1 took 0.3 ms before, 1.1 during, 0.3 after; network 20 % of a query at most; …`.

    With replicas: of which one that is, and how far each was behind.
    """
    if said is None:
        return ""
    found = read(ExistingServerStep, said)
    trips = (("before", found.rtt_before_ms), ("during", found.rtt_during_ms), ("after", found.rtt_after_ms))
    took = ", ".join(f"{ms:.2f} ms {when}" for when, ms in trips if ms is not None)
    parts = [f"on the replica {found.of}"] if found.of else []
    parts += [f"SELECT 1 took {took}"] if took else []
    if found.network_pct is not None:
        parts.append(f"network {found.network_pct:.0f} % of a query at most")
    if found.relay_cpu_us is not None:
        parts.append(f"the relay took {found.relay_cpu_us:.0f} us of CPU for each")
    if found.others_statements is not None:
        parts.append(f"others sent {figure_text(found.others_statements)} statements/s")
    return "; ".join([*parts, *map(_lag_text, found.lags)])


def _lag_text(lag: ReplicaLagOfStep) -> str:
    """`replica1 lagged: median 4 ms, p95 12 ms, longest 30 ms (resolution 11 ms)`."""
    lost = f", {count_text(lag.lost, 'lag')} not known as it did not answer" if lag.lost else ""
    awaited = f", after {lag.awaited_s:.1f} s to catch up" if lag.awaited_s >= AWAITED_S else ""
    if lag.median_ms is None or lag.p95_ms is None or lag.longest_ms is None:
        return f"lag of {lag.name} not known{lost}{awaited}"
    least = " at least" if lag.waiting else ""
    median, p95, longest = map(_time_text, (lag.median_ms, lag.p95_ms, lag.longest_ms))
    told = "" if lag.resolution_ms is None else f" (resolution {_time_text(lag.resolution_ms)})"
    figures = f"median {median}, p95 {p95}, longest {longest}{told}"
    return f"{lag.name} lagged{least}: {figures}{lost}{awaited}"


def _time_text(ms: float) -> str:
    return f"{ms:.3g} ms" if ms < 1000 else f"{ms / 1000:,.1f} s"


def _load_part(part: LoadTargetStepFigures) -> str:
    texts = [f"{part.name}: {count_text(part.threads, 'client')}", count_text(part.events, "event")]
    if part.cpu_pct is not None:
        texts.append(f"CPU {part.cpu_pct:.0f} %")
    if part.rtt_ms is not None:
        texts.append(f"round trip {part.rtt_ms:.3f} ms")
    if part.network_pct is not None:
        texts.append(f"network {part.network_pct:.0f} % of its time or more")
    if part.clock_error_ms is not None:
        texts.append(f"clock within {part.clock_error_ms:.2f} ms")
    return ", ".join(texts)


def remarks_of(step: StepEntry) -> str:
    """Why a step has no result, or remarks on its result, in a few words."""
    settled = step["settled"]
    amplification = settled and settled["write_amplification"]
    spread = f"write amplification {figure_text(amplification)}" if amplification else ""
    seconds = steadiness_caveats(step["steadiness"], step["cut"])
    rates = (
        missed_schedule_text(step["schedule"]),
        limit_search_text(step["limit"]),
        operation_text(step["operation"]),
    )
    reasons = (kind_text(step["of_kind"]), disturbed_text(step["others"]), *rates, *seconds, spread)
    return ", ".join(filter(None, (step["reason"], *_other_marks(step), *reasons)))


def remarks_text(step: StepEntry) -> str:
    """The same with its meaning, steadiness, and settling after it; or ''."""
    settled = settled_text(step["settled"]) if step["settled"] else ""
    marks = marks_text(_other_marks(step))
    steady = steadiness_text(step["steadiness"])
    cut = f"{cut_seconds_text(step['cut'])}; {cut_scope_text(step['cut'])}" if step["cut"] else ""
    disturbed = disturbed_text(step["others"])
    schedule = missed_schedule_text(step["schedule"])
    limit = "\n".join(filter(None, (limit_search_text(step["limit"]), *rate_try_lines(step["limit"]))))
    load = "\n".join([*load_target_lines(step["load"]), existing_server_text(step["existing"])]).strip()
    operation = operation_text(step["operation"])
    kind = kind_text(step["of_kind"])
    texts = (step["reason"], kind, operation, marks, disturbed, schedule, limit, steady, cut, settled, load)
    return "\n".join(filter(None, texts))


def _other_marks(step: StepEntry) -> list[str]:
    """All marks but those that have a separate reason."""
    worded = (UNSTEADY, DISTURBED) if disturbed_text(step["others"]) else (UNSTEADY,)
    return [mark for mark in step["marks"] if mark not in worded]


def disturbed_text(others: Mapping[str, Any]) -> str:
    """`disturbed: other programs took 143% of 200% CPU: cc1plus (8) 120%`; '' where nothing was too much."""
    text = others_text(others)
    return f"{DISTURBED}: {text}" if text else ""


def others_text(others: Mapping[str, Any]) -> str:
    """The same without its mark."""
    if not others.get("causes"):
        return ""  # for nearly all steps, and a page asks again each time it paints
    try:
        texts = read(Others, others).texts
    except ShapeError:
        return ""
    return "; ".join(texts)


def steadiness_caveats(steadiness: SteadinessEntry | None, cut: StepCutEntry | None) -> list[str]:
    """Caveats: why a step was not steady, and which seconds count if not all do."""
    unsteady = steadiness is not None and steadiness["word"] == UNSTEADY
    return [
        *([steadiness_text(steadiness)] if unsteady else []),
        *([cut_seconds_text(cut)] if cut else []),
    ]


def steadiness_text(steadiness: SteadinessEntry | None) -> str:
    """`unsteady: throughput falls 18% over the step`; '' if it was not checked."""
    return f"{steadiness['word']}: {steadiness['text']}" if steadiness else ""


def cut_seconds_text(cut: StepCutEntry) -> str:
    """`seconds 20 to 60 of 60 (a backup ran)`."""
    reason = f" ({cut['reason']})" if cut["reason"] else ""
    return f"seconds {cut['first_s']} to {cut['last_s'] + 1} of {cut['seconds']}{reason}"


def named(name: str, coordinates: Mapping[str, Any]) -> str:
    """The name of a step with its coordinates except threads: `point-query, 4 cores`."""
    others = (each for each in coordinates.items() if each[0] != "threads")
    return ", ".join([name, *(coordinate_text(*each) for each in sorted(others))])


def coordinate_text(name: str, value: Any) -> str:
    """`8 threads`, `4 cores`, `10,000,000 rows`; a variation by its name."""
    if name == "variation":
        return str(value)
    if name == "rate":
        return f"{value:,} events/s" if isinstance(value, int) else f"rate={value}"
    if name == "cpus":
        return f"{'CPU' if str(value).isdecimal() else 'CPUs'} {value}"
    noun = {"volume_rows": "row"}.get(name, name.removesuffix("s"))
    if not isinstance(value, int):
        return f"{name}={value}"
    return f"{value:,} {noun}" if value == 1 else f"{value:,} {noun}s"


def settled_text(settled: SettleEntry) -> str:
    """`load, index: settled in 12 s (waited for dirty pages 9 s, purge 3 s); 34.1 MiB written`."""
    waited = ", ".join(f"{name} {seconds_text(s)}" for name, s in settled["waited_for"].items())
    parts = [
        f"{', '.join(settled['steps'])}: settled in {seconds_text(settled['seconds'])}"
        + (f" (waited for {waited})" if waited else ""),
        f"{_bytes_text(settled['written_bytes'])} written during this time",
        f"stopped at the time limit, {', '.join(settled['left'])} left" if settled["capped"] else "",
        _amplification_text(settled),
    ]
    return "; ".join(filter(None, parts))


def _amplification_text(settled: SettleEntry) -> str:
    """An amplification with the numbers it comes from."""
    figure, width = settled["write_amplification"], settled["row_bytes"]
    if figure is None or width is None:
        return "write amplification n/a"
    rows = f"{count_text(settled['rows'], 'row')} of {width} bytes"
    written = f"{_bytes_text(settled['run_written_bytes'])} written in total for {rows}"
    by = " (by all programs on the device)" if settled["run_written_by"] == "device" else ""
    return f"write amplification {figure_text(figure)}: {written}{by}"


def _bytes_text(size: int | None) -> str:
    return "? bytes" if size is None else bytes_text(size)


def time_of_steps(plan: Mapping[str, Any]) -> str:
    """`60 s after 5 s of warm-up`: of the steps that time ends; '' where there are none."""
    timed = [step for step in plan["steps"] if step["kind"] == "drive" and step["seconds"]]
    if not timed:
        return ""
    seconds, warmup = (_reach([step[name] for step in timed]) for name in ("seconds", "warmup"))
    return f"{seconds} s after {warmup} s of warm-up"


def _reach(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low} to {high}"
