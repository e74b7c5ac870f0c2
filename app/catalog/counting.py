"""A sequence that counts one workload, made from the name of that: `work.read-only`, of no file."""

from __future__ import annotations

from dataclasses import asdict, replace

from app.core.toml_text import read_document

from .sequence import Sequence, SequenceStep, sequence_of
from .workload import Workload

COUNTED = "work"  # the sequence whose sizes, load and steps it takes
_PREFIX = f"{COUNTED}."
EVENTS, LEAST_EVENTS = 250, 25  # of a workload that `work` lacks; of long transactions fewer


def counted_sequence_name(workload: str = "") -> str:
    """The sequence that counts this workload; without one `work`, which counts several."""
    return f"{_PREFIX}{workload}" if workload else COUNTED


def counted_workload(sequence: str) -> str:
    """The workload that a sequence is made for; '' of every other sequence."""
    return sequence[len(_PREFIX) :] if sequence.startswith(_PREFIX) else ""


def counted_sequence(workload: Workload, like: Sequence, load: str = "") -> Sequence:
    """The sequence that counts a workload, with all else like `work`; `load`: fills tables of its own."""
    import tomli_w

    name = counted_sequence_name(workload.name)
    loading = [step for step in like.steps if not step.count]
    if load:
        loading = [replace(loading[0], workload=load)]
    head = {
        "name": name,
        "title": f"The work of {workload.name}, counted: instructions of the server for an event",
        "study": like.study,
        "about": like.about,
        "tables": like.tables,
        "rows": like.rows,
        "threads": list(like.threads or ()),
    }
    steps = (*loading, _counted_step(workload, like))
    text = tomli_w.dumps({**head, "step": [_said(step) for step in steps]})
    label = f"sequences/{name}.toml"
    return sequence_of(read_document(text, label), name, True, label)


def _counted_step(workload: Workload, like: Sequence) -> SequenceStep:
    """As `work` counts it, else with fewer events the more statements each has."""
    events = max(LEAST_EVENTS, EVENTS // workload.queries_per_event)
    usual = SequenceStep(workload.name, workload.name, count=events)
    found = next((step for step in like.steps if step.workload == workload.name and step.count), usual)
    return replace(found, name=workload.name)


def _said(step: SequenceStep) -> dict[str, object]:
    return {key: value for key, value in asdict(step).items() if value not in (None, "", {}, (), False)}
