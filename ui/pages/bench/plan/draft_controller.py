"""The draft of a plan: its changes, the choices, and the plan that follows from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.catalog import Catalog, approve, approved_hashes
from app.catalog.counting import COUNTED, counted_workload
from app.core.errors import InputError, TargetError
from app.core.toml_text import read_text
from app.history.machines.calibration import SEQUENCE as CALIBRATION
from app.history.machines.self_test import SEQUENCE as SELF_TEST
from app.planner.request.plan_file import plan_file_text
from app.planner.request.request import PlanRequest
from app.planner.starting.choices import NO_SURVEY, PlanChoices, choices
from app.planner.starting.draft import Draft, carried_over, draft_from_file, restore_last_draft
from app.planner.starting.draft_outcome import DraftOutcome, Problem, contender_colours, outcome
from app.planner.starting.sequence_variant import sequence_variant_text
from app.protocol.answers import Survey
from app.targets.store import Targets
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.tasks import NewestAnswerRunner

if TYPE_CHECKING:
    from app.history.machines.measured import MachineHistory
    from app.history.store.history import History

SOON_MS = 40  # of changes that come together one is asked about
Work = Callable[[], object]
Done = Callable[[], None]
_PRESETS = PartsToReload(presets=True)
FITTED = "in time"  # of a draft that ends in its time limit, without a time of day
FIRST = "duel"  # the sequence that is there before anybody has chosen


class DraftController(QObject):
    """The draft and its outcome; files are read and plans computed off the GUI thread."""

    drafted = Signal(object)  # Draft
    stocked = Signal(object)  # Choices
    concluded = Signal(object, list)  # Outcome, colour index of each contender
    target_wanted = Signal(str)
    preset_copied = Signal(str, str)  # engine, name of the copy
    set_up_again = Signal(object, str)  # Draft; what is another than it was
    counting = Signal(str)  # a count is set up; what to know of it
    failed = Signal(object)  # Exception

    def __init__(self, context: WindowContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.draft = Draft()
        self.survey: Survey | None = None
        self.choices = PlanChoices()
        self._drafts: dict[str, Draft] = {}  # of the targets that were chosen before
        self._before: Draft | None = None  # a person's, while a calibration, self test or count is set up
        self._pending: tuple[Draft, str] | None = None  # a count on a target that is not chosen yet
        self._stock, self._conclude = (
            NewestAnswerRunner(context.tasks, self),
            NewestAnswerRunner(context.tasks, self),
        )
        self._soon = QTimer(self, singleShot=True, interval=SOON_MS)
        self._soon.timeout.connect(self._ask)
        self._measures: dict[str, MachineHistory] = {}  # of machines by their keys; until a session changes
        context.bus.changed.connect(self._on_changed)
        context.plans.ended.connect(self._on_plan_ended)

    # what is known

    def choose_target(self, name: str, survey: Survey | None) -> None:
        """Choose the target: restores its last draft, else keeps the same plan."""
        if self.survey is not None:
            self._drafts.setdefault(self.draft.request.target, self.own)
        self._before, self.survey = None, survey
        before = self._drafts.pop(name, None)
        self._put(before or self._draft_for(name))
        self.reload()
        if self._pending and self._pending[0].request.target == name:
            self._set_up_count(self._pending)

    def take_survey(self, survey: Survey) -> None:
        """Take a new survey of the target; the first one allows ticking."""
        is_first = self.survey is None
        self.survey = survey
        if is_first:
            has_any = bool(self.draft.request.contenders)
            self._put(self.draft if has_any else self._draft_for(self.draft.request.target))
        self.reload()

    def reload(self) -> None:
        """Read presets, sequences and workloads again."""
        survey, sequence, target = self.survey, self.draft.request.sequence, self.draft.request.target
        work = partial(choices, survey, Catalog(), sequence, target)
        self._stock.run(work, self._on_stocked, self.failed.emit)
        self._soon.start()

    def check(self) -> None:
        """Plan and check the draft again."""
        self._soon.start()

    # what a person does

    @property
    def own(self) -> Draft:
        """The draft of a person, also while a calibration, self test or count is set up."""
        return self._before or self.draft

    @property
    def is_for_once(self) -> bool:
        """Whether a calibration, self test or count is set up, after which the draft comes back."""
        return self._before is not None

    def change(self, draft: Draft) -> None:
        sequence = draft.request.sequence
        if sequence not in (CALIBRATION, SELF_TEST, COUNTED) and not counted_workload(sequence):
            self._before = None
        self._put(draft)
        self.keep()

    def give_back(self) -> None:
        """Set up again what was there before a calibration, self test or count."""
        before, self._before = self._before, None
        if before is not None:
            self.change(before)

    def keep(self) -> None:
        """Store the draft for the next window, unless the last one was unreadable."""
        draft, target = self.own, self.draft.request.target
        if not draft.unread and not any(each.problem()[0] for each in draft.request.contenders):
            self._context.memory.keep(f"bench/plan/{target}", plan_file_text(draft.request))
            self._context.memory.keep(f"bench/end/{target}", draft.by or FITTED * draft.is_fitted)

    def open_plan(self, path: str) -> None:
        """Set up a plan file, on its own target."""

        def work() -> Draft:
            draft = draft_from_file(read_text(Path(path)), path)
            Targets(self._context.home).get(draft.request.target)
            return draft

        self._context.tasks.run(self, work, self._on_opened, self.failed.emit)

    def open_again(self, sessions: tuple[str, ...], steps: tuple[str, ...] = ()) -> None:
        """Set up the same work with the contenders of these sessions, on their target if it is known here.

        `steps`: only these of its tests.
        """
        here, survey, home = self.draft.request.target, self.survey, self._context.home
        work = partial(_again, sessions=sessions, steps=steps, here=here, survey=survey, home=home)
        self._context.tasks.read(self, work, self._on_set_up_again, self.failed.emit)

    def save_plan(self, path: str, text: str) -> None:
        self._context.tasks.run(
            self,
            lambda: Path(path).write_text(text, encoding="utf-8"),
            lambda _: self._context.bus.saved.emit(Path(path), f"The plan is saved: {path}"),
            self.failed.emit,
            stores=True,
        )

    def save_variant(self, name: str) -> None:
        """Save steps and sizes as a sequence of one's own, and use it."""
        sequence = self.choices.sequence(self.draft.request.sequence)
        if sequence is None or self.draft.unread:
            return
        text = sequence_variant_text(sequence, self.draft.request, self.choices.workloads, name)
        is_own = name == sequence.name

        def done() -> None:
            emptied = dict.fromkeys(("tables", "rows", "seconds", "warmup", "threads", "cores"))
            self.change(self.draft.with_options(sequence=name, steps=(), **emptied))

        from app.catalog.own import write_sequence

        changes = PartsToReload(sequences=True)
        self._do(
            lambda: write_sequence(Catalog(), name, text, is_own), f"saved as sequence {name}", changes, done
        )

    def copy_preset(self, engine: str, source: str, name: str) -> None:
        from app.catalog.own import copy_preset

        said = f"copied to your own my.cnf {name}"
        work = partial(copy_preset, Catalog(), engine, source, name)
        self._do(work, said, _PRESETS, lambda: self.preset_copied.emit(engine, name))

    def delete_preset(self, engine: str, name: str) -> None:
        from app.catalog.own import delete_preset

        self._do(lambda: delete_preset(Catalog(), engine, name), f"the my.cnf {name} is deleted", _PRESETS)

    def approve(self, sha256: str, workload: str) -> None:
        self._do(lambda: approve(sha256, workload), f"the workload {workload} is approved", done=self.check)

    def set_colour(self, contender_key: str, colour: int) -> None:
        def work(history: History) -> None:
            from app.history.lists.edits import set_colour

            set_colour(history, contender_key, colour)

        def done(_: None) -> None:
            self._context.bus.changed.emit(PartsToReload(sessions=True))
            self._soon.start()

        self._context.tasks.read(self, work, done, self.failed.emit)

    def set_up_for_target(self, make: Callable[[Survey, str], PlanRequest]) -> bool:
        """Set up a calibration or self test of the target; False if that is not possible."""
        if self.survey is None:
            self.failed.emit(InputError("survey the target first"))
            return False
        try:
            request = make(self.survey, self.draft.request.target)
        except TargetError as error:
            self.failed.emit(error)
            return False
        self._before = self.own
        self.change(Draft(request))
        return True

    def count(self) -> None:
        """Set up a count of the contenders of the draft."""
        from app.planner.kinds.counting import count_request

        self._set_up_count((Draft(count_request(self.own.request)), ""))

    def open_count(self, sessions: tuple[str, ...], step: str = "") -> None:
        """Set up a count of the contenders of these sessions, in the workload of a step if it can be."""
        here, home = self.draft.request.target, self._context.home
        work = partial(_count, sessions=sessions, step=step, here=here, home=home)
        self._context.tasks.read(self, work, self._set_up_count, self.failed.emit)

    # inside

    def _set_up_count(self, answer: tuple[Draft, str]) -> None:
        draft, remark = answer
        self._pending = None
        if draft.request.target != self.draft.request.target:
            self._pending = answer
            self.target_wanted.emit(draft.request.target)
            return
        self._before = self.own
        self.change(draft)
        self.reload()  # with the sequence that is made for it
        self.counting.emit(remark)

    def _put(self, draft: Draft) -> None:
        self.draft = draft.with_each_build(self.survey) if self.survey else draft
        self.drafted.emit(self.draft)
        if not self._soon.isActive():
            self._soon.start()

    def _draft_for(self, target: str) -> Draft:
        kept = restore_last_draft(self._context.memory.value(f"bench/plan/{target}", ""))
        if kept:
            ends = self._context.memory.value(f"bench/end/{target}", "")
            by, is_fitted = ends if ":" in ends else "", bool(ends and kept.request.time_limit)
            return replace(kept.with_options(target=target), by=by if is_fitted else "", is_fitted=is_fitted)
        if self.survey is None:
            return Draft(PlanRequest(target=target, sequence=self.draft.request.sequence or FIRST))
        return carried_over(self.draft, self.survey, target)

    def _do(
        self, work: Work, said: str, changes: PartsToReload | None = None, done: Done | None = None
    ) -> None:
        """Do something with files, and report it in the status bar."""

        def over(_: object) -> None:
            if done is not None:
                done()
            self._context.bus.said.emit(said)
            if changes is not None:
                self._context.bus.changed.emit(changes)

        self._context.tasks.run(self, work, over, self.failed.emit, stores=True)

    def _ask(self) -> None:
        draft, survey, measures = self.draft, self.survey, self._measures
        if survey is None:
            self.concluded.emit(DraftOutcome(draft, Problem(NO_SURVEY)), [])
            return

        def work(history: History) -> tuple[DraftOutcome, list[int]]:
            from app.history.lists.edits import colours
            from app.history.recorded.planned import COLOURS

            known = partial(_machine_measures, measures, history)
            found = outcome(draft, survey, Catalog(), approved_hashes(), known)
            plan = found.plan
            return found, contender_colours(plan, colours(history), COLOURS) if plan else []

        self._conclude.read(work, lambda both: self.concluded.emit(*both), self.failed.emit)

    def _on_changed(self, changes: PartsToReload) -> None:
        if changes.sessions:
            self._measures = {}  # a new one: a check that is at work now may still fill the old one

    def _on_plan_ended(self, _plan: str) -> None:
        """Estimate again: it tells how long steps take on the machine."""
        self._measures = {}
        self._soon.start()

    def _on_stocked(self, found: PlanChoices) -> None:
        self.choices = found
        self.stocked.emit(found)
        self.drafted.emit(self.draft)

    def _on_set_up_again(self, answer: tuple[Draft, str]) -> None:
        self.set_up_again.emit(*answer)
        self._on_opened(answer[0])

    def _on_opened(self, draft: Draft) -> None:
        """Store it for its target first: choosing the target then restores it."""
        target = draft.request.target
        if target == self.draft.request.target:
            self.change(draft)
        else:
            self._drafts[target] = draft
            self.target_wanted.emit(target)


def _machine_measures(found: dict[str, MachineHistory], history: History, key: str) -> MachineHistory:
    """What is known of a machine; reading it takes as long as all else of a check."""
    from app.comparison.answers.self_test import machine_measures

    if key not in found:
        found[key] = machine_measures(history, key)
    return found[key]


def _again(
    history: History,
    sessions: tuple[str, ...],
    steps: tuple[str, ...],
    here: str,
    survey: Survey | None,
    home: Path,
) -> tuple[Draft, str]:
    """A draft of the same work, and a text on what differs from before."""
    from app.planner.kinds.again import request_again
    from app.planner.kinds.published import PublishedPlan

    if published := PublishedPlan.of(history, sessions):
        if survey is None:
            raise InputError(f"survey {here} first: Dyno scales published work to its memory and disk")
        found = published.set_up(here, survey, Catalog())
        return Draft(found.request), found.text()
    draft = Draft(request_again(history, sessions, steps))
    target = draft.request.target
    if target in (each.name for each in Targets(home).all()):
        return draft, ""
    return draft.with_options(
        target=here
    ), f"There is no target {target} here: the plan is set up for {here}."


def _count(
    history: History, sessions: tuple[str, ...], step: str, here: str, home: Path
) -> tuple[Draft, str]:
    """A draft that counts the contenders of sessions, on their target if it is known here."""
    from app.planner.kinds.counting import count_of_sessions

    request, remark = count_of_sessions(history, sessions, step)
    target = request.target
    if target in (each.name for each in Targets(home).all()):
        return Draft(request), remark
    moved = f"There is no target {target} here: the count is set up for {here}."
    return Draft(replace(request, target=here)), " ".join(filter(None, (remark, moved)))
