"""How long a sequence takes unchanged, before a target is chosen: one contender with InnoDB."""

from __future__ import annotations

from collections.abc import Mapping

from app.catalog import Sequence, Workload
from app.core.errors import InputError
from app.engines import FIRST
from app.planner.estimate.guesses import SERVER_S, step_guesses
from app.planner.resolve.resolve import ROWS, SECONDS, TABLES, THREADS, TRANSPORT, WARMUP
from app.planner.resolve.steps import Size, own_tables, resolve_steps
from app.protocol.plan import Contender, Plan

CPU_THREADS = 4  # of the machine that is supposed
NODES = [[[cpu] for cpu in range(256)]]  # it has every core set that is asked for
_SUPPOSED = Contender(FIRST.name, "", "", "", "", "", "", FIRST.name, "", "")


def outline_s(sequence: Sequence, workloads: Mapping[str, Workload]) -> float | None:
    """Seconds of a session; None if they depend on the target, or the sequence cannot run."""
    try:
        plan = _supposed(sequence, workloads)
    except (InputError, KeyError):
        return None
    if plan is None:
        return None
    declared = sum(step.seconds + step.warmup for step in plan.steps)
    return SERVER_S + declared + sum(step_guesses(plan, _SUPPOSED))


def _supposed(sequence: Sequence, workloads: Mapping[str, Workload]) -> Plan | None:
    rows = sequence.rows or ROWS
    if not isinstance(rows, int):  # a share of a memory nobody knows yet
        return None
    used = {step.workload: workloads[step.workload] for step in sequence.steps if step.workload}
    size = Size(
        tables=own_tables(used.values()) or sequence.tables or TABLES,
        rows=rows,
        seconds=sequence.seconds or SECONDS,
        warmup=WARMUP if sequence.warmup is None else sequence.warmup,
        threads=sequence.threads or THREADS,
        cpu_threads=CPU_THREADS,
        cores=sequence.cores or (),
        nodes=NODES,
    )
    return Plan(
        id="", name=sequence.name, target="", machine_key="", sequence=sequence.name,
        contenders=[_SUPPOSED],
        steps=resolve_steps(list(sequence.steps), workloads, size),
        turns=[],
        files={f"workloads/{name}.toml": workload.text for name, workload in used.items()},
        tables=size.tables, rows=size.rows, seconds=size.seconds, warmup=size.warmup,
        pause=0, threads=list(size.threads), repeats=1, transport=sequence.transport or TRANSPORT,
    )  # fmt: skip
