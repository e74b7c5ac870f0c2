"""The language between desktop and target: what it says, what it keeps, what it refuses."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol import events
from app.protocol.events import KINDS, MAX_LINE, Mark, Note, ProtocolError, Sample, Unknown, decode, encode

# of kinds, fields and their types; change it only together with PROTOCOL, which must grow
SCHEMA = {
    (1, 0): "d0340001a40b7e94",
    (1, 1): "da141e30c5dbcfd7",
    (1, 2): "c4175892b7eba825",
    (1, 3): "9c0c1620274a58b6",
}
TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


def schema_hash() -> str:
    schema = {kind: [[f.name, str(f.type)] for f in fields(cls)] for kind, cls in sorted(KINDS.items())}
    return hashlib.sha256(json.dumps(schema).encode()).hexdigest()[:16]


def test_the_schema_changes_only_with_the_version() -> None:
    assert SCHEMA[events.PROTOCOL] == schema_hash()


@given(TEXT, st.floats(allow_nan=False, allow_infinity=False))
def test_an_event_is_one_line_and_comes_back_as_it_was(text: str, at: float) -> None:
    event = Note(seq=1, t=0.5, at=at, text=text, step=3)
    line = encode(event)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode(line) == event


@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False)))
def test_a_missing_value_stays_missing(values: list[float | None]) -> None:
    event = Sample(seq=1, t=0.0, at=0.0, step=0, s=-1, dt=1.0, values=values)
    assert decode(encode(event)) == event


def test_a_newer_minor_adds_kinds_and_fields_that_are_kept() -> None:
    known = decode(b'{"kind":"mark","seq":1,"t":0,"at":0,"name":"x","colour":"red"}')
    assert isinstance(known, Mark)
    line = b'{"kind":"weather","seq":2,"t":0.5,"at":1.0,"rain":[1,2]}\n'
    unknown = decode(line)
    assert isinstance(unknown, Unknown)
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
