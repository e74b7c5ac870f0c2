"""A plan seen from a terminal: the step at hand, its QPS, the time left; detaching with Ctrl+C."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from app.core.units import count_text, with_unit
from app.following.follower import Follower, FollowerLinkState, FollowerNews
from app.following.now import line_of
from app.following.progress import PlanProgress, stored_plan_progress
from app.following.progress_text import first_unneeded_round, not_needed_text
from app.history.store.history import History
from app.protocol.events import LogEvent, MomentEvent, SessionEnded, StepEnded
from app.protocol.plan import is_waiting
from app.protocol.states import NOT_NEEDED, OUT_OF_TIME
from app.stats.at_target.steady import UNSTEADY

from .screen import status_line

MOST_WAITING = 8  # updates, each of a few MiB at most
LOOK_S = 0.5  # at whether the person has detached, while an update waits

# why steps were not steady, by session and position: the history has looked at those that have ended
Unsteady = Callable[[], Mapping[tuple[str, int], str]]


class PlanEventPrinter:
    """Prints the events of a plan line by line, and a status line with the current step."""

    def __init__(self, say: Callable[[str], None], unsteady: Unsteady = dict) -> None:
        self.progress = PlanProgress()
        self._say = say
        self._unsteady = unsteady
        self._reasons: Mapping[tuple[str, int], str] = {}
        self._trouble = ""  # down or busy, as it was said last

    @property
    def line(self) -> str:
        return line_of(self.progress)

    def go_on_from(self, history: History, plan: str, sessions: Sequence[str]) -> Mapping[str, int]:
        """Read what is stored of a plan, without printing; returns the bytes of each journal."""
        self.progress, offsets = stored_plan_progress(history, plan, sessions)
        return offsets

    def take(self, update: FollowerNews) -> None:
        self._take_link(update.link)
        for session, text in update.refused.items():
            self._say(f"session {session}: {text}")
        if any(isinstance(line, StepEnded) for events in update.events.values() for line in events.lines):
            self._reasons = self._unsteady()
        for session, events in update.events.items():
            for event in events:
                self.progress.take(session, event)
                self._tell(session, event)

    def _take_link(self, link: FollowerLinkState) -> None:
        if link.state in ("down", "busy") and link.state != self._trouble:
            self._trouble = link.state
            what = "link lost" if link.state == "down" else "the history is locked"
            self._say(f"{what}: {link.text}; the plan continues there; connecting again")
        elif link.state in ("up", "ended") and self._trouble:
            self._say("link is back" if self._trouble == "down" else "the history is unlocked again")
            self._trouble = ""

    def _tell(self, session: str, event: Any) -> None:
        name = self.progress.name(session)
        match event:
            case StepEnded() if self._is_worth_a_line(event):
                self._say(self._result(name, session, event))
            case MomentEvent(name="repeated"):
                self._say(f"{name}: {self.progress.step(event.step).label}: {event.text}")
            case MomentEvent(name="crash"):
                self._say(f"{name}: {event.text}")
            case LogEvent(level="error", source="sysbench" | "agent"):
                self._say(f"{name}: {event.source}: {event.text}")
            case SessionEnded(reason=reason) if reason in NOT_NEEDED:
                self._tell_spared(session)
            case SessionEnded():
                self._say(self._end(session, event))

    def _is_worth_a_line(self, ended: StepEnded) -> bool:
        """Not of a wait for the server that went well, nor of a kind of events of a step that failed."""
        step = self.progress.step(ended.step)
        if step.event_kind and ended.outcome != "completed":
            return False
        return (
            ended.outcome != "completed"
            or bool(ended.marks)
            or not is_waiting(step.kind, step.unit, step.figure)
        )

    def _result(self, name: str, session: str, ended: StepEnded) -> str:
        step = self.progress.step(ended.step)
        text = f"{name}: {step.label}"
        if ended.outcome != "completed":
            return f"{text} {ended.outcome}: {ended.reason}"
        value = ended.reason or "no result" if ended.value is None else with_unit(ended.value, step.unit)
        marks = f" ({', '.join(ended.marks)})" if ended.marks else ""
        reason = self._reasons.get((session, ended.step))
        return f"{text} {value}{marks}" + (f"; {UNSTEADY}: {reason}" if reason else "")

    def _tell_spared(self, session: str) -> None:
        """Print once for each contender why it was not needed; once for all that the time is up."""
        plan, sessions = self.progress.plan, self.progress.sessions
        if plan is None or plan.turn_of(session).repeat != first_unneeded_round(plan, sessions, session):
            return
        turn = plan.turn_of(session)
        if sessions[session].reason != OUT_OF_TIME:
            self._say(f"{plan.contender_of(turn).name}: {not_needed_text(plan, sessions, session)}")
        elif turn.contender == 0:  # the base stays as long as anybody does
            self._say(f"the time is up after {count_text(turn.repeat - 1, 'repeat')}")

    def _end(self, session: str, ended: SessionEnded) -> str:
        failed = self.progress.sessions[session].failed_steps
        parts = [ended.reason, f"{count_text(failed, 'step')} failed" if failed else ""]
        return ": ".join([f"{self.progress.name(session)}: {ended.outcome}", *filter(None, parts)])


def follow(make: Callable[[Callable[[FollowerNews], None]], Follower], watch: PlanEventPrinter) -> bool:
    """Follow in a separate thread and print here; False if the person detached with Ctrl+C."""
    updates = FollowerUpdateQueue()
    follower = make(updates.put)
    thread = threading.Thread(target=_run, args=(follower, updates), name="follower", daemon=True)
    thread.start()
    try:
        _show(updates, watch)
    except KeyboardInterrupt:
        return False
    finally:
        follower.stop()
        updates.close()
        thread.join(5)
    return True


class FollowerUpdateQueue:
    """Updates from the follower, which waits if the terminal is slower than the target."""

    def __init__(self) -> None:
        self._queue: queue.Queue[FollowerNews | Exception | None] = queue.Queue(MOST_WAITING)
        self._is_closed = threading.Event()

    def put(self, update: FollowerNews | Exception | None) -> None:
        while not self._is_closed.is_set():
            with suppress(queue.Full):
                self._queue.put(update, timeout=LOOK_S)
                return

    def get(self) -> FollowerNews | Exception | None:
        return self._queue.get()

    def close(self) -> None:
        """Stop waiting: nobody reads further updates."""
        self._is_closed.set()


def _run(follower: Follower, updates: FollowerUpdateQueue) -> None:
    try:
        follower.run()
        updates.put(None)
    except Exception as error:
        updates.put(error)


def _show(updates: FollowerUpdateQueue, watch: PlanEventPrinter) -> None:
    """Print the update; on a terminal also renew the status line."""
    with status_line(watch.line) as show:
        while (update := updates.get()) is not None:
            if isinstance(update, Exception):
                raise update
            watch.take(update)
            show(watch.line)
