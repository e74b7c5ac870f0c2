"""Whether contenders can carry out the workloads of a plan, and fill its tables by the method it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from app.catalog import Workload
from app.core.errors import InputError
from app.engines import engine_of
from app.protocol.plan import Contender, Step


def check_engines(contenders: Sequence[Contender], workloads: Iterable[Workload]) -> None:
    """Raise InputError for the first contender whose engine cannot run a workload."""
    limited = [workload for workload in workloads if workload.engines]
    for at, contender in enumerate(contenders):
        for workload in limited:
            if not _can(contender, workload):
                wrong = "build" if contender.engine in workload.engines else "engine"
                raise InputError(
                    f"{contender.name} cannot carry out {workload.name}: {workload.engines_because}; "
                    "choose another engine, build or sequence",
                    f"contenders.{at}.{wrong}",
                )


def _can(contender: Contender, workload: Workload) -> bool:
    first = workload.engines.get(contender.engine)
    return first is not None and _numbers(contender.version) >= _numbers(first)


def _numbers(version: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", version)]


def check_transactions(
    contenders: Iterable[Contender], steps: Iterable[Step], workloads: Mapping[str, Workload]
) -> None:
    """Raise InputError if several clients need transactions and an engine has none."""
    lacking = [each for each in contenders if not engine_of(each.engine).has_transactions]
    for step in steps:
        if lacking and step.workload and workloads[step.workload].transactions and step.threads > 1:
            raise InputError(
                f"step {step.name}: {engine_of(lacking[0].engine).title} has no transactions, so that"
                f" {step.threads} clients would leave {step.workload} inconsistent; choose 1 thread",
                "threads",
            )


def check_isolation(contenders: Iterable[Contender], steps: Iterable[Step]) -> None:
    """Raise InputError if an engine refuses the isolation level of a step."""
    found = {step.name: step.options["isolation"] for step in steps if step.options.get("isolation")}
    for engine in (engine_of(each.engine) for each in contenders):
        for name, level in found.items():
            if engine.isolation_levels and level not in engine.isolation_levels:
                can = " or ".join(engine.isolation_levels)
                raise InputError(f"step {name}: {engine.title} refuses isolation {level}; choose {can}")


def check_load_method(method: str, contenders: Iterable[Contender], workloads: Iterable[Workload]) -> None:
    """Raise InputError if a workload or engine does not support this load method."""
    for workload in workloads:
        if workload.kind == "load" and method not in workload.load_methods:
            known = ", ".join(workload.load_methods)
            raise InputError(f"the workload {workload.name} has no load method {method}; it has {known}")
    for contender in contenders:
        why = engine_of(contender.engine).no_bulk  # measured once: docs/measured/benchmarks.md
        if method == "bulk" and why:
            raise InputError(f"load method bulk: not for {contender.name}: {why}; choose ordered or parallel")


def clients_of_load(method: str, tables: int, cpu_threads: int) -> int:
    """Clients of a load: one per table, at most one per CPU; a shared table needs two."""
    return max(2, cpu_threads) if method == "parallel" else min(tables, cpu_threads)
