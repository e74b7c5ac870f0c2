"""One press of Run: deploy, survey, check, rehearse, start; told stage by stage, given up on request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from .catalog import Catalog, approved_hashes
from .checks import FAIL, Check, check_plan
from .errors import DynoError
from .planner import PlanRequest, resolve
from .protocol.plan import Contender, Plan


class CancelledError(DynoError):
    """The person has given it up; nothing was started."""

    def __init__(self) -> None:
        super().__init__("cancelled: nothing was started")


class Agent(Protocol):
    """As much of `remote.Agent` as a start needs."""

    directory: str
    sha: str

    @property
    def connection(self) -> Any: ...
    def deploy(self) -> str: ...
    def survey(self, search_paths: Sequence[str] = ()) -> dict[str, Any]: ...
    def check(self, plan: Plan, *, start: bool = False, allow_busy: bool = False) -> list[dict[str, Any]]: ...
    def start(self, plan: Plan) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Started:
    """What came of it: where a plan is carried out now, or the checks that speak against it."""

    plan: Plan
    survey: Mapping[str, Any]
    checks: tuple[Check, ...]
    directory: str
    sha: str  # of the agent file
    is_started: bool

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if check.state == FAIL]


@dataclass(frozen=True)
class Stage:
    """How far it is; read from another thread."""

    text: str
    done: int
    total: int


class Start:
    """Carried out once, on one thread; another may look at `stage` and cancel."""

    def __init__(
        self,
        request: PlanRequest,
        reach: Callable[[], Agent],
        search_paths: Sequence[str] = (),
        is_rehearsal: bool = False,
    ) -> None:
        self.is_rehearsal = is_rehearsal  # everything but the start
        self.stage = Stage("connecting", 0, 5)
        self._request = request
        self._reach = reach
        self._search_paths = search_paths
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._is_handed_over = False

    def cancel(self) -> bool:
        """Give it up; False where the target has been told to start already."""
        with self._lock:
            self._is_cancelled = not self._is_handed_over
            return self._is_cancelled

    def carry_out(self) -> Started:
        """Raises CancelledError where it was given up, DynoError where the target cannot be asked."""
        agent = self._reach()
        with closing(agent.connection):
            self._tell("bringing the agent", 1)
            agent.deploy()
            self._tell("looking at the target", 2)
            survey = agent.survey(self._search_paths)
            plan = resolve(self._request, survey, Catalog(), approved_hashes())
            self._tell("asking the builds", 3, plan)
            checks = self._checks(agent, plan, survey)
            is_started = not self.is_rehearsal and not any(each.state == FAIL for each in checks)
            if is_started:
                self._hand_over(plan)
                agent.start(plan)
            return Started(plan, survey, tuple(checks), agent.directory, agent.sha, is_started)

    def _checks(self, agent: Agent, plan: Plan, survey: Mapping[str, Any]) -> list[Check]:
        """The desktop's, the agent's, then each contender started once; a failure ends them."""
        checks = check_plan(plan, survey)
        if not _has_failed(checks):
            checks += self._asked(agent, plan, start=False)
        for done, contender in enumerate(_distinct(plan)):
            if _has_failed(checks):
                break
            self._tell(f"rehearsing {contender.name}", 4 + done, plan)
            checks += self._asked(agent, replace(plan, contenders=[contender], turns=[]), start=True)
        return list(dict.fromkeys(checks))

    def _asked(self, agent: Agent, plan: Plan, start: bool) -> list[Check]:
        return [check_of(each) for each in agent.check(plan, start=start, allow_busy=plan.allow_busy)]

    def _tell(self, text: str, done: int, plan: Plan | None = None) -> None:
        """Here it can be given up."""
        if self._is_cancelled:
            raise CancelledError
        total = 5 + (len(_distinct(plan)) if plan else 1)
        self.stage = Stage(text, done, total)

    def _hand_over(self, plan: Plan) -> None:
        """From here on the target may have started it."""
        with self._lock:
            self._tell("starting", 4 + len(_distinct(plan)), plan)
            self._is_handed_over = True


def check_of(answer: Mapping[str, Any]) -> Check:
    """A check as the agent says it; what a later one adds is left out."""
    known = {each.name for each in fields(Check)}
    return Check(**{key: value for key, value in answer.items() if key in known})


def _distinct(plan: Plan) -> list[Contender]:
    return list({each.key: each for each in plan.contenders}.values())


def _has_failed(checks: Sequence[Check]) -> bool:
    return any(each.state == FAIL for each in checks)
