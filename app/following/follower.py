"""Following a plan: fetch its journals from the target, store them, tell what is new. Knows no Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from app.core.errors import DynoError, LinkError, TargetError
from app.history.recorded.recording import JournalError
from app.history.recorded.writing import JournalStorer, keep_clock_offset, record_unlocked_journals
from app.history.store.decoding import Events
from app.history.store.history import History, HistoryBusyError

from .frames import Beat, FollowStreamSplitter, Piece, PlanStreamEnd

SILENCE_S = 10.0  # without a beat the link is dead
PATIENCE_S = 1.0  # of one read: after it `stop` is looked at
LONGEST_WAIT_S = 30.0
GATHER = 2 << 20  # bytes taken together where a lot is waiting
BUSY = 1 << 14  # a read of this many bytes means that more is waiting


class Closable(Protocol):
    def close(self) -> None: ...


class Stream(Protocol):
    """The output stream of `follow`."""

    @property
    def returncode(self) -> int | None: ...

    @property
    def stderr(self) -> bytes: ...

    def read(self, timeout_s: float) -> bytes: ...

    def close(self) -> None: ...


class PlanEventSource(Protocol):
    """What a follower needs of the agent on a target; `remote.Agent` is one."""

    @property
    def connection(self) -> Closable: ...

    def follow(self, plan: str, offsets: Mapping[str, int]) -> Stream: ...


@dataclass(frozen=True)
class FollowerLinkState:
    """State of the link: connecting, up, down or busy (next try in `retry_s`), ended (all fetched).

    Busy: the target is there, and another process holds the lock of the history.
    """

    state: str = "connecting"
    text: str = ""
    retry_s: float = 0.0
    locked: bool = True  # as far as is known
    clock_offset_s: float | None = None  # the target's clock less ours
    window_text: str = ""  # where `text` names a command


@dataclass(frozen=True)
class FollowerNews:
    """News of a follower: new events by session, refused journals, and the link."""

    link: FollowerLinkState
    events: Mapping[str, Events] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)


Publish = Callable[[FollowerNews], None]


@dataclass
class FollowerBatch:
    """What one step of the pump read."""

    events: dict[str, Events] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    beat: Beat | None = None
    ended: bool = False


class JournalStreamReader:
    """Reads, splits and stores the stream of one connection."""

    def __init__(
        self,
        plan: str,
        sessions: Iterable[str],
        writer: JournalStorer,
        gather: int = GATHER,
        offsets: dict[str, int] | None = None,
    ) -> None:
        self._plan = plan
        self._offsets = {} if offsets is None else offsets  # up to which events were returned
        self._writer = writer
        self._gather = gather
        self._frames = FollowStreamSplitter()
        self._asked = frozenset(sessions)
        self.open = set(self._asked)  # of which more is wanted
        self.begun = False  # the agent has answered
        self._told: set[str] = set()

    def pump(self, read: Callable[[float], bytes]) -> FollowerBatch:
        """Store what has arrived; raises EOFError at the end of the stream, TimeoutError on silence."""
        pumped = FollowerBatch()
        pieces: dict[str, list[Piece]] = {}
        for frame in self._frames.feed(_gathered(read, self._gather)):
            match frame:
                case Piece():
                    pieces.setdefault(frame.session, []).append(frame)
                case Beat():
                    pumped.beat = frame
                case PlanStreamEnd():
                    pumped.ended = True
        for parts in pieces.values():
            self._store(parts, pumped)
        self.begun = self._frames.begun
        return pumped

    def _store(self, parts: Sequence[Piece], pumped: FollowerBatch) -> None:
        session, offset = parts[0].session, parts[0].offset
        if session not in self._asked:
            raise TargetError(f"the target sent a journal that nobody asked for: {session[:80]!r}")
        if session not in self.open:
            return
        try:
            for offset, raw in _joined(parts):
                new = self._writer.append(self._plan, session, offset, raw, with_known=True)
                self._offsets[session] = offset + len(raw)
                pumped.events[session] = pumped.events.get(session, Events()) + new
        except JournalError as error:
            self.open.discard(session)
            pumped.refused[session] = str(error)
            return
        refusal = self._writer.refusal(session)
        if refusal and session not in self._told:  # its bytes are kept all the same
            self._told.add(session)
            pumped.refused[session] = refusal


def _joined(parts: Sequence[Piece]) -> list[tuple[int, bytes]]:
    """Adjacent pieces joined into one."""
    joined: list[tuple[int, list[bytes]]] = []
    end = -1
    for part in parts:
        if part.offset != end:
            joined.append((part.offset, []))
        joined[-1][1].append(part.raw)
        end = part.offset + len(part.raw)
    return [(offset, b"".join(raws)) for offset, raws in joined]


def _gathered(read: Callable[[float], bytes], most: int) -> bytes:
    """Everything readable now, at once: a transaction for each read would cost more than the events."""
    parts = [read(PATIENCE_S)]
    if not parts[0]:
        raise EOFError
    size = len(parts[0])
    while len(parts[-1]) >= BUSY and size < most:
        try:
            parts.append(read(0.05))
        except TimeoutError:
            break
        size += len(parts[-1])
    return b"".join(parts)


class Follower:
    """Follows one plan until it ends or `stop` is called; `run` is the body of a thread of its own."""

    def __init__(
        self,
        home: Path,
        plan: str,
        sessions: Sequence[str],
        connect: Callable[[], PlanEventSource],
        publish: Publish,
        clock: Callable[[], float] = time.time,
        stopping: threading.Event | None = None,
        gather: int = GATHER,
        stored: Callable[[History], Mapping[str, int]] = lambda _: {},
    ) -> None:
        """`stored` reads what is stored, and returns the bytes of each journal that are in it.

        It is called when kept journals and history agree; what follows those bytes is published.
        """
        self._home = home
        self._plan = plan
        self._sessions = tuple(sessions)
        self._connect = connect  # a fresh source at each call: the old connection may be dead
        self._publish = publish
        self._clock = clock
        self._stopping = stopping or threading.Event()
        self._gather = gather
        self._stored = stored
        self._told: dict[str, int] = {}  # up to which events were returned, also those that others stored
        self._failures = 0
        self._refused: set[str] = set()
        self._link = FollowerLinkState()

    def stop(self) -> None:
        """Make `run` return soon; the plan runs on at the target."""
        self._stopping.set()

    def run(self) -> None:
        """Follow the plan; raises TargetError if the target refuses, HistoryError if storing fails."""
        with History(self._home) as history:
            writer = JournalStorer(history)
            torn, has_begun = list(self._sessions), False  # torn perhaps, by a crash
            while not self._stopping.is_set():
                try:
                    while torn:
                        writer.recover(self._plan, torn[-1])
                        torn.pop()
                    if not has_begun:
                        self._told, has_begun = dict(self._stored(history)), True
                    self._follow(history, writer)
                    return
                except (LinkError, HistoryBusyError) as error:
                    self._wait(error)

    def _follow(self, history: History, writer: JournalStorer) -> None:
        """Follow over one connection until the plan ends."""
        self._tell(FollowerLinkState("connecting"))
        wanted = [
            session
            for session in self._sessions
            if session not in self._refused and not writer.is_deleted(session)
        ]
        source = self._connect()
        stream = None
        try:
            for session, offset in writer.offsets(wanted).items():
                self._told[session] = min(self._told.get(session, offset), offset)
            stream = source.follow(self._plan, {session: self._told[session] for session in wanted})
            self._read(
                stream, JournalStreamReader(self._plan, wanted, writer, self._gather, self._told), history
            )
        finally:
            if stream is not None:
                stream.close()
            source.connection.close()

    def _read(self, stream: Stream, pump: JournalStreamReader, history: History) -> None:
        silent_s = 0.0
        while not self._stopping.is_set():
            try:
                pumped = pump.pump(stream.read)
            except TimeoutError:
                silent_s += PATIENCE_S
                if silent_s >= SILENCE_S:
                    raise LinkError(f"nothing was heard for {SILENCE_S:.0f} s") from None
                continue
            except EOFError:
                raise _ended_early(stream, pump.begun) from None
            silent_s = 0.0
            self._failures = 0
            self._refused = set(self._sessions) - pump.open
            if pumped.ended:
                record_unlocked_journals(history, self._sessions)
            self._tell(self._link_of(pumped, history), pumped)
            if pumped.ended:
                return

    def _link_of(self, pumped: FollowerBatch, history: History) -> FollowerLinkState:
        if pumped.ended:
            return replace(self._link, state="ended", locked=False)
        offset = self._link.clock_offset_s
        if pumped.beat is not None and offset is None:
            now = self._clock()
            offset = pumped.beat.at - now
            keep_clock_offset(history, self._plan, now, offset)
        locked = pumped.beat.locked if pumped.beat is not None else self._link.locked
        return FollowerLinkState("up", locked=locked, clock_offset_s=offset)

    def _wait(self, error: Exception) -> None:
        """Back off 1, 2, 4 ... 30 seconds."""
        retry_s = min(LONGEST_WAIT_S, 2.0**self._failures)
        self._failures += 1
        state = "busy" if isinstance(error, HistoryBusyError) else "down"
        in_window = error.window_text if isinstance(error, DynoError) else ""
        self._tell(FollowerLinkState(state, str(error), retry_s, window_text=in_window))
        self._stopping.wait(retry_s)

    def _tell(self, link: FollowerLinkState, pumped: FollowerBatch | None = None) -> None:
        self._link = link
        self._publish(FollowerNews(link, pumped.events, pumped.refused) if pumped else FollowerNews(link))


def _ended_early(stream: Stream, begun: bool) -> Exception:
    """The error of a stream without an end: the link broke, or no agent ran."""
    words = stream.stderr.decode("utf-8", "replace").strip().splitlines()
    text = words[-1] if words else "the connection was closed"
    if not begun and stream.returncode in range(128):  # beyond: a signal; before: the link
        return TargetError(f"the agent cannot be followed: {text}")
    return LinkError(text)
