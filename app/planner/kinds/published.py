"""Sets up published sessions for a target: the same work, scaled to its machine and builds."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.catalog import Catalog, approved_hashes
from app.catalog import Sequence as StepSequence
from app.catalog.amounts import MAX_ROWS
from app.core.errors import InputError
from app.core.units import bytes_text, count_text
from app.engines import engine_of
from app.history.lists.sessions import find_all
from app.history.steps.figures import plans_by_session
from app.planner.checks.checks import CALM_SHARE
from app.planner.estimate.estimate import estimate
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.contenders import engines_in, memory_bytes
from app.planner.resolve.resolve import resolve
from app.planner.resolve.steps import chosen_steps
from app.protocol.answers import Survey
from app.protocol.plan import WITHOUT_WORK, Contender, Plan, Step
from app.stats.at_target.verdicts import LEAST
from app.variables.names import BASELINE

if TYPE_CHECKING:
    from app.history.store.history import History

_GIB = 1 << 30
_DIGITS = 2  # digits of the rows: more would only look exact


@dataclass(frozen=True)
class PublishedSetupRequest:
    request: PlanRequest
    changes: Mapping[str, Sequence[str]]  # what differs from the original, in lines, by field of the request

    def text(self) -> str:
        lines = [line for some in self.changes.values() for line in some if line]
        begin = f"Set up for {self.request.target} as published"
        return "\n".join((f"{begin}, but for:", *lines)) if lines else f"{begin}."


@dataclass(frozen=True)
class PublishedPlan:
    """Sessions that Dyno did not run, and what is known of their plan."""

    sequence: str
    contenders: tuple[Contender, ...]
    steps: tuple[Step, ...]

    @classmethod
    def of(cls, history: History, references: Sequence[str]) -> PublishedPlan | None:
        """The published sessions; None if Dyno ran all of them. Raises InputError if they make no plan."""
        ids = find_all(history, references)
        with history.reading():
            plans = plans_by_session(history, ids)
        if all(map(_is_own, plans.values())):
            return None
        _check(plans)
        contenders = tuple(plan.contender_of(plan.turn_of(id_)) for id_, plan in plans.items())
        steps = tuple(step for plan in plans.values() for step in plan.steps)
        return cls(next(iter(plans.values())).sequence, contenders, steps)

    def set_up(
        self,
        target: str,
        survey: Survey,
        catalog: Catalog,
        by_hand: Callable[[PlanRequest], PlanRequest] = lambda request: request,
    ) -> PublishedSetupRequest:
        """The request for a target; raises InputError if the sequence or all of its steps are missing.

        `by_hand`: the same request with what a person chose; the rest is scaled to that.
        """
        sequence = catalog.sequence(self.sequence)
        steps, about_steps = self._steps(sequence, catalog)
        threads, about_threads = self._threads(sequence, survey)
        contenders, about_contenders = _contenders(self.contenders, survey, catalog)
        found = PlanRequest(
            target=target,
            sequence=self.sequence,
            steps=steps,
            threads=None if threads == sequence.threads else threads,
            contenders=contenders,
            repeats=LEAST if len(contenders) > 1 else 1,
        )
        changes = {"threads": [about_threads], "steps": [about_steps], "contenders": about_contenders}
        request = by_hand(found)
        kept = {each: changes[each] for each in changes if getattr(request, each) == getattr(found, each)}
        rows, about_rows = _rows(request, sequence, survey, catalog)
        return PublishedSetupRequest(replace(request, rows=rows), {"rows": about_rows, **kept})

    def _steps(self, sequence: StepSequence, catalog: Catalog) -> tuple[tuple[str, ...], str]:
        """Steps with a published result, and those that they need."""
        known = {step.name for step in sequence.steps}
        wanted = {step.name for step in self.steps}
        if not wanted & known:
            raise InputError(f"the sequence {sequence.name} has none of the published steps")
        unknown = sorted(wanted - known)
        said = f"steps left out, the sequence {sequence.name} has none such: {', '.join(unknown)}"
        helping = {step.name for step in sequence.steps if step.warm or step.kind in WITHOUT_WORK}
        ticked = tuple(step.name for step in sequence.steps if step.name in wanted | helping)
        names = [name for step in sequence.steps for name in step.workloads]
        chosen = chosen_steps(sequence, ticked, {name: catalog.workload(name) for name in names})
        is_whole = len(chosen) == len(sequence.steps)
        return () if is_whole else ticked, said if unknown else ""

    def _threads(self, sequence: StepSequence, survey: Survey) -> tuple[tuple[int, ...] | None, str]:
        """Published thread counts only: fewer on a smaller machine, never others."""
        own = {step.name for step in sequence.steps if step.threads or step.per_table or step.role}
        swept = (each for each in self.steps if each.kind == "drive" and each.name not in own)
        found = sorted({each.threads for each in swept if "threads" in each.coordinates})
        here, there = survey.cpu.threads or 0, sequence.study_cpus or 0
        left_out = [each for each in found if 0 < here < each <= there]
        kept = [each for each in found if each not in left_out] or ([here] if left_out else [])
        said = f"threads {_list(kept)} without {_list(left_out)}: {here} CPUs here, {there} there"
        return tuple(kept) or None, said if left_out else ""


def _is_own(plan: Plan) -> bool:
    """Whether Dyno ran it: others do not record the program."""
    return any(each.server or each.is_existing for each in plan.contenders)


def _check(plans: dict[str, Plan]) -> None:
    first = next(iter(plans.values()))
    for id_, plan in plans.items():
        if _is_own(plan) != _is_own(first):
            raise InputError("some sessions are published, others measured by Dyno: choose one kind")
        if not plan.sequence:
            raise InputError(
                f"session {id_} did not run under Dyno and names no sequence: there is no plan to repeat"
            )
        if not all(each.engine for each in plan.contenders):
            raise InputError(f"session {id_} names no engine: there is no contender to set up")
        if plan.sequence != first.sequence:
            raise InputError(
                f"session {id_} is from the sequence {plan.sequence}, the first one from {first.sequence}:"
                " choose sessions of one sequence"
            )


def _rows(
    request: PlanRequest, sequence: StepSequence, survey: Survey, catalog: Catalog
) -> tuple[int | str | None, list[str]]:
    """Rows for this memory and disk; a number that a person chose stays."""
    if request.rows is not None:
        return request.rows, []
    rows, about_memory = _rows_for_memory(sequence, survey)
    if request.allow_small_disk:
        return rows, [about_memory]
    fitting, about_disk = rows_fitting_disk(replace(request, rows=rows), survey, catalog)
    return fitting, [about_memory, about_disk]


def _rows_for_memory(sequence: StepSequence, survey: Survey) -> tuple[int | None, str]:
    """Rows with the same ratio of data to memory as in the original."""
    if not sequence.study_memory_gib or not isinstance(sequence.rows, int):
        return None, ""
    here, there = memory_bytes(survey), sequence.study_memory_gib * _GIB
    rows = min(int(float(f"{sequence.rows * here / there:.{_DIGITS - 1}e}")) or 1, MAX_ROWS)
    if rows == sequence.rows:
        return None, ""
    return rows, (
        f"{rows:,} rows of each table for {bytes_text(here)} of memory,"
        f" {sequence.rows:,} there for {bytes_text(there)}"
    )


def _contenders(
    published: Sequence[Contender], survey: Survey, catalog: Catalog
) -> tuple[tuple[ContenderRequest, ...], list[str]]:
    """Contenders with builds and presets of this target, without duplicates; unmatched ones keep names."""
    found: dict[ContenderRequest, None] = {}
    builds: dict[str, list[str]] = {}
    said: list[str] = []
    for each in published:
        engine = engine_of(each.engine)
        build = _build(each, engine.name, survey)
        preset = catalog.preset_name(engine.name, each.preset or BASELINE)
        if not _has_preset(catalog, engine.name, preset):
            said.append(f"{engine.title} preset {BASELINE} in place of {preset}: not here")
            preset = BASELINE
        if build != each.build:
            builds.setdefault(build, []).append(each.build or each.name)
        found[ContenderRequest(build, engine.name, preset, table_options=each.table_options)] = None
    said += [f"build {build} in place of {_list(dict.fromkeys(names))}" for build, names in builds.items()]
    if len(found) < len(published):
        many = count_text(len(published), "contender")
        said.append(f"{len(found)} of {many}: the others would be the same here")
    return tuple(found), list(dict.fromkeys(said))


def _has_preset(catalog: Catalog, engine: str, name: str) -> bool:
    try:
        catalog.preset(engine, name)
    except InputError:
        return False
    return True


def _build(contender: Contender, engine: str, survey: Survey) -> str:
    """The build with the same version, else the newest of its series, its family, or of all."""
    there = [each for each in survey.builds if not each.problem and engine in engines_in(each)]
    family = [each for each in there if contender.family in ("", each.family)]
    version = _numbers(contender.version or contender.build)
    same = [each for each in there if each.name == contender.build]
    same += [each for each in family if _numbers(each.version) == version]
    series = [each for each in family if _numbers(each.version)[:2] == version[:2]]
    newest = max(series or family or there, key=lambda each: _numbers(each.version), default=None)
    found = same[0] if same else newest
    return found.name if found else contender.build or contender.name


def _numbers(version: str | None) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"[0-9]{1,9}", version or ""))


def _list(values: object) -> str:
    return ", ".join(map(str, values))  # type: ignore[call-overload]


# how many rows the disk of a target has room for


LEAST_ROWS = 1000


def rows_fitting_disk(request: PlanRequest, survey: Survey, catalog: Catalog) -> tuple[int | str | None, str]:
    """The rows of the request, or as many as the disk has room for, and why these.

    A request that cannot be planned here stays as it is: the checks say why.
    """
    approved = approved_hashes()
    free = survey.disk.free_bytes if survey.disk else None

    def planned(rows: int | str | None) -> Plan:
        return resolve(replace(request, rows=rows), survey, catalog, approved)

    def needed(rows: int) -> int:
        return estimate(planned(rows), survey).disk_bytes

    try:
        rows = planned(request.rows).rows
    except InputError:
        return request.rows, ""
    if free is None or needed(rows) <= free:
        return request.rows, ""
    found = _most(rows, free, needed)
    here, text = bytes_text(free), f"{rows:,} need about {bytes_text(needed(rows))}"
    if found:
        return found, f"{found:,} rows of each table for {here} free on the disk: {text}"
    least = f"{LEAST_ROWS:,} about {bytes_text(needed(LEAST_ROWS))}"
    return request.rows, f"no number of rows fits the disk with {here} free: {text}, {least}"


def _most(below: int, free: int, needed: Callable[[int], int]) -> int:
    """The most rows that fit, to two digits; 0 if none fit."""
    numbers = [first * 10**zeros for zeros in range(2, len(str(below)) - 1) for first in range(10, 100)]
    numbers = [each for each in numbers if each < below]
    fitting = bisect_right(numbers, free * CALM_SHARE, key=needed)
    return numbers[fitting - 1] if fitting else 0
