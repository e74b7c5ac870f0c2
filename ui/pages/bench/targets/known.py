"""The targets a person has with what is known of each: read, surveyed, forgotten."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.errors import DynoError
from app.remote.hostkeys import HostKeyError
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey, Surveys
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext

from .list import TargetModel, TargetState, link_state_after
from .surveying import ConnectionProgress, TargetSurveyor

FRESH_S = 60.0  # age from which a survey is renewed when its target is chosen


class TargetListUpdater(QObject):
    """Fills the list; drops answers about targets that have changed."""

    advanced = Signal(object)  # Advance
    ended = Signal(str)  # name: a way to the target, well or not
    surveyed = Signal(str, object)  # name, content of the survey
    removed = Signal(str)  # name
    changed = Signal(str)  # name: plans are carried out in another of its directories now
    troubled = Signal(object)  # Exception: targets.toml or the surveys could not be read or written

    def __init__(self, context: WindowContext, widget: QWidget) -> None:
        super().__init__(widget)
        self._context = context
        self._targets = Targets(context.home)
        self._surveys = Surveys(context.home)
        self.model = TargetModel(self)
        self._surveying = TargetSurveyor(context, widget)
        self._surveying.began.connect(self._on_began)
        self._surveying.advanced.connect(self._on_advanced)
        self._surveying.surveyed.connect(self.take)
        self._surveying.failed.connect(self._on_failed)
        context.plans.changed.connect(self._on_plans_changed)
        context.plans.ended.connect(self._on_plans_changed)

    def reload(self) -> None:
        """Read targets.toml again, and stored surveys of new targets."""
        try:
            targets = self._targets.all()
        except DynoError as error:
            self.troubled.emit(error)
            targets = [Target(LOCAL, directories=[str(self._context.home / "target")])]
        busy = self._with_plans()
        self.model.set_states([self._read_state(target, target.name in busy) for target in targets])

    def state_of(self, name: str) -> TargetState | None:
        return self.model.state_of(name)

    def survey_of(self, name: str) -> DatedSurvey | None:
        state = self.model.state_of(name)
        return state.survey if state else None

    def survey(self, name: str, is_asking: bool) -> None:
        state = self.model.state_of(name)
        if state is not None:
            self._surveying.survey(state.target, is_asking)

    def survey_if_old(self, name: str, seconds: float = FRESH_S) -> None:
        """In the background; nobody is asked anything, and no plan of this window there is disturbed."""
        survey = self.survey_of(name)
        is_old = survey is not None and time.time() - survey.at > seconds
        if survey is None or (is_old and name not in self._with_plans()):
            self.survey(name, is_asking=False)

    def look_at_key(self, name: str) -> None:
        """Show the unknown host key."""
        state = self.model.state_of(name)
        if state is not None and isinstance(state.error, HostKeyError):
            self._surveying.show_host_key(state.target, state.error)

    def report_host_key(self, target: Target, error: HostKeyError) -> None:
        """Let the person see a host key that was met elsewhere."""
        if self._is_current(target):
            self.model.change(
                target.name, lambda now: replace(now, link=link_state_after(error), error=error)
            )
            self.ended.emit(target.name)
            self._surveying.show_host_key(target, error)

    def take(self, target: Target, survey: DatedSurvey) -> None:
        """Store a survey of a target, and report it."""
        if not self._is_current(target):
            return
        self._context.tasks.run(
            self, lambda: self._surveys.keep(target, survey), lambda _: None, self.troubled.emit, stores=True
        )
        self.model.change(target.name, lambda now: replace(now, survey=survey, link="reached", error=None))
        self.ended.emit(target.name)
        self.surveyed.emit(target.name, survey.content)

    def use_directory(self, name: str, directory: str) -> None:
        """Use this directory of a target for plans from now on."""
        state = self.model.state_of(name)
        if state is None or state.target.directory == directory:
            return
        rest = [each for each in state.target.directories if each != directory]

        def done(_: object) -> None:
            self.report_changed()
            self.changed.emit(name)

        self._context.tasks.run(
            self,
            lambda: self._targets.edit(name, directories=[directory, *rest]),
            done,
            self.troubled.emit,
            stores=True,
        )

    def remove(self, name: str) -> None:
        """Remove a target with its survey, and its secrets in the keyring."""

        def work() -> None:
            self._targets.remove(name)
            self._surveys.forget(name)

        def done(_: None) -> None:
            self.report_changed()
            self.removed.emit(name)

        self._context.tasks.run(self, work, done, self.troubled.emit, stores=True)

    def report_changed(self) -> None:
        """Report that targets have changed."""
        self.reload()
        self._context.bus.changed.emit(PartsToReload(targets=True))

    def _read_state(self, target: Target, has_plan: bool) -> TargetState:
        """The last known state, if the target is still the same."""
        state = self.model.state_of(target.name)
        kept = self._surveys.get(target)
        if state is None or state.target != target:
            return TargetState(target, kept, has_plan=has_plan)
        is_newer = kept is not None and (state.survey is None or kept.at > state.survey.at)
        return replace(state, survey=kept) if is_newer else state

    def _is_current(self, target: Target) -> bool:
        state = self.model.state_of(target.name)
        return state is not None and state.target == target

    def _with_plans(self) -> set[str]:
        return {plan.target.name for plan in self._context.plans.all() if not plan.is_over}

    def _on_began(self, target: Target) -> None:
        self.model.change(target.name, lambda now: replace(now, link="going", stage="", error=None))

    def _on_advanced(self, advance: ConnectionProgress) -> None:
        self.model.change(advance.target.name, lambda now: replace(now, stage=advance.stage))
        self.advanced.emit(advance)

    def _on_failed(self, target: Target, error: Exception) -> None:
        if self._is_current(target):
            self.model.change(
                target.name, lambda now: replace(now, link=link_state_after(error), error=error)
            )
            self.ended.emit(target.name)

    def _on_plans_changed(self, _plan: str) -> None:
        busy = self._with_plans()
        for state in self.model.all():
            if state.has_plan != (state.target.name in busy):
                self.model.change(state.target.name, lambda now: replace(now, has_plan=not now.has_plan))
