"""A search for the build that changed a step: its builds on a target, what the history says, the next plan.

Nothing of it is stored. It is computed from the history each time, so the same command goes on later.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING

from app.catalog import Catalog
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.core.errors import InputError, TargetError
from app.core.units import count_text
from app.planner.kinds.canary import estimated_with_canary
from app.planner.kinds.chosen import sliced_or_interleaved
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import machine_key, resolve
from app.protocol.answers import FAIL

from .bisect_search import LEVEL, BisectSearch, BisectState, Pair, build_as_group, rounds_of_comparison
from .evidence import MeasuredRounds, SameWorkKey, measured_rounds_of_work
from .explaining import request_of_step, wanted_step_label

if TYPE_CHECKING:
    from app.history.store.history import History
    from app.protocol.answers import Build, Survey
    from app.protocol.plan import Contender
    from app.remote.agent import RemoteAgent

PREFIX = "bisect "  # of the names of its plans
BY, COUNTED_BY = 0.03, 0.005  # the least change, as a share, where nobody gives one
MOST = 1000  # builds
OF_TARGET = ("sysbench", "busy")  # checks that say nothing of a build
_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True)
class BisectionRequest:
    """What a person wants to know."""

    builds: str  # a pattern of names, or a folder
    contender: str  # ENGINE or ENGINE:PRESET
    step: str
    request: PlanRequest  # the work
    by: float | None = None  # the least change, as a share; None: BY or COUNTED_BY
    level: float = LEVEL
    minutes: int | None = None  # of measuring; None: as many as it takes
    allowed: GivenDisturbanceLimits = AS_PLANNED

    @property
    def engine(self) -> str:
        return _contender(self.contender, "any").engine

    def check(self, catalog: Catalog) -> PlanRequest:
        """The work; raises InputError where something is wrong on every target."""
        catalog.preset(self.engine, _contender(self.contender, "any").preset)
        found = request_of_step(self.request, self.step, PREFIX, catalog)
        return replace(found, repeats=rounds_of_comparison(is_counted_step(found, self.step, catalog)))


@dataclass(frozen=True)
class BisectionBuilds:
    """The builds of a search on its target, the oldest first."""

    asked: BisectionRequest
    builds: tuple[str, ...]
    passed_over: tuple[str, ...]  # builds that cannot carry it out, and why
    request: PlanRequest  # without contenders
    fingerprints: frozenset[str]
    work: SameWorkKey
    comparison_s: float = 0.0  # that one takes, as far as can be told before any is measured
    is_counted: bool = False  # by the instructions of the step

    @classmethod
    def of(
        cls, asked: BisectionRequest, survey: Survey, catalog: Catalog, approved: Iterable[str] = ()
    ) -> BisectionBuilds:
        """The search on a surveyed target; raises InputError if it cannot be one."""
        engine = asked.engine
        meant = _meant(asked.builds, survey.builds)
        good = [each for each in meant if each.has(engine)]
        if not 2 <= len(good) <= MOST:
            there = count_text(len(good), "build")
            raise InputError(f"{asked.builds!r} means {there} with {engine}: a search needs 2 to {MOST}")
        ends = [_contender(asked.contender, each.name) for each in (good[0], good[-1])]
        request = asked.check(catalog)
        hashes = tuple(approved)
        settled, _ = sliced_or_interleaved(replace(request, contenders=tuple(ends)), survey, catalog, hashes)
        plan = resolve(settled, survey, catalog, hashes)
        return cls(
            asked,
            tuple(each.name for each in good),
            tuple(f"{each.name}: {each.problem or f'no {engine}'}" for each in meant if each not in good),
            replace(settled, contenders=()),
            frozenset(each.fingerprint for each in good if each.fingerprint),
            SameWorkKey(wanted_step_label(plan, asked.step), plan.work_key, machine_key(survey)),
            estimated_with_canary(plan, survey)[1].seconds if asked.minutes else 0.0,
            is_counted_step(request, asked.step, catalog),
        )

    def state(self, history: History, broken: Collection[str] = ()) -> tuple[BisectState, MeasuredRounds]:
        """What the history says; `broken`: builds that do not start."""
        asked = self.asked
        found = measured_rounds_of_work(history, self._group_of, self.work, PREFIX, asked.allowed)
        search = BisectSearch(self.builds, found.rounds, broken, self.by, asked.level, self.is_counted)
        return search.found(), found

    @property
    def by(self) -> float:
        """The least change, as a share."""
        return self.asked.by or (COUNTED_BY if self.is_counted else BY)

    def is_late(self, found: MeasuredRounds) -> bool:
        """Whether the next comparison would end after the time."""
        measured, minutes = found.seconds, self.asked.minutes
        rounds = rounds_of_comparison(self.is_counted)
        each = rounds * measured / found.their_rounds if found.their_rounds else self.comparison_s
        return minutes is not None and measured + each > 60 * minutes

    def _group_of(self, contender: Contender) -> frozenset[str] | None:
        """The build, if it is still the same server with the same engine and preset."""
        asked = _contender(self.asked.contender, contender.build)
        found, wanted = (Catalog().preset_name(asked.engine, each.preset) for each in (contender, asked))
        is_same = (contender.engine, found) == (asked.engine, wanted)
        return (
            build_as_group(contender.build)
            if is_same and contender.fingerprint in self.fingerprints
            else None
        )

    def next_request(self, pair: Pair) -> PlanRequest:
        """The plan of two builds."""
        names = [self.builds[at] for at in pair]
        return replace(
            self.request, contenders=tuple(_contender(self.asked.contender, each) for each in names)
        )

    def why_not(self, agent: RemoteAgent, survey: Survey, catalog: Catalog, build: str) -> str:
        """Why a build does not start with its preset; '' where it does."""
        alone = replace(
            self.request, contenders=(_contender(self.asked.contender, build),), order="interleaved"
        )
        found = agent.rehearse(agent.upload_plan(resolve(alone, survey, catalog)), 0)
        if found.variables:
            return ""
        for check in found.checks:
            if check.name in OF_TARGET and check.state == FAIL:  # no fault of the build
                raise TargetError(f"{check.text}: {check.todo}")
        return "; ".join(check.text for check in found.checks) or "it did not start"


def is_counted_step(request: PlanRequest, step: str, catalog: Catalog) -> bool:
    """Whether the instructions of a step are counted, as its sequence says."""
    name = step.partition(" ")[0]
    return any(each.name == name and each.count for each in catalog.sequence(request.sequence).steps)


def _contender(contender: str, build: str) -> ContenderRequest:
    return ContenderRequest.from_text(f"{build}:{contender}")


def _meant(builds: str, there: Sequence[Build]) -> list[Build]:
    """The builds of a folder or a pattern, by version, then by name as people count."""
    is_folder = "/" in builds
    found = [
        each
        for each in there
        if (PurePath(builds) in PurePath(each.base).parents if is_folder else fnmatchcase(each.name, builds))
    ]
    return sorted(found, key=lambda each: (_counted(each.version or ""), _counted(each.name)))


def _counted(text: str) -> list[tuple[int, str]]:
    """A key that sorts 9.10 behind 9.9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(text)]
