"""A draft: a plan that a person sets up, with its problems, time and disk."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from app.catalog import Catalog, Sequence, UnapprovedError, Workload
from app.catalog.sequence import SWEPT
from app.core.errors import DynoError, InputError, TargetError
from app.core.ranges import as_listed, listed
from app.core.toml_text import shown
from app.core.units import seconds_of, time_text
from app.engines import FIRST
from app.protocol.answers import FAIL, Check, Survey
from app.protocol.plan import UNTIL_DECIDED, Plan

from . import ContenderRequest, Estimate, PlanRequest, resolve
from .canary import estimated
from .checks import check_plan
from .choices import lacking
from .contenders import engines_in, short_names
from .duel import SEQUENCE, duel, is_untouched
from .request import memory_words, problem_of
from .resolve import ROWS, SECONDS, TABLES, THREADS, WARMUP
from .steps import chosen_steps

# the fields that are typed; what is left open the sequence or the planner fills in
TYPED = ("tables", "rows", "seconds", "warmup", "threads", "cores", "repeats", "pause")
_TIMES = ("seconds", "warmup", "pause", "time_limit")  # those of them that are times
_OPEN = PlanRequest()
_COUNT = re.compile(r"(\d{1,3}(?:[ ,_]?\d{3})*|\d+)\s*([kKmM]?)")
_FACTORS = {"": 1, "k": 1_000, "m": 1_000_000}


# what is typed


def value_of(name: str, text: str) -> Any:
    """What was typed into a field, None where it is left open; raises InputError about the field."""
    words = text.strip()
    if not words:
        return None
    value = _numbers(name, words) if name in SWEPT else _seconds(words) if name in _TIMES else _count(words)
    problem = problem_of(name, value)
    if problem and name in _TIMES and isinstance(value, str):
        problem = f"must be seconds, or a time such as 30 min, not {shown(value)}"
    if problem:
        raise InputError(f"{name} {problem}", name)
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else value


def text_of(value: object) -> str:
    """A value as it is typed: `1,000,000`, `1, 2, 4`, `[0-3]`, `3x memory`."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return as_listed(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _count(text: str) -> int | str:
    """1000, 1,000,000, 50k; what is no number stays a text."""
    found = _COUNT.fullmatch(text)
    if not found or len(text) > 20:
        return text
    return int(re.sub(r"[ ,_]", "", found[1])) * _FACTORS[found[2].lower()]


def _seconds(text: str) -> int | str:
    """As `time_text` writes them, or a number."""
    found = seconds_of(text)
    return _count(text) if found is None else found


def _numbers(name: str, text: str) -> list[int | str]:
    try:
        return listed(text)
    except InputError as error:
        raise InputError(f"{name} {error}", name) from None


# what is set up


@dataclass(frozen=True)
class InvalidInput:
    """What was typed into a field and cannot be taken."""

    text: str
    problem: str


@dataclass(frozen=True)
class Draft:
    """A request that is being changed; every change gives another draft."""

    request: PlanRequest = field(default_factory=PlanRequest)
    unread: Mapping[str, InvalidInput] = field(default_factory=dict)

    def typed(self, name: str, text: str) -> Draft:
        """With what is in a field now, whether it can be read or not."""
        unread = {key: value for key, value in self.unread.items() if key != name}
        try:
            value = value_of(name, text)
        except InputError as error:
            return replace(self, unread={**unread, name: InvalidInput(text, str(error))})
        if value is None:
            value = _repeats_of(self.request.contenders) if name == "repeats" else getattr(_OPEN, name)
        return Draft(_consistent(replace(self.request, **{name: value})), unread)

    def text(self, name: str) -> str:
        """What is in a field."""
        if name in self.unread:
            return self.unread[name].text
        value = getattr(self.request, name)
        if value == getattr(_OPEN, name) and name in ("pause", "time_limit"):
            return ""
        return time_text(value) if name == "time_limit" else text_of(value)

    def said(self, **values: Any) -> Draft:
        """With values that were chosen, not typed."""
        return replace(self, request=replace(self.request, **values))

    def with_sequence(self, name: str) -> Draft:
        """Another sequence, all its steps; what the duel alone says goes with it."""
        if name == self.request.sequence:
            return self
        if is_untouched(self.request):
            plain = PlanRequest(target=self.request.target, sequence=name)
            return replace(self, request=plain).with_contenders(self.request.contenders)
        return self.said(sequence=name, steps=())

    def with_steps(self, ticked: Iterable[str], sequence: Sequence) -> Draft:
        """Of all steps of the sequence the ticked ones; all ticked is the same as nothing said.

        A plan of no step cannot be: then they stay as they were.
        """
        wanted = set(ticked)
        steps = tuple(step.name for step in sequence.steps if step.name in wanted)
        return self if not steps else self.said(steps=() if len(steps) == len(sequence.steps) else steps)

    # contenders

    def with_contenders(self, contenders: tuple[ContenderRequest, ...]) -> Draft:
        """Repeats that nobody has chosen go with their number."""
        before, after = _repeats_of(self.request.contenders), _repeats_of(contenders)
        repeats = after if self.request.repeats == before else self.request.repeats
        return replace(
            self, request=_consistent(replace(self.request, contenders=contenders, repeats=repeats))
        )

    def is_ticked(self, build: str, engine: str, preset: str) -> bool:
        return any((c.build, c.engine, c.preset) == (build, engine, preset) for c in self.request.contenders)

    def tick(self, build: str, engine: str, preset: str, ticked: bool) -> Draft:
        """A cell of the grid: one more contender at the end, or none of these any more."""
        rest = tuple(
            c for c in self.request.contenders if (c.build, c.engine, c.preset) != (build, engine, preset)
        )
        if not ticked:
            return self.with_contenders(rest)
        if self.is_ticked(build, engine, preset):
            return self
        return self.with_contenders((*rest, ContenderRequest(build, engine, preset)))

    def with_contender(self, at: int, **values: str) -> Draft:
        """One with another name, table options, cores or memory."""
        if "memory" in values:
            values |= memory_words(values.pop("memory"))
        changed = list(self.request.contenders)
        changed[at] = replace(changed[at], **{key: value.strip() for key, value in values.items()})
        return self.said(contenders=tuple(changed))

    def copied(self, at: int) -> Draft:
        """One more of the same, to differ in what is written of it; without the name, which is one's own."""
        contenders = self.request.contenders
        copy = replace(contenders[at], name="")
        return self.with_contenders((*contenders[: at + 1], copy, *contenders[at + 1 :]))

    def without(self, taken: Iterable[int]) -> Draft:
        gone = set(taken)
        rest = (each for at, each in enumerate(self.request.contenders) if at not in gone)
        return self.with_contenders(tuple(rest))


def _repeats_of(contenders: tuple[ContenderRequest, ...]) -> int | str:
    """Where nobody has chosen them: of one alone nothing is decided."""
    return UNTIL_DECIDED if len(contenders) > 1 else _OPEN.repeats


def _consistent(request: PlanRequest) -> PlanRequest:
    """Without what is of plans until decided where the number of rounds is known."""
    if request.repeats == UNTIL_DECIDED:
        return request
    return replace(request, time_limit=_OPEN.time_limit, matters_pct=None, false_share_pct=None)


def first_draft(survey: Survey, target: str) -> Draft:
    """What is there before anybody has chosen: the duel, as far as the target has it."""
    request = PlanRequest(target=target)
    try:
        return Draft(duel(survey, request))
    except TargetError:
        builds = [each.name for each in survey.builds if each.has(FIRST.name)]
        alone = tuple(ContenderRequest(name, FIRST.name) for name in builds[:1])
        return Draft(replace(request, sequence=SEQUENCE, contenders=alone))


def carried_over(draft: Draft, survey: Survey, target: str) -> Draft:
    """The same work on another target, with the contenders that are there too."""
    there = {
        (build.name, engine) for build in survey.builds if not build.problem for engine in engines_in(build)
    }
    kept = tuple(each for each in draft.request.contenders if (each.build, each.engine) in there)
    first = first_draft(survey, target)
    if is_untouched(draft.request) and (not kept or kept != draft.request.contenders):
        return first
    return draft.said(target=target).with_contenders(kept or first.request.contenders)


def names_of(request: PlanRequest) -> list[str]:
    """What the contenders will be called, also while two have one name."""
    try:
        return short_names(request.contenders)
    except InputError:
        return [each.name or each.engine for each in request.contenders]


# what comes of it


@dataclass(frozen=True)
class Problem:
    """Why there is no plan: a line, and the field it is about (`rows`, `contenders.0.cores`), if one."""

    text: str
    field: str = ""


@dataclass(frozen=True)
class Outcome:
    """The plan of a draft with what it takes and what speaks against it, or why there is none."""

    draft: Draft
    problem: Problem | None = None
    plan: Plan | None = None
    estimate: Estimate | None = None
    checks: tuple[Check, ...] = ()
    unapproved: tuple[UnapprovedError, ...] = ()
    lacking: tuple[str, ...] = ()  # sequence, builds and presets that are not there

    @property
    def obstacle(self) -> str:
        """Why it cannot be run, in one line; '' if it can."""
        if self.problem:
            return self.problem.text
        if self.unapproved:
            return (
                f"read and approve the workload {self.unapproved[0].workload.name}: it does not come"
                " with Dyno"
            )
        failed = next((check for check in self.checks if check.state == FAIL), None)
        return f"{failed.name}: {failed.text}; {failed.todo}" if failed else ""


def outcome(
    draft: Draft,
    survey: Survey,
    catalog: Catalog,
    approved: Iterable[str],
    clock: Callable[[], float],
    noise: Callable[[str], float | None] = lambda _: None,
) -> Outcome:
    """All that is known before a start; `clock`: the time of the survey; `noise`: by machine."""
    problem = _first_problem(draft)
    if problem:
        return Outcome(draft, problem)
    try:
        plan, unapproved = _resolved(draft.request, survey, catalog, frozenset(approved))
    except InputError as error:
        lacks = tuple(lacking(draft.request, survey, catalog))
        return Outcome(draft, Problem(str(error), error.field), lacking=lacks)
    plan, found = estimated(plan, survey, noise(plan.machine_key))
    checks = tuple(check_plan(plan, survey, found, clock, draft.request.allow_small_disk))
    return Outcome(draft, plan=plan, estimate=found, checks=checks, unapproved=tuple(unapproved))


def _first_problem(draft: Draft) -> Problem | None:
    for name, unread in draft.unread.items():
        return Problem(unread.problem, name)
    for at, each in enumerate(draft.request.contenders):
        key, why = each.problem()
        if key:
            return Problem(f"contender {at + 1}: {key.replace('_', ' ')} {why}", f"contenders.{at}.{key}")
    if not draft.request.contenders:
        return Problem("choose at least one contender", "contenders")
    return None


def _resolved(
    request: PlanRequest, survey: Survey, catalog: Catalog, approved: frozenset[str]
) -> tuple[Plan, list[UnapprovedError]]:
    """The plan as it would be if all Lua were approved, and the workloads that are not."""
    missing: list[UnapprovedError] = []
    while True:
        try:
            allowed = approved | {each.sha256 for each in missing}
            return resolve(request, survey, catalog, allowed), missing
        except UnapprovedError as error:
            if error.sha256 in allowed:
                raise
            missing.append(error)


def open_values(sequence: Sequence | None, contenders: tuple[ContenderRequest, ...] = ()) -> dict[str, str]:
    """What the fields that are left open will be, as they would be typed."""
    from_sequence = {name: getattr(sequence, name, None) for name in TYPED}
    planners = {
        "tables": TABLES, "rows": ROWS, "seconds": SECONDS, "warmup": WARMUP, "threads": THREADS,
        "repeats": _repeats_of(contenders),
    }  # fmt: skip
    found = {}
    for name in TYPED:
        value = from_sequence[name] if from_sequence[name] is not None else planners.get(name)
        found[name] = text_of(getattr(_OPEN, name) if value is None else value)
    return found


def contender_colours(plan: Plan, known: Mapping[str, int], palette: int) -> list[int]:
    """The colour of each contender: the history's, or the one it will give at first sight."""
    given = dict(known)
    for turn in plan.turns:
        given.setdefault(plan.contender_of(turn).key, len(given) % palette)
    return [given[each.key] for each in plan.contenders]


# other forms of the same


def variant_text(
    sequence: Sequence, request: PlanRequest, workloads: Mapping[str, Workload], name: str
) -> str:
    """A sequence file of one's own: the steps that are ticked, the sizes that were said."""
    import tomli_w

    data: dict[str, object] = {"name": name, "title": sequence.title}
    for key in ("tables", "rows", "threads", "cores", "seconds", "warmup"):
        given = getattr(request, key)
        value = getattr(sequence, key) if given is None else given
        if value is not None:
            data[key] = list(value) if isinstance(value, tuple) else value
    if transport := request.transport or sequence.transport:
        data["transport"] = transport
    chosen = chosen_steps(sequence, request.steps, workloads)
    data["step"] = [_plain(asdict(step)) for step in chosen]
    return tomli_w.dumps(data)


def _plain(step: Mapping[str, object]) -> dict[str, object]:
    """The keys that say something, as TOML has them."""
    said = {
        key: value for key, value in step.items() if value not in (None, "", {}, ()) and value is not False
    }
    return {key: _plain_list(value) if isinstance(value, tuple) else value for key, value in said.items()}


def _plain_list(values: tuple[object, ...]) -> list[object]:
    """Of numbers, or of the variations of a step."""
    return [_plain(each) if isinstance(each, dict) else each for each in values]


def opened(text: str, label: str) -> Draft:
    """The draft of a plan file."""
    return Draft(PlanRequest.from_toml(text, label))


def remembered(text: str) -> Draft | None:
    """What was set up last time; None where it cannot be read any more."""
    try:
        return Draft(PlanRequest.from_toml(text)) if text else None
    except DynoError:
        return None
