"""The language between desktop and target: what it says, what it keeps, what it refuses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol import events
from app.protocol.events import (
    KINDS,
    MAX_LINE,
    MomentEvent,
    Note,
    ProtocolError,
    Sample,
    StepEnded,
    UnknownEvent,
    decode,
    encode,
)
from app.protocol.reading import MOST, YEAR_1, YEAR_9999

# of kinds, fields and their types; change it only together with PROTOCOL, which must grow
SCHEMA = {
    (1, 0): "d0340001a40b7e94",
    (1, 1): "da141e30c5dbcfd7",
    (1, 2): "c4175892b7eba825",
    (1, 3): "e88e469de6442163",
    (1, 4): "fee06defedb0abbf",
}
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def schema_hash() -> str:
    schema = {kind: list(map(list, fields_of(cls))) for kind, cls in sorted(KINDS.items())}
    return hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]


def fields_of(cls: Any) -> Iterator[tuple[str, str]]:
    """Names and types; not the limits, which names such as `Count` stand for."""
    types = get_type_hints(cls)
    return ((field.name, str(types[field.name])) for field in fields(cls))


def test_the_schema_changes_only_with_the_version() -> None:
    assert SCHEMA[events.PROTOCOL] == schema_hash()


@given(TEXT, st.floats(YEAR_1, YEAR_9999))
def test_an_event_is_one_line_and_comes_back_as_it_was(text: str, at: float) -> None:
    event = Note(seq=1, t=0.5, at=at, text=text, step=3)
    line = encode(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == event


@given(st.lists(st.none() | st.floats(-MOST, MOST)))
def test_a_missing_value_stays_missing(values: list[float | None]) -> None:
    event = Sample(seq=1, t=0.0, at=0.0, step=0, s=-1, dt=1.0, values=values)
    assert decode(encode(event)) == event


ENDED = (
    b'{"kind":"step_ended","seq":9,"t":1.5,"at":2.0,"step":1,"outcome":"completed","reason":"","value":1.5,'
    b'"seconds":2.0,"totals":%s,"latency_ms":{"p50":0.5,"p99":null},"buckets":[[0.5,3],[1.0,1]],'
    b'"per_query":{},"per_row":{},"status":{"questions":4},"sizes":{},"rows":{},"debt":{},"marks":[],'
    b'"settled":%s,"in_force":{},"others":%s,"schedule":%s,"limit":%s,"waits":%s,"statements":%s,"threads":%s,"operation":%s}\n'
)
NOTHING = (b"{}", b"{}", b"{}", b"{}", b"{}", b"{}", b"[]", b"{}", b"{}")
PARTS = (
    b'{"events":4,"queries":4,"rows":{}}',
    b'{"seconds":1.5,"waited_for":{"purge":2},"capped":true,"left":["purge"],"written_bytes":7,'
    b'"device_bytes":null,"steps":["load"],"cause":0,"run_written_bytes":null,"run_written_by":"device",'
    b'"rows":0,"row_bytes":null,"write_amplification":null}',
    b'{"cpus":2,"cpu_pct":3.5,"programs":[{"name":"cc","processes":1,"cpu_pct":3.5,"read_kb":0.0,'
    b'"write_kb":0.0,"memory_mb":0.0}]}',
    b'{"rate":200,"achieved":null,"behind_s":0.5,"queued":null}',
    b'{"p99_ms":5.0,"closed_rate":9.5,"rate":null,"tries":[{"rate":9,"p99_ms":null,"events":0,"passed":false}]}',
    b'{"by_name":false,"events":[{"name":"row lock","kind":"row_lock","count":3}],'
    b'"locks":[{"kind":"deadlock","waiting":"SELECT ?","seen":1}]}',
    b'[{"text":"SELECT ?","calls":4,"ms":0.0}]',
    b'{"kinds":{"client":{"threads":1.0,"samples":0,"seconds":0,"shares":{"running":{"pct":9.5,"error_pct":null}}}},'
    b'"problem":""}',
    b'{"at_s":20.5,"first_answer_s":3.25,"seconds":null,"before":900.0,"back_s":{"50":4.0,"95":null},'
    b'"kept_pct":null,"stall_s":3.5,"phases":{"scan redo":1.5},"acknowledged":70,"missing":0,"holes":0,'
    b'"returned":0,"unsent":0,"unanswered":1,"promised":true,"algorithm":"","size_before":null,'
    b'"size_after":null,"restored":null,"on_loop":false,"alone_s":null,"tool":"","backup_bytes":null,'
    b'"tables_counted":null,"tables_summed":null}',
)
STOPPED = b'{"seconds":1.5,"waited_for":{},"capped":false,"left":[]}'
UNPAID = b'{"seconds":1.5,"waited_for":{},"capped":false,"left":[],"written_bytes":7,"device_bytes":null}'


@pytest.mark.parametrize(
    "parts", [NOTHING, PARTS, (b"{}", STOPPED, *NOTHING[2:]), (b"{}", UNPAID, *NOTHING[2:])]
)
def test_an_ended_step_is_written_as_it_always_was(parts: tuple[bytes, ...]) -> None:
    event = decode(ENDED % parts)
    assert isinstance(event, StepEnded) and encode(event) == ENDED % parts
    assert (event.others is None) == (parts[2] == b"{}")


def test_a_newer_minor_adds_kinds_and_fields_that_are_kept() -> None:
    known = decode(b'{"kind":"mark","seq":1,"t":0,"at":0,"name":"x","colour":"red"}')
    assert isinstance(known, MomentEvent)
    line = b'{"kind":"weather","seq":2,"t":0.5,"at":1.0,"rain":[1,2]}\n'
    unknown = decode(line)
    assert isinstance(unknown, UnknownEvent)
    assert json.loads(encode(unknown)) == json.loads(line)


@pytest.mark.parametrize(
    ("version", "word"), [("2.0", "update Dyno"), ("0.9", "older Dyno"), ("x", "is not a protocol version")]
)
def test_another_major_is_refused_with_both_versions(version: str, word: str) -> None:
    line = {
        "kind": "session_planned",
        "seq": 1,
        "t": 0,
        "at": 0,
        "protocol": version,
        "session": "s",
        "plan": {},
    }
    with pytest.raises(ProtocolError, match=word):
        decode(json.dumps(line))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b'{"kind":"weather","seq":2,"t":[1]}',
        b'{"kind":"weather","seq":2,"at":"noon"}',
        b"[]",
        b'{"kind":"note"',
        b'{"kind":"note","seq":"1","t":0,"at":0,"text":"x"}',
        b'{"kind":"note","seq":true,"t":0,"at":0,"text":"x"}',
        b'{"kind":"note","seq":1,"t":0,"at":0}',
        b'{"kind":["note"],"seq":1}',
        b'{"seq":1}',
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_what_is_no_event_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(line)


def test_an_event_longer_than_a_line_may_be_is_refused() -> None:
    with pytest.raises(ProtocolError, match="are the most"):
        encode(Note(seq=1, t=0.0, at=0.0, text="x" * MAX_LINE))
