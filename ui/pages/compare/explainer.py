"""Plan after plan of a search, off the GUI thread, until all is decided or somebody stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QObject, Signal

from ui.core.context import WindowContext

if TYPE_CHECKING:
    from app.explaining.explaining import DifferenceQuestion, ExplainedContenderPair
    from app.history.store.history import History
    from app.planner.request.request import PlanRequest
    from app.planner.starting.launch import Launch, LaunchStage
    from app.protocol.plan import Plan
    from app.remote.target import Ask, Target

NO_ROUND = "No repeat of the last plan counts: its steps failed or are marked. Look at it in the history."


@dataclass(frozen=True)
class SearchSoFar:
    """What the history says, and the plan that comes next."""

    entry: object  # for the dialog
    rounds: int
    request: PlanRequest | None


class MeasuredSearch(Protocol):
    """A question that plan after plan answers; all but its target's name is called on a pool thread."""

    @property
    def target(self) -> str: ...

    def settle(self, target: Target, ask: Ask) -> None:
        """Look at the target."""

    def known(self, history: History, is_going_on: bool, tell: Callable[[str], None], /) -> SearchSoFar:
        """Read what is known; `is_going_on`: a plan may follow."""


class SearchRunner(QObject):
    """One search. A plan that has begun goes on without it, and counts in the next search."""

    known = Signal(object)  # the entry of a SearchSoFar
    said = Signal(str)  # what it is doing; '': nothing
    failed = Signal(object)  # Exception
    refused = Signal(str)  # why it cannot go on

    def __init__(self, context: WindowContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._search: MeasuredSearch | None = None
        self._target: Target | None = None
        self._plan = ""  # that is carried out
        self._rounds = -1  # before it
        self.is_going_on = False
        context.plans.ended.connect(self._on_plan_ended)

    def start(self, search: MeasuredSearch) -> None:
        """Look at the target, then measure."""
        from app.targets.store import Targets

        self.is_going_on, self._rounds, self._search = True, -1, search
        target = self._target = Targets(self._context.home).get(search.target)
        self.said.emit(f"looking at {target.name}")
        work = partial(search.settle, target, self._context.secrets.ask)
        self._context.tasks.run(self, work, lambda _: self._read(), self._on_failed)

    def stop(self) -> None:
        """End after the current plan."""
        self.is_going_on = False
        self.said.emit("stops after this plan" if self._plan else "")

    def _read(self) -> None:
        if self._search:
            work = partial(_known, self._search, self._context.home, self.is_going_on)
            self._context.tasks.run_long(self, work, self.said.emit, self._on_known, self._on_failed)

    def _on_known(self, found: SearchSoFar) -> None:
        """Show what is known, and measure what comes next."""
        self.known.emit(found.entry)
        if self.is_going_on and found.request and found.rounds == self._rounds:
            self._end()
            self.refused.emit(NO_ROUND)
        elif self.is_going_on and found.request:
            self._rounds = found.rounds
            self._launch(found.request)
        else:
            self._end()

    def _launch(self, request: PlanRequest) -> None:
        assert self._target is not None  # it was looked at
        launch = _launch_of(self._target, request, self._context)
        self._context.tasks.run_long(
            self, lambda tell: _last_of(launch, tell), self._on_stage, self._on_launched, self._on_failed
        )

    def _on_stage(self, stage: LaunchStage) -> None:
        self.said.emit(stage.next)

    def _on_launched(self, stage: LaunchStage) -> None:
        plan = stage.plan
        if stage.failed or plan is None or self._target is None:
            self._end()
            self.refused.emit("; ".join(f"{each.text} ({each.todo})" for each in stage.failed))
            return
        self._plan = plan.id
        sessions = [turn.session for turn in plan.turns]
        self._context.plans.follow(self._target, stage.directory, plan.id, stage.sha, sessions)
        self.said.emit(_measuring(plan))

    def _on_plan_ended(self, plan: str) -> None:
        if plan == self._plan:
            self._plan = ""
            self._read()

    def _on_failed(self, error: Exception) -> None:
        self._end()
        self.failed.emit(error)

    def _end(self) -> None:
        self.is_going_on = False
        self.said.emit("")


def _measuring(plan: Plan) -> str:
    return f"measures {', '.join(each.name for each in plan.contenders)}; Live shows it"


# on a pool thread


def _settled(target: Target, ask: Ask, asked: DifferenceQuestion) -> ExplainedContenderPair:
    from app.catalog import Catalog, approved_hashes
    from app.explaining.builds import difference_search_on_target
    from app.remote.reach import reached

    asked.request(Catalog())  # what is wrong on every target comes before what the target says
    with reached(target, ask) as agent:
        return difference_search_on_target(agent, asked, Catalog(), approved_hashes(), target.search_paths)


def _known(search: MeasuredSearch, home: Path, is_going_on: bool, tell: Callable[[str], None]) -> SearchSoFar:
    from app.history.store.history import History

    with History(home) as history:
        return search.known(history, is_going_on, tell)


class DifferenceSearch:
    """Which setting makes two contenders differ."""

    def __init__(self, asked: DifferenceQuestion) -> None:
        self._asked = asked
        self._explaining: ExplainedContenderPair | None = None

    @property
    def target(self) -> str:
        return self._asked.pair.request.target

    def settle(self, target: Target, ask: Ask) -> None:
        self._explaining = _settled(target, ask, self._asked)

    def known(self, history: History, _is_going_on: bool, _tell: Callable[[str], None]) -> SearchSoFar:
        from app.explaining.entries import entry_of

        assert self._explaining is not None  # it was settled
        state = self._explaining.state(history)
        entry = entry_of(self._explaining, state)
        return SearchSoFar(entry, entry["rounds"], self._explaining.next_request(state))


def _launch_of(target: Target, request: PlanRequest, context: WindowContext) -> Launch:
    from app.comparison.answers.self_test import machine_measures_from
    from app.planner.checks.load_targets import reach_by_target_name
    from app.planner.starting.launch import Launch
    from app.remote.reach import reached

    ask, known = context.secrets.ask, partial(machine_measures_from, context.home)
    return Launch(
        lambda _: request,
        reached(target, ask),
        target.search_paths,
        known=known,
        reach=reach_by_target_name(ask),
        ask=ask,
    )


def _last_of(launch: Launch, tell: Callable[[LaunchStage], None]) -> LaunchStage:
    for stage in launch.stages():
        tell(stage)
    return stage
