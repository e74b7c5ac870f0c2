"""What a plan has that differs from the defaults, in one line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.errors import InputError
from app.core.ranges import as_listed
from app.core.units import count_text, first_texts, seconds_text
from app.planner.request.cores import OWN_CPUS
from app.planner.request.request import PlanRequest
from app.planner.request.slicing import servers_at_once
from app.planner.resolve.sweep import parse_vary_option

from .choices import TickableStep

_USUAL = PlanRequest()
_STARTS = {"restarted": "servers restart after the load", "snapshot": "from a copy of the data"}
_GAPS = {"even": ", evenly", "each-second": ", each second its part"}
_FLAGS = {
    "repeat_if_disturbed": "repeats what is disturbed",
    "allow_busy": "a busy target is allowed",
    "allow_small_disk": "a small disk is allowed",
}


def unusual_text(request: PlanRequest, steps: Sequence[TickableStep]) -> str:
    """`30 s a step, servers take turns`; '' where all is as usual."""
    parts = (
        *_of_steps(request, steps),
        *_of_sweep(request),
        *_of_servers(request),
        *_of_machines(request),
    )
    return ", ".join(parts)


def _of_steps(request: PlanRequest, steps: Sequence[TickableStep]) -> Iterator[str]:
    chosen = [each for each in steps if each.is_fixed or each.name in request.steps]
    if request.steps and len(chosen) < len(steps):
        yield "some steps left out"
    if request.profile:
        yield f"{count_text(len(request.profile), 'step')} profiled"
    if request.tables is not None:
        yield count_text(request.tables, "table")
    if request.seconds is not None:
        yield f"{request.seconds} s a step"
    if request.warmup is not None:
        yield f"{request.warmup} s warm-up"
    if request.pause:
        yield f"{request.pause} s pause"


def _of_sweep(request: PlanRequest) -> Iterator[str]:
    if request.cores is not None:
        yield f"{'core sets' if len(request.cores) > 1 else 'core set'} {as_listed(request.cores)}"
    if request.cpus == OWN_CPUS:
        yield "server and load on own CPUs"
    if request.rate is not None:
        yield f"{as_listed(request.rate)} events/s{_GAPS.get(request.arrivals, '')}"
    if request.vary:
        yield _variable_text(request.vary)


def _variable_text(vary: str) -> str:
    try:
        values = count_text(len(parse_vary_option(vary)), "value")
    except InputError:
        return "a variable"
    return f"{values} of {vary.partition('=')[0]}"


def _of_servers(request: PlanRequest) -> Iterator[str]:
    if request.load_method != _USUAL.load_method:
        yield f"{request.load_method} load"
    if servers_at_once(request) > 1:
        yield "servers take turns"
    elif request.order != _USUAL.order:
        yield f"{request.order} order"
    if request.start in _STARTS:
        yield _STARTS[request.start]
    if request.transport:
        yield f"by {request.transport}"
    if request.instruments != _USUAL.instruments:
        yield "with wait instruments"


def _of_machines(request: PlanRequest) -> Iterator[str]:
    if request.load:
        yield f"load from {first_texts(list(request.load))}"
    if request.time_box:
        yield f"time box of {seconds_text(request.time_box)}"
    if request.quiet_wait:
        yield "waits until quiet"
    yield from (text for name, text in _FLAGS.items() if getattr(request, name))
    if request.name:
        yield f"named {request.name}"
