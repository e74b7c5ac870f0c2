"""Whether contenders can carry out the workloads of a plan, and fill its tables by the method it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from app.catalog import Workload
from app.core.errors import InputError
from app.engines import engine_of
from app.protocol.plan import Contender


def check_engines(contenders: Sequence[Contender], workloads: Iterable[Workload]) -> None:
    """Raise InputError about the first contender whose engine has not got what a workload is about."""
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


def check_load_method(method: str, contenders: Iterable[Contender], workloads: Iterable[Workload]) -> None:
    """Raises InputError where a workload cannot fill its tables this way, or an engine has no bulk load."""
    for workload in workloads:
        if workload.kind == "load" and method not in workload.load_methods:
            known = ", ".join(workload.load_methods)
            raise InputError(f"the workload {workload.name} has no load method {method}; it has {known}")
    for contender in contenders:
        why = engine_of(contender.engine).no_bulk  # measured once: docs/benchmarks.md
        if method == "bulk" and why:
            raise InputError(f"load method bulk: not for {contender.name}: {why}; choose ordered or parallel")


def clients_of_load(method: str, tables: int, cpu_threads: int) -> int:
    """One a table as far as there are CPUs for them; to share a table it takes two at least."""
    return max(2, cpu_threads) if method == "parallel" else min(tables, cpu_threads)
