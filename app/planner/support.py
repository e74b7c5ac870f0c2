"""Whether contenders can carry out the workloads of a plan at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from app.catalog import Workload
from app.core.errors import InputError
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
