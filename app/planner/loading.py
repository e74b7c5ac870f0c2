"""How the tables are filled: what each method needs, and the engines that do not have it."""

from __future__ import annotations

from collections.abc import Iterable

from app.catalog import Workload
from app.core.errors import InputError
from app.engines import engine_of
from app.protocol.plan import Contender


def check_load_method(method: str, contenders: Iterable[Contender], workloads: Iterable[Workload]) -> None:
    """Raises InputError where a workload cannot fill its tables this way, or an engine has no bulk load."""
    for workload in workloads:
        if workload.kind == "load" and method not in workload.load_methods:
            known = ", ".join(workload.load_methods)
            raise InputError(f"the workload {workload.name} has no load method {method}; it has {known}")
    for contender in contenders:
        why = engine_of(contender.engine).no_bulk  # measured once: docs/benchmarks.md
        if method == "bulk" and why:
            raise InputError(f"load method bulk: not for {contender.name}: {why}; take ordered or parallel")


def clients_of_load(method: str, tables: int, cpu_threads: int) -> int:
    """One a table as far as there are CPUs for them; to share a table it takes two at least."""
    return max(2, cpu_threads) if method == "parallel" else min(tables, cpu_threads)
