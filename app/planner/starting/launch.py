"""The only way from a request to a started plan: stage by stage, can be cancelled."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, replace
from typing import Protocol

from app.catalog import Catalog, approved_hashes
from app.core.errors import DynoError, InputError, TargetError
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import OF_THE_MOMENT, check_plan
from app.planner.checks.existing import LookedAtServers
from app.planner.checks.load_targets import ConnectedLoadTargets, Reach
from app.planner.checks.parity import IN_FORCE, check_contender_parity
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate
from app.planner.kinds.canary import estimated_with_canary
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.planner.resolve.valgrind import contenders_in_force, rehearsal_in_force
from app.protocol.answers import (
    ADD,
    FAIL,
    INFO,
    Check,
    DirectoryStatus,
    ExistingServer,
    LoadTargetAdmission,
    Queue,
    QueueChange,
    RehearsalResult,
    ServerAddress,
    StartedPlan,
    Survey,
)
from app.protocol.machine_checks import ELSEWHERE_TODO, IN_USE_TODO, PATIENCE_S, WITH_QUEUE
from app.protocol.plan import Contender, Plan
from app.remote.secrets import NO_PASSWORDS
from app.remote.target import Ask

CONNECTED, SURVEYED, PLANNED, UPLOADED = "connected", "surveyed", "planned", "uploaded"
CHECKED, REHEARSED, STARTED = "checked", "rehearsed", "started"
QUEUED = "queued"  # in place of the last two
STAGES = (CONNECTED, SURVEYED, PLANNED, UPLOADED, CHECKED, REHEARSED, STARTED)


def _rehearsing_text(contender: Contender) -> str:
    return f"looking at {contender.name}" if contender.is_existing else f"starting {contender.name} once"


class CancelledError(DynoError):
    """The person cancelled; nothing was started."""

    def __init__(self) -> None:
        super().__init__("cancelled: nothing was started")


class Agent(Protocol):
    """What a launch needs of `remote.Agent`."""

    directory: str
    sha: str

    def status(self) -> DirectoryStatus: ...
    def survey(self, search_paths: Sequence[str] = ()) -> Survey: ...
    def upload_plan(self, plan: Plan) -> str: ...
    def reach_server(self, address: ServerAddress) -> ExistingServer: ...
    def check(self, plan: str, passwords: Mapping[str, str] = NO_PASSWORDS) -> list[Check]: ...
    def ask(self, plan: str) -> list[Check]: ...
    def rehearse(
        self,
        plan: str,
        contender: int,
        patience_s: float = PATIENCE_S,
        passwords: Mapping[str, str] = NO_PASSWORDS,
    ) -> RehearsalResult: ...
    def start(
        self,
        plan: str,
        conducting: LoadTargetAdmission | None = None,
        passwords: Mapping[str, str] = NO_PASSWORDS,
    ) -> StartedPlan: ...
    def stop(self, plan: str, what: str) -> None: ...
    def listen(self, conducting: LoadTargetAdmission) -> int: ...
    def queue(self, change: QueueChange) -> Queue: ...


@dataclass(frozen=True)
class LaunchStage:
    """The progress of a launch: the stage reached, the next action, and the checks so far."""

    name: str = ""  # one of STAGES; '' at the beginning
    next: str = "connecting"
    done: int = 0
    total: int = len(STAGES)
    directory: str = ""
    sha: str = ""  # of the agent file
    plan: Plan | None = None
    estimate: PlanEstimate | None = None
    checks: tuple[Check, ...] = ()
    queue: Queue | None = None  # with the plan in it, once that is reached

    @property
    def failed(self) -> list[Check]:
        return [check for check in self.checks if check.state == FAIL]


def busy_check(status: DirectoryStatus, allow_busy: bool) -> Check | None:
    """Why no plan can start on a target now; None if one can."""
    if status.taken:
        return Check("busy", FAIL, status.taken, IN_USE_TODO)
    is_busy = status.elsewhere and not allow_busy
    return Check("busy", FAIL, status.elsewhere, ELSEWHERE_TODO) if is_busy else None


def with_queue(check: Check) -> Check:
    """The check of a plan that may wait in the queue."""
    return replace(check, todo=WITH_QUEUE.get(check.todo, check.todo))


def still_failed_checks(stage: LaunchStage, now: Plan | None) -> list[Check]:
    """The failed checks that still apply: their contender, or the whole work, is the same now."""
    if stage.plan is None or now is None:  # it never came to a plan: the target was at work
        return stage.failed
    if now.target != stage.plan.target:
        return []
    before = {each.name: replace(each, name="") for each in stage.plan.contenders}
    there = [replace(each, name="") for each in now.contenders]
    is_same_work = _size_of(now) == _size_of(stage.plan) and there == list(before.values())
    return [
        check
        for check in stage.failed
        if (before.get(check.contender) in there if check.contender else is_same_work)
    ]


def _size_of(plan: Plan) -> tuple[object, ...]:
    return plan.steps, plan.tables, plan.rows, plan.order, plan.start


@dataclass(frozen=True)
class QueueInstead:
    """Queue the plan instead of starting it."""

    known: Survey | None = None  # the latest survey, because a busy machine is not surveyed
    in_s: float | None = None  # it begins no sooner than that many seconds from now


@dataclass(frozen=True)
class CheckInputFirst:
    """Refuse wrong input also where the target is busy; `known` is its latest survey."""

    known: Survey | None = None


class Launch:
    """A launch: runs once on one thread, and another can cancel it."""

    def __init__(
        self,
        request: Callable[[Survey], PlanRequest],
        agent: AbstractContextManager[Agent],
        search_paths: Sequence[str] = (),
        last: str = STARTED,
        known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
        allow_busy: bool = False,
        later: QueueInstead | None = None,
        reach: Reach | None = None,  # the way to load targets; None: such plans are refused
        input_first: CheckInputFirst | None = None,
        ask: Ask = lambda _prompt: None,  # for passwords of servers that run already
        can_queue: bool = False,  # whether a person can queue the plan instead, if it may wait there
    ) -> None:
        self._request = request  # the request may depend on the survey
        self._reaching = agent
        self._search_paths = search_paths
        self._known = known  # of a machine, by its key
        self._last = last  # CHECKED, REHEARSED or STARTED
        self._allow_busy = allow_busy
        self._later = later
        self._reach_load = reach
        self._input_first = input_first
        self._ask = ask
        self._can_queue = can_queue
        self._can_wait = can_queue and input_first is None  # until the request is known
        self._load: ConnectedLoadTargets | None = None
        self._passwords: Mapping[str, str] = NO_PASSWORDS
        self._stage = LaunchStage()
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._is_handed_over = False

    def cancel(self) -> bool:
        """Cancel; False if the target may have started it already."""
        with self._lock:
            self._is_cancelled = not self._is_handed_over
            return self._is_cancelled

    def stages(self) -> Generator[LaunchStage, None, None]:
        """The stages as they are reached, and rehearsals as they begin; a failed check ends them.

        Raises CancelledError where it was given up, DynoError where the target cannot be asked.
        """
        yield self._stage
        with ExitStack() as self._open:
            agent = self._open.enter_context(self._reaching)
            self._stage = replace(self._stage, directory=agent.directory, sha=agent.sha)
            yield self._reach(CONNECTED, "looking at the target")
            taken = busy_check(agent.status(), self._allow_busy)
            if taken and self._last != CHECKED and not self._later:
                if self._input_first:
                    self._refuse_wrong_input(agent, self._input_first)
                self._add([taken])
                yield self._stage
                return
            survey = (taken and self._later and self._later.known) or agent.survey(self._search_paths)
            yield self._reach(SURVEYED, "planning")
            plan = self._plan(agent, survey)
            yield self._reach(PLANNED, "sending the plan")
            if self._later:
                yield from self._queue(agent, plan, self._later, bool(taken))
            else:
                yield from self._start(agent, plan)

    def _refuse_wrong_input(self, agent: Agent, first: CheckInputFirst) -> None:
        """Raise the error of wrong input; the busy target is asked only if what is known is not enough."""
        with suppress(DynoError):
            if first.known:
                self._resolve(self._asked(first.known), first.known)
                return
        with suppress(TargetError):  # that the target is busy says more
            survey = agent.survey(self._search_paths)
            self._resolve(self._asked(survey), survey)

    def _asked(self, survey: Survey) -> PlanRequest:
        request = self._request(survey)
        self._can_wait = self._can_queue and request.can_wait
        return request

    def _resolve(self, request: PlanRequest, survey: Survey) -> Plan:
        return resolve(request, survey, Catalog(), approved_hashes())

    def _start(self, agent: Agent, plan: Plan) -> Iterator[LaunchStage]:
        uploaded = agent.upload_plan(plan)
        yield self._reach(UPLOADED, "asking the builds")
        self._add(agent.check(uploaded, self._passwords))
        if self._load:
            self._add(list(self._load.tried(agent)))
        yield self._reach(CHECKED, "starting each server once")
        if self._goes_on_after(CHECKED):
            yield from self._rehearse(agent, plan, uploaded)
        if self._goes_on_after(REHEARSED):
            self._hand_over()
            if self._load:
                self._load.start(agent, plan, uploaded)
            else:
                agent.start(uploaded, passwords=self._passwords)
            yield self._reach(STARTED, "")

    def _queue(self, agent: Agent, plan: Plan, later: QueueInstead, is_taken: bool) -> Iterator[LaunchStage]:
        """Queue the plan. The target checks it when its turn comes; a free target also checks now."""
        if self._stage.failed:
            return
        uploaded = agent.upload_plan(plan)
        yield self._reach(UPLOADED, "queueing" if is_taken else "asking the builds")
        if not is_taken:
            self._add([each for each in agent.check(uploaded) if each.name != "busy"])  # the queue waits
            yield self._reach(CHECKED, "queueing")
        if not self._stage.failed:
            self._hand_over()
            queue = agent.queue(QueueChange(ADD, uploaded, in_s=later.in_s))
            self._stage = replace(self._stage, queue=queue)
            yield self._reach(QUEUED, "")

    def _plan(self, agent: Agent, survey: Survey) -> Plan:
        """Resolve, estimate and check the plan on the desktop, each once."""
        request = self._asked(survey)
        plan = self._resolve(request, survey)
        servers = self._looked_at_servers(agent, request)
        if servers.found:
            plan = self._resolve(request, survey)
            self._passwords = servers.passwords(plan)
        of_load: list[Check] = []
        if request.load:
            self._load = self._load_targets(request)
            of_load, plan = list(self._load.look()), self._load.given_to(plan)
        plan, found = estimated_with_canary(plan, survey, self._known(plan.machine_key))
        checks = [*check_plan(plan, survey, found, allow_small_disk=request.allow_small_disk), *of_load]
        checks += servers.checks(plan)
        if self._later:
            checks = [each for each in checks if each.name not in OF_THE_MOMENT]
        total = len(STAGES) + len(plan.contenders)
        self._stage = replace(self._stage, plan=plan, estimate=found, checks=tuple(checks), total=total)
        return plan

    def _looked_at_servers(self, agent: Agent, request: PlanRequest) -> LookedAtServers:
        """Those that run already, as they are now; wrong input was refused before a password is asked for."""
        if self._later and any(each.server for each in request.contenders):
            raise InputError(
                "a plan with servers that run already cannot wait in the queue: their passwords are kept"
                " nowhere that long; start it when the target is free",
                "contenders",
            )
        return LookedAtServers.of(request, agent, self._ask)

    def _load_targets(self, request: PlanRequest) -> ConnectedLoadTargets:
        if self._later or self._reach_load is None:
            raise InputError(
                "a plan with load targets cannot wait in the queue: a desktop must call them when it starts",
                "load",
            )
        made = ConnectedLoadTargets(request.load, request.load_address, self._reach_load)
        return self._open.enter_context(made)

    def _rehearse(self, agent: Agent, plan: Plan, uploaded: str) -> Iterator[LaunchStage]:
        found: list[RehearsalResult] = []
        for at, contender in enumerate(plan.contenders):
            yield self._reach(CHECKED, _rehearsing_text(contender))
            its = agent.rehearse(uploaded, at, 0, self._passwords)
            if its.waits_for:
                yield self._wait(its.waits_for)
                its = agent.rehearse(uploaded, at, passwords=self._passwords)
            found.append(rehearsal_in_force(plan, its))
            self._add(its.checks)
        if self._stage.estimate:
            self._forget(IN_FORCE)
            sizes = self._stage.estimate.contenders
            self._add(check_contender_parity(contenders_in_force(plan), sizes, found))
        yield self._reach(REHEARSED, "starting")

    def _wait(self, other: str) -> LaunchStage:
        """Say that another rehearsal comes first."""
        text = f"waiting for {other}, {PATIENCE_S:.0f} s at most"
        self._add([Check("busy", INFO, text)])
        self._stage = replace(self._stage, next=text)
        return self._stage

    def _goes_on_after(self, stage: str) -> bool:
        return STAGES.index(self._last) > STAGES.index(stage) and not self._stage.failed

    def _add(self, checks: Sequence[Check]) -> None:
        """Add the agent's checks, without those that the desktop made."""
        known = {(each.name, each.contender) for each in self._stage.failed}
        added = [each for each in checks if (each.name, each.contender) not in known]
        if self._can_wait:
            added = list(map(with_queue, added))
        self._stage = replace(self._stage, checks=tuple(dict.fromkeys((*self._stage.checks, *added))))

    def _forget(self, name: str) -> None:
        """A check that others have answered."""
        rest = tuple(each for each in self._stage.checks if each.name != name)
        self._stage = replace(self._stage, checks=rest)

    def _reach(self, name: str, following: str) -> LaunchStage:
        """Reach a stage; cancels here on request."""
        if self._is_cancelled:
            raise CancelledError
        self._stage = replace(self._stage, name=name, next=following, done=self._stage.done + 1)
        return self._stage

    def _hand_over(self) -> None:
        """The point of no return: the target may start the plan from here."""
        with self._lock:
            if self._is_cancelled:
                raise CancelledError
            self._is_handed_over = True
