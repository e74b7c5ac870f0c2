"""A sequence file of one's own, made of a sequence and what a draft changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace

from app.catalog import Sequence, Workload
from app.planner.request.request import PlanRequest
from app.planner.resolve.steps import chosen_steps


def sequence_variant_text(
    sequence: Sequence, request: PlanRequest, workloads: Mapping[str, Workload], name: str
) -> str:
    """A sequence file of one's own with the ticked steps and the chosen sizes."""
    import tomli_w

    data: dict[str, object] = {"name": name, "title": sequence.title}
    for key in ("tables", "rows", "threads", "cores", "seconds", "warmup"):
        given = getattr(request, key)
        value = getattr(sequence, key) if given is None else given
        if value is not None:
            data[key] = list(value) if isinstance(value, tuple) else value
    if transport := request.transport or sequence.transport:
        data["transport"] = transport
    chosen = chosen_steps(sequence, request.steps, workloads)
    profiled = [replace(step, profile=step.profile or step.name in request.profile) for step in chosen]
    data["step"] = [_plain(asdict(step)) for step in profiled]
    return tomli_w.dumps(data)


def _plain(step: Mapping[str, object]) -> dict[str, object]:
    """The keys with values, for TOML."""
    said = {
        key: value for key, value in step.items() if value not in (None, "", {}, ()) and value is not False
    }
    return {key: _plain_list(value) if isinstance(value, tuple) else value for key, value in said.items()}


def _plain_list(values: tuple[object, ...]) -> list[object]:
    """A list of numbers, or of the variations of a step, for TOML."""
    return [_plain(each) if isinstance(each, dict) else each for each in values]
