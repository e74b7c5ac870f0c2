"""Load targets that were restarted are called again, as long as a desktop follows their plan."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from app.core.errors import DynoError, LinkError
from app.history.steps.figures import plans_by_session
from app.history.store.history import History
from app.planner.checks.load_targets import Reach, readmit_load_target
from app.protocol.events import StepEnded
from app.protocol.plan import DrivingTarget, Plan

from .follower import FollowerNews, Publish

if TYPE_CHECKING:
    from app.remote.agent import RemoteAgent

AGAIN_S = 10.0  # between a failed step and the first look, and between two looks
GIVE_UP_S = 900.0  # as a load target that does not reach its server


class LoadTargetReconnector:
    """Looks for load targets that are gone whenever a step of their plan has failed."""

    def __init__(
        self, home: Path, sessions: Sequence[str], connect: Callable[[], RemoteAgent], reach: Reach
    ) -> None:
        self._home = home
        self._sessions = sessions[:1]
        self._connect = connect  # to the target of the server
        self._reach = reach
        self._is_over = threading.Event()
        self._looking: threading.Thread | None = None

    def stop(self) -> None:
        """Nobody follows the plan any more."""
        self._is_over.set()

    def heard(self, publish: Publish) -> Publish:
        """Passes the news of a follower on, and looks for failed steps in them."""

        def told(update: FollowerNews) -> None:
            publish(update)
            self._hear(update)

        return told

    def _hear(self, update: FollowerNews) -> None:
        if update.link.state == "ended":
            self.stop()
        elif any(map(_is_failure, (line for each in update.events.values() for line in each.lines))):
            self._look()

    def _look(self) -> None:
        if self._looking is None or not self._looking.is_alive():
            self._looking = threading.Thread(target=self._call_all, daemon=True)
            self._looking.start()

    def _call_all(self) -> None:
        """Until each is there again, the plan has ended, or a quarter of an hour is over."""
        plan = self._plan()
        gone, end = plan.load if plan else [], time.monotonic() + GIVE_UP_S
        while plan and gone and not self._is_over.wait(AGAIN_S) and time.monotonic() < end:
            gone = [each for each in gone if not self._is_there(plan, each)]

    def _plan(self) -> Plan | None:
        with suppress(DynoError), History(self._home) as history:
            return next(iter(plans_by_session(history, self._sessions).values()), None)
        return None

    def _is_there(self, plan: Plan, target: DrivingTarget) -> bool:
        """Whether it is at work, was just called, or refuses; False if it cannot be reached."""
        try:
            with self._reach(target.name) as agent:
                if not agent.status().taken:
                    running = self._connect()
                    with closing(running.connection):
                        readmit_load_target(plan, target, agent, running)
        except LinkError:
            return False
        except DynoError:
            pass  # the plan is over, or it is another machine now
        return True


def _is_failure(line: object) -> bool:
    return isinstance(line, StepEnded) and line.outcome == "failed"
