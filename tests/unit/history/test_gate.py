"""What is stored of a journal can be read by every reader: anything else is refused when it is taken in."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from app.history.store.decoding import Events, decode_events
from app.protocol.checked.facts import SessionFacts
from app.protocol.events import KINDS, ProtocolError
from app.protocol.plan import Plan
from app.protocol.reading import ShapeError, read
from tests import journals
from tests.fuzz.damage import deep

WHOLE = [json.loads(line) for line in journals.whole(journals.plan()).raw.splitlines()]
FACT = {"kind": "fact", "seq": 2, "t": 0.1, "at": 1.0}


def event(kind: str, **changes: Any) -> dict[str, Any]:
    return {**next(each for each in reversed(WHOLE) if each["kind"] == kind), **changes}


def plan(part: str, **changes: Any) -> dict[str, Any]:
    """The first event with a change in the first contender, step or turn of its plan."""
    whole = json.loads(json.dumps(WHOLE[0]))
    where = whole["plan"][part][0] if part else whole["plan"]
    where.update(changes)
    return whole


def taken(data: dict[str, Any]) -> Any:
    return Events(decode_events(json.dumps(data).encode() + b"\n"))[0]


REFUSED = {
    "a figure that is a text": event("step_ended", value="fast"),
    "a figure of 1e308": event("step_ended", value=1e308),
    "a figure that nothing can be divided by": event("step_ended", value=5e-324),
    "a figure of 400 digits": event("step_ended", value=10**400),
    "a figure without end": event("step_ended", value=float("inf")),
    "a figure that is no number": event("step_ended", value=float("nan")),
    "a cost that is a list": event("step_ended", per_query={"cpu_us": [1]}),
    "a cost below nothing": event("step_ended", per_query={"cpu_us": -1}),
    "costs that are a list": event("step_ended", per_query=[1, 2]),
    "a bucket of one number": event("step_ended", buckets=[[1.0]]),
    "a bucket of texts": event("step_ended", buckets=[["a", "b"]]),
    "a size that is a text": event("step_ended", sizes={"total": "much"}),
    "a mark that is no text": event("step_ended", marks=[1]),
    "an outcome that nobody knows": event("step_ended", outcome="splendid"),
    "a settle step without its steps": event("step_ended", settled={"cause": 0, "seconds": 1.0}),
    "a settle step that waits for a text": event("step_ended", settled={"waited_for": {"purge": "long"}}),
    "a sample of 68 years": event("sample", s=1 << 31),
    "a sample of 1e308": event("sample", values=[1e308, 0, 0, 0, 0]),
    "latencies that are a list": event("sample", latency=[1]),
    "latencies of 10,000 characters": event("sample", latency="B" * 10_000),
    "a sample before the year 1": event("sample", at=-1e300),
    "a series without a name": event("series_declared", series=[{"unit": "s"}]),
    "a series with a map for a name": event("series_declared", series=[{"name": {}}]),
    "a name of 200,000 characters": event("mark", name="x" * 200_000),
    "a key of 200,000 characters": event("step_ended", status={"x" * 200_000: 1}),
    "deeper than anybody looks": {**FACT, "name": "odd", "value": deep(200)},
    "deeper than JSON is read": {**FACT, "name": "odd", "value": deep(900)},
    "a machine that is a text": {**FACT, "name": "machine", "value": "big"},
    "a CPU that is a list": {**FACT, "name": "machine", "value": {"cpu": [1]}},
    "cores that are a text": {**FACT, "name": "machine", "value": {"cpu": {"threads": "four"}}},
    "variables that are numbers": {**FACT, "name": "variables", "value": {"a": 1}},
    "a my.cnf that is a map": {**FACT, "name": "my_cnf", "value": {"a": 1}},
    "a memory limit that is a text": {**FACT, "name": "memory", "value": {"limit_bytes": "1G"}},
    "a compression that says nothing": {**FACT, "name": "compression", "value": {}},
    "an EXPLAIN without its statement": {**FACT, "name": "explain", "value": {"rows": []}},
    "a start state that is a list": {**FACT, "name": "start_state", "value": []},
    "a plan without contenders": plan("", contenders=None),
    "a plan with an id like a book": plan("", id="x" * 200_000),
    "a plan with a text for rows": plan("", rows="many"),
    "a file of a plan that is a number": plan("", files={"workloads/x.lua": 1}),
    "cores of a machine that is not built yet": plan("contenders", cores="0-99999999999"),
    "cores that are no list": plan("contenders", cores="all but one"),
    "a step of minus one thread": plan("steps", threads=-1),
    "a step that is swept over no threads": plan("steps", coordinates={"threads": 0}),
    "a step that is swept over a text": plan("steps", coordinates={"threads": "two"}),
    "options that are a list": plan("steps", options=[1]),
    "rows before that are a text": plan("steps", options={"rows_before": "some"}),
    "a step of an unknown kind": plan("steps", kind="dance"),
    "a turn of a contender that is not there": plan("turns", contender=7),
    "a seq that is false": event("note", seq=False),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_readers_cannot_show_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(ProtocolError) as caught:
        taken(data)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 400


KEPT = {
    "an unknown kind": {"kind": "weather", "seq": 2, "t": 0.1, "at": 1.0, "sky": {"grey": [1, None]}},
    "an unknown field": event("mark", colour="blue"),
    "an unknown fact": {**FACT, "name": "weather", "value": [{"sky": None}]},
    "an unknown key of a known fact": {**FACT, "name": "machine", "value": {"fans": 3, "cpu": None}},
    "a fact that was too large": {**FACT, "name": "variables", "value": {"left out": "2,000,000 bytes"}},
    "a figure that is missing": event("step_ended", value=None),
    "a cost that nobody knows": event("step_ended", per_query={"cpu_us": None, "new_cost": 1.5}),
    "a counter of 64 bits": event("step_ended", status={"innodb_lsn": 2**64 - 1e3}),
    "a settle step that was stopped": event("step_ended", settled={"seconds": 1.0, "capped": False}),
}


@pytest.mark.parametrize("data", KEPT.values(), ids=KEPT)
def test_what_a_newer_agent_adds_is_kept(data: dict[str, Any]) -> None:
    assert taken(data).kind in (data["kind"], "unknown")


def test_half_a_surrogate_pair_is_a_question_mark_everywhere() -> None:
    found = taken(event("mark", text="\ud800 hot", name="\udc80"))
    assert (found.text, found.name) == ("? hot", "?")


@pytest.mark.parametrize("cls", [*KINDS.values(), Plan, SessionFacts], ids=lambda cls: cls.__name__)
def test_each_field_has_limits(cls: Any) -> None:
    """A field of type Any is checked by size alone; a new one must be added here."""
    free = {field.name for field in fields(cls) if "Any" in str(field.type)}
    assert free <= {"plan", "value", "in_force", "statements"}
    with pytest.raises(ShapeError, match="lacks"):
        read(cls, {})
