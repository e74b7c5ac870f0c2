"""The kinds of events of a driven step: a step of the plan for each, behind the step or its role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.catalog import Workload
from app.core.errors import InputError
from app.protocol.plan import OF_KIND, QPS_UNIT, Step
from app.protocol.series import PER_MINUTE

_COMMITTED = f"events{PER_MINUTE}"  # of each kind, where one of them is the figure


def with_kinds(steps: Sequence[Step], workloads: Mapping[str, Workload]) -> list[Step]:
    """The same steps with their kinds; in slices, searches and counts they are not told apart."""
    sliced = next((step for step in steps if step.sliced and step.figure_kind), None)
    if sliced:
        what = f"the figure of step {sliced.name} is that of one kind of events, {sliced.figure_kind}"
        raise InputError(
            f"{what}, and slices do not tell kinds apart: choose interleaved or grouped", "order"
        )
    found = [each for step in steps for each in (step, *_kinds(step, workloads))]
    _check_keys(found)
    return found


def _kinds(step: Step, workloads: Mapping[str, Workload]) -> Iterator[Step]:
    if step.kind != "drive" or step.sliced:
        return
    is_latency = step.figure == "latency"
    of_rate = _COMMITTED if step.figure_kind else step.unit if step.figure == "rate" else QPS_UNIT
    for kind in workloads[step.workload].kinds:
        yield Step(
            name=f"{step.name}{OF_KIND}{kind}",
            kind=step.kind,
            group=step.group,
            figure=step.figure if is_latency else "rate",
            unit=step.unit if is_latency else of_rate,
            latency_per=step.latency_per,
            coordinates=step.coordinates,
            threads=step.threads,
            warm=step.warm,
            rate=step.rate,
            arrivals=step.arrivals,
            role=step.role,
            follows=step.follows,
            beside=True,
            event_kind=kind,
        )


def _check_keys(steps: Iterable[Step]) -> None:
    """Refuse a kind of a step without roles that has the name of a role: their series would be the same."""
    roles = {step.role for step in steps if step.role}
    name = next((step.event_kind for step in steps if step.event_kind and step.series_key in roles), "")
    if name:
        raise InputError(f"{name} is a kind of events and a role of this plan: rename one of them", "steps")
