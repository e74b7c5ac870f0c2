"""An explanation: what is measured of a pair, what that says, and the plan that comes next.

Nothing of it is stored. It is computed from the history each time, so the same command goes on later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import ceil
from types import MappingProxyType
from typing import TYPE_CHECKING

from app.catalog import Catalog
from app.comparison.verdicts.disturbing import AS_PLANNED, GivenDisturbanceLimits
from app.core.errors import InputError
from app.core.nearest import did_you_mean
from app.core.units import seconds_text
from app.planner.kinds.canary import estimated_with_canary
from app.planner.kinds.chosen import sliced_or_interleaved
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import machine_key, resolve, resolve_workloads
from app.protocol.plan import Plan
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import LEAST

from .evidence import MeasuredRounds, SameWorkKey, measured_rounds_of_work
from .pair import ContenderPair
from .search import ROUNDS, DifferenceShares, shares_from_rounds
from .settings import Defaults, SettingMixContenders, between
from .squares import Group, SettingsSquare

if TYPE_CHECKING:
    from app.history.store.history import History
    from app.protocol.answers import Survey

PREFIX = "explain "  # of the names of its plans
MINUTES = 40  # of measuring, for a pair

_USUAL = VerdictLimits()


@dataclass(frozen=True)
class DifferenceQuestion:
    """What a person wants explained."""

    pair: ContenderPair
    step: str  # its name, or its label with coordinates
    together: tuple[frozenset[str], ...] = ()  # options that change as one
    minutes: int = MINUTES
    limits: VerdictLimits = _USUAL
    allowed: GivenDisturbanceLimits = AS_PLANNED

    def request(self, catalog: Catalog) -> PlanRequest:
        """The work: the step, and what comes before it; raises InputError if there is no such step."""
        return request_of_step(self.pair.request, self.step, PREFIX, catalog)


def request_of_step(asked: PlanRequest, step: str, prefix: str, catalog: Catalog) -> PlanRequest:
    """A plan of a few rounds of this step; raises InputError if there is no such step."""
    name = step.partition(" ")[0]
    if not asked.sequence:
        raise InputError("choose the work: write --sequence NAME, as dyno sequence list names it")
    sequence = catalog.sequence(asked.sequence)
    names = [each for step in sequence.steps for each in step.names_in_plan]
    if name not in names:
        no_step = f"no step {name}{did_you_mean(name, names)}"
        raise InputError(f"the sequence {sequence.name} has {no_step}; choose one of {', '.join(names)}")
    before = list(takewhile(lambda each: name not in each.names_in_plan, sequence.steps))
    steps = (*(each.name for each in before if not each.workloads), sequence.steps[len(before)].name)
    return replace(
        asked, name=f"{prefix}{name}"[:60], steps=steps, repeats=ROUNDS, time_limit=0,
        matters_pct=None, false_share_pct=None, repeat_if_disturbed=False,
        start="restarted" if asked.start == "snapshot" else asked.start,  # no snapshot of each contender
    )  # fmt: skip


@dataclass(frozen=True)
class ExplanationState:
    """What is known after some plans."""

    explained: DifferenceShares
    evidence: MeasuredRounds
    rounds: int  # of the next plan; 0: the time is over, or all is decided

    @property
    def is_decided(self) -> bool:
        return self.explained.next is None


@dataclass(frozen=True)
class ExplainedContenderPair:
    """A pair on its target."""

    asked: DifferenceQuestion
    between: SettingMixContenders
    request: PlanRequest  # without contenders
    work: SameWorkKey
    round_s: float  # that a round takes, as far as can be told before one is measured
    why_whole: str = ""  # its contenders cannot take turns in slices

    @classmethod
    def of(
        cls, asked: DifferenceQuestion, survey: Survey, catalog: Catalog, approved: Iterable[str] = (),
        defaults: Defaults = MappingProxyType({}), unknown: Collection[str] = (),
    ) -> ExplainedContenderPair:  # fmt: skip
        """An explanation on a surveyed target; raises InputError if it cannot be one.

        `defaults` and `unknown` of two builds, see `builds.py`.
        """
        request = asked.request(catalog)
        pair = between(*asked.pair.contenders(survey, catalog), asked.together, defaults, unknown)
        first = replace(request, contenders=contenders_of_groups(pair, _first_square(pair.names).contenders))
        resolve_workloads(first, catalog)
        settled, why = sliced_or_interleaved(first, survey, catalog, approved)
        plan = resolve(settled, survey, catalog, approved)
        work = SameWorkKey(wanted_step_label(plan, asked.step), plan.work_key, machine_key(survey))
        round_s = estimated_with_canary(plan, survey)[1].seconds / ROUNDS
        _check_time(round_s, asked.minutes)
        return cls(asked, pair, replace(settled, contenders=()), work, round_s, why)

    def state(self, history: History) -> ExplanationState:
        """What the history says of the pair."""
        found = measured_rounds_of_work(history, self.between.group_of, self.work, PREFIX, self.asked.allowed)
        explained = shares_from_rounds(self.between.names, found.rounds, self.asked.limits)
        return ExplanationState(explained, found, self._rounds(explained, found))

    def _rounds(self, explained: DifferenceShares, found: MeasuredRounds) -> int:
        """The rounds of the next plan that end within the time."""
        if explained.next is None:
            return 0
        left = self.asked.minutes * 60 - found.seconds
        each = found.seconds / found.their_rounds if found.their_rounds else self.round_s
        fitting = min(ROUNDS, int(left / each))
        return fitting if fitting + explained.next.measured(found.rounds).n >= LEAST else 0

    def time_text(self, state: ExplanationState) -> str:
        """How long all of it may take: `all of it takes 6 min to 40 min, 12 min of it measured`."""
        least_s = min(LEAST * self.round_s, self.asked.minutes * 60)
        text = f"all of it takes {seconds_text(least_s)} to {seconds_text(self.asked.minutes * 60)}"
        measured = f", {seconds_text(state.evidence.seconds)} of it measured" if state.evidence.rounds else ""
        return f"{text}{measured}: this plan, and those that follow from its results"

    def next_request(self, state: ExplanationState) -> PlanRequest | None:
        """The next plan; None if there is none."""
        if not state.rounds or state.explained.next is None:
            return None
        contenders = contenders_of_groups(self.between, state.explained.next.contenders)
        return replace(self.request, contenders=contenders, repeats=state.rounds)


def _check_time(round_s: float, minutes: int) -> None:
    """Refuse work of which too few rounds fit into the time."""
    least = ceil(LEAST * round_s / 60)
    if least > minutes:
        fewer = (
            f"{LEAST} repeats of this work take about {least} minutes, and there are {minutes}: choose fewer"
            " rows or seconds, or"
        )
        raise InputError(
            f"{fewer} --within {10 * least}min",
            window_text=f"{fewer} run `dyno explain` with --within {10 * least}min in a terminal",
        )


def _first_square(names: Sequence[str]) -> SettingsSquare:
    found = shares_from_rounds(names, (), VerdictLimits()).next
    assert found is not None  # nothing is measured
    return found


def contenders_of_groups(pair: SettingMixContenders, groups: Sequence[Group]) -> tuple[ContenderRequest, ...]:
    """The contenders of these groups with their rendered my.cnf, as a plan asks for them."""
    contenders = map(pair.contender, groups)
    return tuple(ContenderRequest.of(each, each.cnf, each.name) for each in contenders)


def wanted_step_label(plan: Plan, wanted: str) -> str:
    """The label of the one point of a step that is meant; raises InputError where it has no result."""
    name = wanted.partition(" ")[0]
    found = {each.label: each for each in plan.steps if each.name == name and each.is_judged}
    if not found:
        raise InputError(f"step {name} has no result to explain: choose one that is driven")
    if wanted not in found and (len(found) > 1 or " " in wanted):
        one_of = f"step {wanted!r} must be one of {', '.join(map(repr, found))}"
        raise InputError(f"{one_of}: write it with --step", window_text=f"{one_of}: choose it as Step")
    label = wanted if wanted in found else next(iter(found))
    if found[label].rate:
        raise InputError(f"the plan sets the rate of {label}: choose a step without a rate")
    return label
