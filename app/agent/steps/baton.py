"""Sessions of a round at the same time: who holds the baton works, the servers of the others are stopped.

A session that has the machine to itself is a round of one.
"""

from __future__ import annotations

import threading
from typing import Callable, Dict, List, NamedTuple, Optional, Set

STOPPED_S = 240.0  # the longest stop of a server: InnoDB gives up after 600 s
BREATH_S = 0.2  # for which it then goes on


class StepSlicePosition(NamedTuple):
    """What a session is about to do: the setting up of a step is its slice 0."""

    step: int
    part: int = 0


class TurnHooks(NamedTuple):
    """What a session does where the baton comes and goes."""

    leave: Callable[[], None]
    come_back: Callable[[], None]
    breathe: Callable[[], None]  # while it waits: the server goes on for a moment
    pids: Callable[[], Set[int]]  # of its server and its load


class SliceTurns:
    """Passes the turn to the session that is furthest behind; among equals A B B A."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._places: List[SessionTurn] = []
        self._holder: Optional[SessionTurn] = None
        self._wanted: Dict[int, Dict[int, float]] = {}  # seconds of a slice, by step and place
        self._agreed: Dict[int, float] = {}  # by step
        self._pids: Set[int] = set()  # of servers and load so far

    def join(self) -> SessionTurn:
        """Add a session to the round; all join before the first one works."""
        place = SessionTurn(self, len(self._places))
        self._places.append(place)
        self._holder = self._holder or place
        return place

    def wait_for(self, place: SessionTurn, breathe: Callable[[], None]) -> None:
        with self._changed:
            while not self._changed.wait_for(lambda: self._holder is place, STOPPED_S):
                breathe()

    def hand_on(self) -> None:
        with self._changed:
            self._holder = self.next()
            self._changed.notify_all()

    def leave(self, place: SessionTurn) -> None:
        with self._changed:
            self._places.remove(place)
            for of_step in self._wanted.values():
                of_step.pop(place.number, None)
            self._holder = self.next() if self._places else None
            self._changed.notify_all()

    def next(self) -> SessionTurn:
        """The session whose turn is next."""
        behind = min(each.position for each in self._places)
        there = [each for each in self._places if each.position == behind]
        return there[-1] if sum(behind) % 2 else there[0]

    def want(self, step: int, place: SessionTurn, seconds: float) -> None:
        self._wanted.setdefault(step, {})[place.number] = seconds

    def agreed(self, step: int) -> float:
        """An answer that is the same for all sessions: the first one to ask may already have ended."""
        return self._agreed.setdefault(step, max(self._wanted.get(step, {}).values(), default=0.0))

    def note_pids(self) -> None:
        self._pids.update(pid for place in self._places for pid in place.own_pids())

    def pids(self) -> Set[int]:
        """Process ids of all sessions of the round, including those that have ended."""
        self.note_pids()
        return self._pids


class SessionTurn:
    """The place of one session in its round."""

    def __init__(self, baton: SliceTurns, number: int) -> None:
        self.number = number
        self.position = StepSlicePosition(0)
        self._baton = baton
        self._hooks: Optional[TurnHooks] = None

    def attach(self, hooks: TurnHooks) -> None:
        self._hooks = hooks

    def take(self) -> None:
        """Wait for the baton, before the session has anything that runs."""
        self._baton.wait_for(self, lambda: None)

    def pass_on(self, position: StepSlicePosition) -> None:
        """Let the sessions that are further behind work; returns when it is this one's turn."""
        self.position = position
        if self._baton.next() is self or self._hooks is None:
            return
        self._hooks.leave()
        self._baton.note_pids()
        self._baton.hand_on()
        self._baton.wait_for(self, self._hooks.breathe)
        self._hooks.come_back()

    def end(self) -> None:
        """Leave the round, however the session ended."""
        self._baton.leave(self)

    def agree(self, step: int, seconds: float) -> None:
        """Propose the length of a slice of the step for this contender."""
        self._baton.want(step, self, seconds)

    def agreed(self, step: int) -> float:
        """The longest length that any session proposed before the first one needs it."""
        return self._baton.agreed(step)

    def own_pids(self) -> Set[int]:
        return self._hooks.pids() if self._hooks is not None else set()

    def pids(self) -> Set[int]:
        return self._baton.pids()
