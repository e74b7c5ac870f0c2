"""The roles of a step: a sysbench for each, driven by one gate and one clock, with the face of one."""

from __future__ import annotations

import mmap
import os
import select
import time
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

from app.protocol.plan import Step
from app.protocol.sysbench import MOST_CLIENTS, MOST_ROLES, ROLES_BYTES, role_options

from .gate import ClientGate
from .generator import Generator
from .statement_times import StatementTimes

PASSED_ON = ("measured", "statement", "schedule", "figure")  # lines of the role of the figure, at once
AHEAD_S = 0.1  # from the word to the moment at which all begin
LATE_S = 0.15  # that the second of one role is waited for, once that of another has come
_OVER = (1).to_bytes(4, "little")  # its first word
_ALONE = "{} had nothing left to do while {}, which it follows, went on: the step ended"
_UNFINISHED = "{} had not done its part after {} s: the step ended"

StartRole = Callable[
    [Step, Sequence[str], Sequence[int]], Generator
]  # of a role, with options and open files


class RolesMemory:
    """The memory that the clients of all roles share: how far each has come, and whether the step is over."""

    def __init__(self) -> None:
        self.fd = os.memfd_create("dyno-roles")
        os.ftruncate(self.fd, ROLES_BYTES)
        self._map = mmap.mmap(self.fd, ROLES_BYTES)

    def has_ended(self, role: int, clients: int) -> bool:
        """Whether all clients of a role have done their part."""
        first = 4 * (1 + MOST_ROLES * MOST_CLIENTS + role * MOST_CLIENTS)
        return all(self._map[first : first + 4 * clients : 4])

    def answered(self, role: int, clients: int) -> bytes:
        """How many statements of each client of a role were answered, as it stands there."""
        first = 4 * (1 + role * MOST_CLIENTS)
        return self._map[first : first + 4 * clients]

    def end_step(self) -> None:
        """Each client ends behind its statement; one that follows another catches up with it first."""
        self._map[:4] = _OVER

    def close(self) -> None:
        self._map.close()
        os.close(self.fd)


class RoleLoad:
    """One role while its step runs, and what its sysbench has said."""

    def __init__(self, step: Step, generator: Generator) -> None:
        self.step = step
        self.generator = generator
        self.total: Optional[Dict[str, Any]] = None
        self.statement_times = StatementTimes()
        self.behind_s: Optional[float] = None
        self.rows: Dict[str, Any] = {}  # of its warm-up
        self.connections: List[int] = []  # by the numbers that the server gave them
        self.code = 0

    @property
    def has_failed(self) -> bool:
        """Whether its sysbench has ended without a total."""
        return not self.generator.is_open and self.total is None

    def take(self, line: Mapping[str, Any]) -> None:
        """Keep what is of this role alone."""
        kind = line.get("type")
        if kind == "total":
            self.total = dict(line)
        elif kind == "figure":
            self.statement_times.take(line)
        elif kind == "schedule":
            self.behind_s = float(line["behind_s"])
        elif kind == "measured":
            self.rows = line["rows"]
        elif kind == "connection":
            self.connections.append(int(line["id"]))


class RoleGenerators:
    """Runs the roles of a step; gives the lines of that of its figure, with those of the others in them."""

    def __init__(
        self,
        steps: Sequence[Step],
        start: StartRole,
        cap_s: float,
        before: Callable[[Mapping[str, List[int]]], None],
    ) -> None:
        self._memory, self._gate = RolesMemory(), ClientGate()
        self._cap_s = cap_s
        self._before = before  # told the connections of each role, once all clients wait
        self._waiting = 0  # clients that wait for the moment to begin
        self._ends_at = 0.0  # by the time limit of the step; 0.0: it has not begun, or has none
        self._is_ending = self._has_told = self._is_closed = False
        self._failed: List[RoleLoad] = []  # for which the step ended
        self._problem = ""
        self._seconds: Dict[int, Dict[str, Any]] = {}  # lines of a second that not all have said, by number
        self._since = 0.0  # the first of them came then
        self.roles: List[RoleLoad] = []
        files = (self._memory.fd, self._gate.reader)
        shared = ["--roles-fd={}".format(files[0]), "--begin-fd={}".format(files[1])]
        try:
            for at, step in enumerate(steps):
                generator = start(step, [*role_options(at, steps), *shared], files)
                self.roles.append(RoleLoad(step, generator))
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        return self.roles[0].generator.pid

    @property
    def pids(self) -> List[int]:
        return [role.generator.pid for role in self.roles]

    @property
    def answered(self) -> bytes:
        """How many statements of each client of the first role were answered: other bytes, other counts."""
        return b"" if self._is_closed else self._memory.answered(0, self.roles[0].step.threads)

    @property
    def is_open(self) -> bool:
        return any(self._open())

    def _open(self) -> Iterator[RoleLoad]:
        return (role for role in self.roles if role.generator.is_open)

    def read(self, timeout_s: float) -> List[Dict[str, Any]]:
        """The new lines, [] after the time limit; is_open is False after the last."""
        if self._seconds:
            timeout_s = min(timeout_s, max(0.0, self._since + LATE_S - time.monotonic()))
        there = [role.generator for role in self._open()]
        ready = select.select(there, [], [], max(0.0, timeout_s))[0] if there else []
        lines: List[Dict[str, Any]] = []
        for role in self.roles:
            if role.generator in ready:
                for line in role.generator.read(0):
                    lines += self._take(role, line)
        self._look_after()
        return [*lines, *self._whole_seconds(), *self._last()]

    def _take(self, role: RoleLoad, line: Dict[str, Any]) -> List[Dict[str, Any]]:
        """The lines that can be passed on at once: of the role of the figure."""
        kind = line.get("type")
        role.take(line)
        if kind == "waiting":
            self._waiting += 1
            self._begin_when_all_wait()
        elif kind == "second":
            self._since = self._since if self._seconds else time.monotonic()
            self._seconds.setdefault(round(float(line["time_s"])), {})[role.step.role] = line
        return [line] if role is self.roles[0] and kind in PASSED_ON else []

    def _begin_when_all_wait(self) -> None:
        clients = sum(role.step.threads for role in self.roles)
        if self._waiting == clients:
            self._before({role.step.role: role.connections for role in self.roles})
            begins_at = time.monotonic() + AHEAD_S
            self._gate.begin(clients, begins_at)
            self._ends_at = begins_at + self._cap_s if self._cap_s else 0.0

    def _whole_seconds(self) -> List[Dict[str, Any]]:
        """The seconds that all roles have told, or that one of them is late with."""
        is_late = time.monotonic() >= self._since + LATE_S
        there = {role.step.role for role in self._open()}
        told = [at for at, lines in sorted(self._seconds.items()) if is_late or there <= lines.keys()]
        return [line for at in told for line in self._second(self._seconds.pop(at))]

    def _second(self, lines: Dict[str, Any]) -> List[Dict[str, Any]]:
        line = lines.get(self.roles[0].step.role)
        return [] if line is None else [{**line, "roles": lines}]

    def _last(self) -> List[Dict[str, Any]]:
        """The total of the figure's role, once all have ended."""
        total = self.roles[0].total
        if total is None or self._has_told or self.is_open:
            return []
        self._has_told = True
        return [total]

    # the end

    def _look_after(self) -> None:
        """End the step once it is over: its roles have done theirs, one has failed, or its time is up."""
        if self._is_ending:
            return
        alone = next(filter(None, map(self._alone_text, self.roles)), "")
        if alone:
            self._end_step(alone)
        elif self._ends_at and time.monotonic() > self._ends_at:
            self._end_step(self._late_text())
        elif any(role.has_failed for role in self.roles) or all(
            role.total is not None for role in self.roles if role.step.ends
        ):
            self._end_step("")

    def _alone_text(self, role: RoleLoad) -> str:
        """Why the step ends with a role that has ended before the one that it follows; '' if it has not."""
        if not role.step.follows or role.total is None:
            return ""
        at = next(at for at, each in enumerate(self.roles) if each.step.role == role.step.follows)
        leader = self.roles[at].step
        return (
            "" if self._memory.has_ended(at, leader.threads) else _ALONE.format(role.step.role, leader.role)
        )

    def _late_text(self) -> str:
        late = [role.step for role in self.roles if role.step.ends and role.total is None]
        without = [step.role for step in late if not step.least_pct]
        return _UNFINISHED.format(without[0], round(self._cap_s)) if without else ""

    def _end_step(self, problem: str) -> None:
        """Let all clients end; where one has failed, others may wait for it, or at the gate, for ever."""
        self._problem, self._is_ending = problem, True
        self._failed = [role for role in self.roles if role.has_failed]
        self._memory.end_step()
        if self._failed:
            for role in self.roles:
                role.generator.stop()

    def stop(self) -> None:
        for role in self.roles:
            role.generator.stop()
        self._close()

    def wait(self) -> int:
        """The exit code: that of the first one that failed; 1 where one has not done its part."""
        for role in self.roles:
            role.code = role.generator.wait()
        self._close()
        return next((role.code for role in self.roles if role.code), int(bool(self._problem)))

    def _close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._gate.close()
            self._memory.close()

    def complaints(self) -> List[str]:
        """What went wrong, with the role that it went wrong with."""
        failed = self._failed or [role for role in self.roles if role.code]
        said = [
            "{}: {}".format(role.step.role, text)
            for role in failed
            for text in role.generator.complaints() or ["sysbench ended with exit code {}".format(role.code)]
        ]
        return [self._problem] if self._problem else said
