"""A sequence file of one's own, made of a sequence and what a draft changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from app.catalog import Sequence, SequenceRole, SequenceStep, StepVariation, Workload
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
    data["step"] = [_said(step) for step in profiled]
    return tomli_w.dumps(data)


def _said(entry: SequenceStep | StepVariation | SequenceRole) -> dict[str, object]:
    """The keys that say more than left out, for TOML."""
    values = ((each, getattr(entry, each.name)) for each in fields(entry))
    return {each.name: _listed(value) for each, value in values if value not in (each.default, {})}


def _listed(value: object) -> object:
    """A tuple of numbers, variations or roles as a list."""
    if not isinstance(value, tuple):
        return value
    return [_said(each) if isinstance(each, (StepVariation, SequenceRole)) else each for each in value]
