"""The figures of a step, from its totals, its latency buckets and what the machine did meanwhile."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

from app.engines.engine import Engine
from app.protocol.latency import percentile
from app.protocol.plan import RATE_MISSED, Step
from app.protocol.series import PER_MINUTE
from app.protocol.stacks import COUNTERS
from app.protocol.step_parts import RateAdherence, Totals
from app.protocol.thread_states import COSTS, STATES, client_time_figure

from .kinds import committed_per_minute, total_of_kind
from .sampler import summed_query_count

ERRORS = "error-ridden"
ERROR_RIDDEN = 0.01  # of the events
REACHED = 0.99  # of the schedule must have begun when the step ends
# a percentile is shown where at least one event in its tail was seen
PERCENTILES = ((50, 2), (95, 20), (99, 100))


def totals_of(total: Mapping[str, Any]) -> Totals:
    """Everything counted, with and without BEGIN and COMMIT."""
    every = summed_query_count(total)
    return Totals(
        events=total["events"],
        transactions=total["events"],
        queries=every,
        statements=every - int(total.get("control", 0)),
        reads=total["reads"],
        writes=total["writes"],
        other=total["other"],
        errors=total["errors"],
        reconnects=total["reconnects"],
        clients=total.get("clients"),
        rows=dict(total.get("rows", {})),
        rolled_back=total.get("rolled_back"),
    )


def value_of(step: Step, totals: Totals, seconds: float, rows: int) -> Optional[float]:
    """The figure of a step that is a rate or a time; rows: those of the tables, for steps that count none."""
    if step.unit == "s":
        return round(seconds, 3)
    if seconds <= 0:
        return None
    if step.unit.endswith(PER_MINUTE):
        return round(committed_per_minute(totals.events or 0, totals.rolled_back or 0, seconds), 2)
    if step.unit == "rows/s":
        return round((sum(map(int, (totals.rows or {}).values())) or rows) / seconds, 2)
    return round(int(totals.queries or 0) / seconds, 2)


def figure_of(step: Step, ended: Mapping[str, Any], engine: Engine) -> Optional[float]:
    """The figure of a step from all that is known at its end: what its kind of figure says."""
    if step.figure == "latency":
        mean = ended.get("latency_ms", {}).get("avg")
        return None if mean is None else round(float(mean), 4)
    if step.figure == "size":  # of what rows take; the shared one where tables have no files of their own
        return engine.data_bytes(ended["sizes"])
    value: Optional[float] = ended.get("value")
    return value


def latency_of(total: Mapping[str, Any]) -> Dict[str, Any]:
    """Minimum, mean, maximum as measured; percentiles as upper bounds of their buckets."""
    buckets: Sequence[Sequence[float]] = total.get("buckets", [])
    found = {name: total.get("latency_ms", {}).get(name) for name in ("min", "avg", "max")}
    count = sum(int(bucket[1]) for bucket in buckets)
    for percent, needed in PERCENTILES:
        found["p{}".format(percent)] = percentile(buckets, percent) if count >= needed else None
    return found


SPENT = (*COSTS, *map(client_time_figure, STATES))


def per_unit(spent: Mapping[str, Optional[float]], count: float) -> Dict[str, Any]:
    """What machine and server spent, per query or per row."""
    if count <= 0:
        return {}
    found = {name: spent.get(name) for name in (*SPENT, *(name for name in COUNTERS if name in spent))}
    return {name: None if value is None else round(value / count, 4) for name, value in found.items()}


def missing_clients_reason(step: Step, total: Mapping[str, Any]) -> str:
    """Why a step with fewer clients than threads has failed; "" where it has not.

    A driven step goes on with those it has, and is marked; work that is shared out among all is not done.
    """
    clients = total.get("clients", step.threads)
    if clients == step.threads or (clients and step.kind == "drive"):
        return ""
    return "the server accepted {} of {} clients".format(clients, step.threads)


def marks_of(totals: Totals, after_crash: bool, threads: int = 0) -> List[str]:
    """The marks of a step; threads: its planned number of clients."""
    marks = ["after-a-crash"] if after_crash else []
    if totals.clients is not None and totals.clients < threads:
        marks.append("fewer-clients")
    if (totals.errors or 0) > ERROR_RIDDEN * max(1, totals.events or 0):
        marks.append(ERRORS)
    return marks


def with_marks_of_role(kind: Mapping[str, Any], role: Mapping[str, Any]) -> Dict[str, Any]:
    """The end of a kind of events with the marks of its step or role; errors are each kind's own."""
    alike = (mark for mark in role.get("marks", ()) if mark != ERRORS)
    return {**kind, "marks": list(dict.fromkeys([*alike, *kind.get("marks", ())]))}


def out_of_rows(before: int, after: int) -> List[str]:
    """A mark if more than half of the rows are gone: every second statement then finds none."""
    return ["out-of-rows"] if after < before / 2 else []


def figures_of_total(
    step: Step, total: Mapping[str, Any], spent: Mapping[str, Optional[float]], rows: int
) -> Dict[str, Any]:
    """The fields of step_ended that follow from a load's total and costs; rows: those of the tables."""
    totals, seconds = totals_of(total), float(total["time_s"])
    of_figure = total_of_kind(total, step.figure_kind) if step.figure_kind else total
    return {
        "value": None if of_figure is None else value_of(step, totals_of(of_figure), seconds, rows),
        "seconds": round(seconds, 4),
        "totals": totals,
        "latency_ms": latency_of(total),
        "buckets": total.get("buckets", []),
        "per_query": per_unit(spent, int(totals.queries or 0)),
        "per_row": per_unit(spent, sum((totals.rows or {}).values())),
    }


def achieved_rate(
    step: Step, behind_s: Optional[float], events: int, seconds: float
) -> Optional[RateAdherence]:
    """The rate and the level that were asked for, what was reached, and what waited at the end.

    None: there is neither, or nothing was told. Where each second has its part of the rate, nothing waits.
    """
    has_level = step.least_share or step.most_p99_ms
    if behind_s is None and not has_level:
        return None
    achieved = round(events / seconds, 2) if seconds > 0 else None
    queued = None if behind_s is None or not step.seconds else round(behind_s * step.rate)
    level = (step.sent_rate * step.least_share, step.most_p99_ms)
    return RateAdherence(step.sent_rate, achieved, round(behind_s or 0.0, 4), queued, *level)


def missed_rate_marks(schedule: Optional[RateAdherence], seconds: float) -> List[str]:
    """The mark of a step that could not keep its rate."""
    behind_s = schedule.behind_s if schedule else 0.0
    return [RATE_MISSED] if behind_s > (1 - REACHED) * seconds else []


def misses_level(schedule: Optional[RateAdherence], latency_ms: Mapping[str, Any]) -> bool:
    """Whether a role stayed below the rate, or above the p99, that the plan asks for."""
    if schedule is None:
        return False
    p99_ms = latency_ms.get("p99")
    is_slow = (schedule.achieved or 0.0) < schedule.least
    return is_slow or bool(schedule.most_p99_ms and p99_ms is not None and p99_ms > schedule.most_p99_ms)
