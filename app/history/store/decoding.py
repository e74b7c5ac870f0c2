"""From the bytes of a journal to events; samples, nearly all of the lines, have a fast road of their own."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Annotated, overload

import msgspec
from msgspec import Meta

from app.protocol.checked import ShapeError, decode_json
from app.protocol.checked.facts import check_event
from app.protocol.events import MAX_LINE, Event, ProtocolError, Sample, UnknownEvent, from_json
from app.protocol.reading import NUMBERS, TEXTS, WHOLE

_SAMPLE = b'{"kind":"sample",'


def _limits(name: str) -> Meta:
    """Those of an annotation of the protocol."""
    if name in TEXTS:
        return Meta(max_length=TEXTS[name][1])
    least, most = WHOLE.get(name) or NUMBERS[name]
    return Meta(ge=least, le=most)


class SampleLine(msgspec.Struct, gc=False):
    """A `Sample` for the history: decoded and checked in a fifth of the time."""

    seq: Annotated[int, _limits("Seq")]
    t: Annotated[float, _limits("Seconds")]
    at: Annotated[float, _limits("Moment")]
    step: Annotated[int, _limits("Place")]
    s: Annotated[int, _limits("Second")]
    dt: Annotated[float, _limits("Seconds")]
    values: list[Annotated[float, _limits("Number")] | None]
    derived: bool = False
    latency: Annotated[str, _limits("LatencyCode")] | None = None

    def event(self) -> Sample:
        measured = (self.s, self.dt, list(self.values), self.derived, self.latency)
        return Sample(self.seq, self.t, self.at, self.step, *measured)


Line = SampleLine | Event
_decode_sample = msgspec.json.Decoder(SampleLine).decode


def decode_events(raw: bytes) -> list[Line]:
    """The events of whole lines; raises ProtocolError at the first that cannot be read and stored."""
    lines = raw.split(b"\n")
    if len(raw) > MAX_LINE and max(map(len, lines)) >= MAX_LINE:
        raise ProtocolError(f"a line has more than {MAX_LINE:,} bytes")
    if lines.pop():
        raise ProtocolError("the last line is incomplete")
    return [_decode_fast(line) if line.startswith(_SAMPLE) else _decode_line(line) for line in lines]


def decode_until_damaged(raw: bytes) -> list[Line]:
    """The events of whole lines, up to the first that cannot be read."""
    with suppress(ProtocolError):
        return decode_events(raw)
    found: list[Line] = []
    with suppress(ProtocolError):
        for line in io.BytesIO(raw):
            found += decode_events(line)
    return found


def _decode_fast(line: bytes) -> Line:
    try:
        return _decode_sample(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_line(line)  # which says what is wrong with it


def _decode_line(line: bytes) -> Line:
    try:
        data = decode_json(line)
        event = from_json(data)
        check_event(event)
    except ShapeError as error:
        raise ProtocolError(f"not an event: {error}") from None
    if not isinstance(event, Sample):
        return event
    return msgspec.convert(event, SampleLine, from_attributes=True)


class Events(Sequence[Event]):
    """The events of a batch; samples become events only when read."""

    def __init__(self, lines: Sequence[Line] = ()) -> None:
        self._lines = lines

    @property
    def lines(self) -> Sequence[Line]:
        """The lines as read, which creates nothing for samples."""
        return self._lines

    def __add__(self, more: Events) -> Events:
        return Events([*self._lines, *more._lines])

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[Event]:
        return map(_event, self._lines)

    @overload
    def __getitem__(self, at: int) -> Event: ...

    @overload
    def __getitem__(self, at: slice) -> Events: ...

    def __getitem__(self, at: int | slice) -> Event | Events:
        if isinstance(at, slice):
            return Events(self._lines[at])
        return _event(self._lines[at])


def _event(line: Line) -> Event:
    return line.event() if isinstance(line, SampleLine) else line


def kind_of(event: Event) -> str:
    """The kind as in the journal, also an unknown one."""
    return str(event.data["kind"]) if isinstance(event, UnknownEvent) else event.kind
