"""The stream of `follow`, taken apart: pieces of journals, beats, the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import msgspec

from app.core.errors import TargetError
from app.history.store.journals import whole_lines
from app.protocol.events import MAX_LINE

LONGEST_HEADER = 4096  # bytes of a line between the journals
MOST_CHATTER = 64 << 10  # bytes that a login script may print before the first line of the agent


@dataclass(frozen=True)
class Piece:
    """Whole lines of the journal of a session."""

    session: str
    offset: int
    raw: bytes


@dataclass(frozen=True)
class Beat:
    """A heartbeat; `locked`: an agent still runs the plan."""

    at: float
    locked: bool


@dataclass(frozen=True)
class PlanStreamEnd:
    """The plan has ended, and everything was sent."""


Frame = Piece | Beat | PlanStreamEnd


class _Said(msgspec.Struct):
    """A line between the journals, with the fields of every kind."""

    error: str | None = None
    beat: int | None = None
    at: float = 0.0
    locked: bool = True
    end: bool = False
    session: str = ""
    offset: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)] = 0
    bytes: Annotated[int, msgspec.Meta(ge=0, le=MAX_LINE)] = 0


_decode = msgspec.json.Decoder(_Said).decode


class FollowStreamSplitter:
    """Splits the stream of `follow`, wherever reads begin and end."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._session = ""
        self._offset = 0
        self._left = 0  # bytes of the journal still to come
        self._chatter = 0  # bytes of lines that are no protocol
        self.begun = False  # before, a login script may have printed something

    def feed(self, data: bytes) -> Iterator[Frame]:
        """Add bytes; returns the frames that are complete, adjacent lines as one piece."""
        self._buffer += data
        while self._buffer:
            if self._left:
                piece = self._piece()
                if piece is None:
                    return
                yield piece
                continue
            line = self._line()
            if line is None:
                return
            if line.startswith(b"{") or self.begun:
                yield from self._take(line)
                continue
            self._chatter += len(line) + 1
            if self._chatter > MOST_CHATTER:
                raise _no_protocol(line)

    def _piece(self) -> Piece | None:
        """The whole lines of the journal that have arrived."""
        with memoryview(self._buffer) as view:
            there = bytes(view[: self._left])
        raw = whole_lines(there)
        if not raw:
            if len(there) > MAX_LINE or len(there) == self._left:
                raise TargetError(f"the target sent an incomplete line of session {self._session}")
            return None
        del self._buffer[: len(raw)]
        self._left -= len(raw)
        self._offset += len(raw)
        return Piece(self._session, self._offset - len(raw), raw)

    def _line(self) -> bytes | None:
        end = self._buffer.find(b"\n")
        if end < 0:
            if len(self._buffer) > LONGEST_HEADER:
                raise _no_protocol(bytes(self._buffer[:80]))
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def _take(self, line: bytes) -> Iterator[Frame]:
        """Handle a heartbeat, the end, or the header of a piece."""
        try:
            said = _decode(line)
        except (ValueError, RecursionError):
            raise _no_protocol(line) from None
        if said.error is not None:
            raise TargetError(said.error)
        if said.beat is not None:
            yield Beat(said.at, said.locked)
        elif said.end:
            yield PlanStreamEnd()
        elif said.session:
            self._session, self._offset, self._left = said.session, said.offset, said.bytes
        else:
            raise _no_protocol(line)
        self.begun = True


def _no_protocol(line: bytes) -> TargetError:
    """The error for output that is not the agent's: trying again would bring the same."""
    return TargetError(f"the target sent something that is not Dyno's protocol: {line[:80]!r}")
