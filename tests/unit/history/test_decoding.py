"""The fast road of samples says the same as the protocol."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.history.store.decoding import Events, SampleLine, decode_events
from app.protocol import events
from tests import journals

WHOLE = journals.whole(journals.plan(), failed=2)
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_a_sample_line_has_the_fields_of_a_sample() -> None:
    """Whoever adds a field to Sample adds it here."""
    assert SampleLine.__struct_fields__ == tuple(field.name for field in fields(events.Sample))


def test_events_are_those_of_the_protocol() -> None:
    found = Events(decode_events(WHOLE.raw))
    assert list(found) == [events.decode(line) for line in WHOLE.raw.splitlines()] == WHOLE.events
    assert found[3] == WHOLE.events[3] and list(found[3:5]) == WHOLE.events[3:5]
    assert list(found[:2] + found[2:]) == WHOLE.events


@settings(max_examples=200)
@given(
    event=st.sampled_from([json.loads(line) for line in WHOLE.raw.splitlines()]),
    changes=st.dictionaries(st.sampled_from(["seq", "t", "s", "values", "step", "kind", "new"]), anything),
)
def test_what_the_protocol_refuses_is_refused(event: dict[str, Any], changes: dict[str, Any]) -> None:
    line = json.dumps({**event, **changes}, separators=(",", ":")).encode()
    try:
        expected = events.decode(line)
    except events.ProtocolError:
        with pytest.raises(events.ProtocolError):
            decode_events(line + b"\n")
        return
    with contextlib.suppress(events.ProtocolError):  # see app/protocol/checked
        (found,) = Events(decode_events(line + b"\n"))
        assert found == expected


@pytest.mark.parametrize("raw", [b"{}\n", b"[]\n", b"\n", b"x\n", b'{"kind":"sample",\n', b"\xff\n", b"{}"])
def test_what_is_no_kept_event_is_refused(raw: bytes) -> None:
    with pytest.raises(events.ProtocolError):
        decode_events(raw)


def test_a_line_that_is_too_long_is_refused() -> None:
    line = b'{"kind":"new","seq":1,"text":"%s"}\n' % (b"x" * events.MAX_LINE)
    with pytest.raises(events.ProtocolError, match="more than"):
        decode_events(line)
