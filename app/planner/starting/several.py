"""The same work on several targets, with a plan each: all are checked before any starts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from types import TracebackType

from app.core.errors import DynoError
from app.core.units import count_text
from app.protocol.plan import Plan

from .launch import Launch, LaunchStage

READY = ("starting", "queueing")  # what is next once all has been checked


class TargetLaunches:
    """Launches on several targets; connections stay open until all have started. For one thread."""

    def __init__(self, launches: Mapping[str, Launch]) -> None:
        self._launches = list(launches.values())
        self._stages = {target: launch.stages() for target, launch in launches.items()}

    def __enter__(self) -> TargetLaunches:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: object, trace: TracebackType | None) -> None:
        for stages in self._stages.values():
            stages.close()

    def check(self, target: str) -> Iterator[LaunchStage]:
        """Run the stages before the start; raises the errors of a launch."""
        for stage in self._stages[target]:
            yield stage
            if stage.next in READY:
                return

    def start(self, target: str) -> LaunchStage | None:
        """Start; returns the last stage, or None if the launch had ended. Raises the errors of a launch."""
        last = deque(self._stages[target], maxlen=1)
        return last[0] if last else None

    def stages(self) -> Iterator[tuple[str, LaunchStage | DynoError]]:
        """The stages of each target, or its error, which before the start ends all launches."""
        with self:
            for target in self._stages:
                found: LaunchStage | DynoError = LaunchStage()
                for found in _or_error(self.check(target)):
                    yield target, found
                if isinstance(found, DynoError) or found.failed:
                    return
            for target, stages in self._stages.items():
                for found in _or_error(stages):
                    yield target, found

    def cancel(self) -> bool:
        """Cancel what has not started; False if a target may have started already."""
        cancelled = [launch.cancel() for launch in self._launches]
        return all(cancelled)


def _or_error(stages: Iterator[LaunchStage]) -> Iterator[LaunchStage | DynoError]:
    try:
        yield from stages
    except DynoError as error:
        yield error


def differing_target_work(plans: Mapping[str, Plan]) -> list[str]:
    """A line for each target that does not do the work of the first one."""
    (first, its), *others = plans.items()
    return [
        f"{target} does different work than {first}: {_size(plan)}, not {_size(its)}"
        if _size(plan) != _size(its)
        else f"{target} does different work than {first}: its steps differ"
        for target, plan in others
        if plan.work_key != its.work_key
    ]


def _size(plan: Plan) -> str:
    return f"{count_text(plan.tables, 'table')} x {count_text(plan.rows, 'row')}"
