"""Requests of people to a running plan: files renamed into `control/`."""

from __future__ import annotations

import json
import os
import time
from typing import Any, Dict, List, Set

from app.protocol.events import Note

from .directory import write_file
from .journal import Journal

SESSION, STEP, PLAN = "session", "step", "plan"
ON_REQUEST = "asked for by a person"  # the reason of what ends by a request
BY_SIGNAL = "the agent was asked to end by a signal, as when its machine shuts down"


def request(control: str, verb: str, **what: Any) -> None:
    """Leave a request for the agent that carries out the plan."""
    name = "{:020d}-{}.json".format(time.time_ns(), os.getpid())
    hidden = os.path.join(control, "." + name)
    write_file(hidden, json.dumps({"verb": verb, **what}))
    os.rename(hidden, os.path.join(control, name))


class StopRequested(Exception):  # noqa: N818 - nothing is wrong
    """A person has requested the end of the session, which must not start its next step."""


class ControlRequests:
    """The requests to this plan so far; cheap to read, because it is read often."""

    def __init__(self, folder: str, time_box_s: float = 0.0) -> None:
        self._folder = folder
        self._time_box_s, self._began = time_box_s, time.monotonic()
        self._all = [self]  # of the plan: what one of them reads is meant for each
        self._is_twin = False
        self._seen = -1
        self._stop = ""  # of this session: step (after it) | session
        self._why = ON_REQUEST
        self._skip = False
        self._skipped = -1  # the latest step that was skipped
        self._profile = False
        self._notes: List[str] = []
        self.admitted: Set[str] = set()  # `admission` of load targets
        self.plan_stopped = False
        self.got_signal = False  # to end: the machine shuts down

    def look(self, journal: Journal, step: int = -1) -> None:
        """Read new requests; write notes to the journal at once."""
        if 0 < self._time_box_s < time.monotonic() - self._began:
            self.end_plan("the time box of the plan, {:.0f} s, is over".format(self._time_box_s))
        changed = os.stat(self._folder).st_mtime_ns
        if changed != self._seen:
            self._seen = changed
            self._take(step)
        for text in self._notes:
            journal.write(Note, text=text, step=step)
        self._notes = []

    def _take(self, step: int) -> None:
        for name in sorted(os.listdir(self._folder)):
            if name.startswith("."):
                continue
            path = os.path.join(self._folder, name)
            with open(path, encoding="utf-8") as file:
                self._accept(json.load(file), step)
            os.unlink(path)
            self._seen = -1  # the folder has just changed again: look once more

    def _accept(self, asked: Dict[str, Any], step: int) -> None:
        verb, what = asked.get("verb"), asked.get("what", SESSION)
        if verb == "note":
            self._notes.append(str(asked.get("text", "")))
            return
        if verb == "admit":
            self.admitted.add(str(asked.get("text", "")))
            return
        for each in self._all:
            each._hear(verb, what, step)

    def _hear(self, verb: Any, what: Any, step: int) -> None:
        if verb == "skip":
            self._skip, self._skipped = True, step
        elif verb == "profile":
            self._profile = True
        elif verb == "stop" and what == STEP:
            self._stop = self._stop or STEP
        elif verb == "stop":
            self._stop = SESSION
            self.plan_stopped = self.plan_stopped or what == PLAN

    def stop_plan(self) -> None:
        """Stop the plan, as a person would; called when the agent gets a signal to end."""
        self.got_signal = True
        self.end_plan(BY_SIGNAL)

    def end_plan(self, why: str) -> None:
        """The session that runs ends at once, and no other one begins."""
        for each in self._all:
            if not each.plan_stopped:
                each._stop, each.plan_stopped, each._why = SESSION, True, why

    def twin(self) -> ControlRequests:
        """The same requests, for another session of the round."""
        made = ControlRequests(self._folder, self._time_box_s)
        made._is_twin, made.plan_stopped = True, self.plan_stopped
        made._all, made.admitted, made._began = self._all, self.admitted, self._began
        self._all.append(made)
        return made

    def begin_session(self) -> None:
        """Drop earlier requests, which were for another session; in a round they are for all sessions."""
        if self.plan_stopped:
            self._stop = SESSION
        elif not self._is_twin:
            self._stop, self._skipped = "", -1
        self._skip = False

    def begin_step(self, step: int = -1) -> None:
        """Drop requests on the step before; in a round it is for this step of all sessions."""
        self._skip = self._is_twin and step == self._skipped >= 0
        self._profile = False

    def takes_profile(self) -> bool:
        """Whether to sample the stacks of the step that runs; a request is answered once."""
        wanted, self._profile = self._profile, False
        return wanted

    @property
    def interrupts(self) -> str:
        """Why the current step must end now: stopped, skipped, or ''."""
        if self._stop == SESSION:
            return "stopped"
        return "skipped" if self._skip else ""

    @property
    def why(self) -> str:
        """The reason of what ends now."""
        return self._why if self._stop else ON_REQUEST

    @property
    def ends_session(self) -> bool:
        return bool(self._stop)
