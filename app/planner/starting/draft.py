"""A draft: a plan that a person sets up, with its problems, time and disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from app.catalog import Catalog, Sequence, UnapprovedLuaError, Workload
from app.core.errors import DynoError, InputError, TargetError
from app.core.ranges import as_listed
from app.core.units import time_text
from app.engines import FIRST
from app.history.machines.measured import MachineHistory
from app.planner.checks.checks import check_plan
from app.planner.estimate.estimate import UNKNOWN, PlanEstimate
from app.planner.kinds.canary import estimated_with_canary
from app.planner.kinds.chosen import FittedRequest, fitted
from app.planner.kinds.duel import ROUNDS, SEQUENCE, duel, duel_of, is_untouched
from app.planner.request.contender import ContenderRequest, parse_memory_field
from app.planner.request.request import OPTIONS, PlanRequest
from app.planner.resolve.contenders import as_named_today, engines_in, short_names
from app.planner.resolve.resolve import ROWS, SECONDS, TABLES, THREADS, WARMUP, resolve
from app.planner.resolve.steps import chosen_steps
from app.protocol.answers import FAIL, Check, Survey
from app.protocol.plan import UNTIL_DECIDED, Plan
from app.targets.queue import seconds_until_clock

from .choices import lacking

# what a person chose for any sequence
_OF_ANY_SEQUENCE = (
    "name",
    "target",
    "contenders",
    "tables",
    "rows",
    "repeats",
    "time_limit",
    "matters_pct",
    "false_share_pct",
    "instruments",
    "load",
    "load_address",
    "pause",
    "quiet_wait",
    "repeat_if_disturbed",
    "others_pct",
    "steal_pct",
    "allow_busy",
    "allow_small_disk",
)
# the fields that are typed; what is left open the sequence or the planner fills in
TYPED = {name: row for name, row in OPTIONS.items() if row.is_typed}
_OPEN = PlanRequest()


# what is typed


def value_of(name: str, text: str) -> Any:
    """The value typed into a field, None if empty; raises InputError about the field."""
    if not text.strip():
        return None
    row = OPTIONS[name]
    try:
        value = row.read(text)
    except InputError as error:
        raise InputError(f"{name} {error}", name) from None
    if problem := row.problem(value):
        raise InputError(f"{name} {problem}", name)
    return tuple(dict.fromkeys(value)) if isinstance(value, list) else value


def text_of(value: object) -> str:
    """A value as it is typed: `1,000,000`, `1, 2, 4`, `[0-3]`, `3x memory`."""
    if value is None:
        return ""
    if isinstance(value, tuple):
        return as_listed(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


# what is set up


@dataclass(frozen=True)
class InvalidTypedValue:
    """A typed value that is not valid."""

    text: str
    problem: str


@dataclass(frozen=True)
class Draft:
    """A request being edited; every change gives another draft."""

    request: PlanRequest = field(default_factory=PlanRequest)
    unread: Mapping[str, InvalidTypedValue] = field(default_factory=dict)
    is_fitted: bool = False  # Dyno chooses what is open so that the plan ends in its time limit
    by: str = ""  # the time of day by which it has to end, where a person gave one

    def typed(self, name: str, text: str) -> Draft:
        """The draft with the text of a field, valid or not."""
        unread = {key: value for key, value in self.unread.items() if key != name}
        try:
            if name == "time_limit":
                return replace(self._within(text.strip()), unread=unread)
            value = value_of(name, text)
        except InputError as error:
            return replace(self, unread={**unread, name: InvalidTypedValue(text, str(error))})
        if value is None:
            value = _repeats_of(self.request.contenders) if name == "repeats" else getattr(_OPEN, name)
        return replace(self, unread=unread)._with(replace(self.request, **{name: value}))

    def _within(self, text: str) -> Draft:
        """The draft that ends in a time, `8 h`, or by a time of day, `07:00`; empty: whenever it is done."""
        by, limit = (text, _seconds_until(text)) if ":" in text else ("", value_of("time_limit", text))
        if limit:
            request = replace(self.request, time_limit=limit, repeats=UNTIL_DECIDED)
            return replace(self, request=request, by=by, is_fitted=True)
        repeats, contenders = self.request.repeats, self.request.contenders
        usual = _repeats_of(contenders) if repeats == UNTIL_DECIDED else repeats
        return self._with(replace(self.request, time_limit=_OPEN.time_limit, repeats=usual))

    def _with(self, request: PlanRequest) -> Draft:
        """The draft with another request, and its end in time only as long as that has a limit."""
        kept = _consistent(request)
        if kept.time_limit:
            return replace(self, request=kept)
        return replace(self, request=kept, by="", is_fitted=False)

    def text(self, name: str) -> str:
        """The text of a field."""
        if name in self.unread:
            return self.unread[name].text
        value = getattr(self.request, name)
        if value == OPTIONS[name].default == 0:
            return ""
        return self.by or time_text(value) if name == "time_limit" else text_of(value)

    def said(self, **values: Any) -> Draft:
        """The draft with chosen values."""
        return replace(self, request=replace(self.request, **values))

    def with_sequence(self, name: str) -> Draft:
        """The draft with another sequence: its own steps, seconds, order, start and sweep.

        Contenders, rows, how long, repeats, and what is allowed on the target stay as a person chose them.
        """
        if name == self.request.sequence:
            return self
        kept = {key: getattr(self.request, key) for key in _OF_ANY_SEQUENCE}
        if is_untouched(self.request) or _has_repeats_of_duel(self.request):
            kept["repeats"] = _repeats_of(self.request.contenders)
        request = PlanRequest(sequence=name, **kept)
        is_duel = name == SEQUENCE and not request.time_limit
        return self._with(duel_of(request) if is_duel else request)

    def with_steps(self, ticked: Iterable[str], sequence: Sequence) -> Draft:
        """The draft with only the ticked steps; all ticked is the default.

        A plan of no step cannot be: then they stay as they were.
        """
        wanted = set(ticked)
        steps = tuple(step.name for step in sequence.steps if step.name in wanted)
        if not steps:
            return self
        profile = tuple(name for name in self.request.profile if name in steps)
        return self.said(steps=() if len(steps) == len(sequence.steps) else steps, profile=profile)

    # contenders

    def with_contenders(self, contenders: tuple[ContenderRequest, ...]) -> Draft:
        """The draft with these contenders; repeats follow their number unless a person chose them."""
        before, after = _repeats_of(self.request.contenders), _repeats_of(contenders)
        is_usual = self.request.repeats == before and not self.request.time_limit
        repeats = after if is_usual else self.request.repeats
        return self._with(replace(self.request, contenders=contenders, repeats=repeats))

    def is_ticked(self, build: str, engine: str, preset: str) -> bool:
        return any((c.build, c.engine, c.preset) == (build, engine, preset) for c in self.request.contenders)

    def tick(self, build: str, engine: str, preset: str, ticked: bool) -> Draft:
        """Tick a cell of the grid: adds a contender, or removes all of that cell."""
        rest = tuple(
            c for c in self.request.contenders if (c.build, c.engine, c.preset) != (build, engine, preset)
        )
        if not ticked:
            return self.with_contenders(rest)
        if self.is_ticked(build, engine, preset):
            return self
        return self.with_contenders((*rest, ContenderRequest(build, engine, preset)))

    def with_contender(self, at: int, **values: str) -> Draft:
        """The draft with one contender changed: name, table options, cores or memory."""
        if "memory" in values:
            values |= parse_memory_field(values.pop("memory"))
        changed = list(self.request.contenders)
        changed[at] = replace(changed[at], **{key: value.strip() for key, value in values.items()})
        return self.said(contenders=tuple(changed))

    def copied(self, at: int) -> Draft:
        """The draft with a copy of a contender, without its name."""
        contenders = self.request.contenders
        copy = replace(contenders[at], name="")
        return self.with_contenders((*contenders[: at + 1], copy, *contenders[at + 1 :]))

    def without(self, taken: Iterable[int]) -> Draft:
        gone = set(taken)
        rest = (each for at, each in enumerate(self.request.contenders) if at not in gone)
        return self.with_contenders(tuple(rest))


def _seconds_until(clock: str, start: datetime | None = None) -> int:
    """Whole seconds until a time of day; raises InputError about the field."""
    try:
        return max(1, int(seconds_until_clock(clock, start or datetime.now())))
    except InputError as error:
        raise InputError(f"time limit {error}", "time_limit") from None


def _has_repeats_of_duel(request: PlanRequest) -> bool:
    return request.sequence == SEQUENCE and request.repeats == ROUNDS


def _repeats_of(contenders: tuple[ContenderRequest, ...]) -> int | str:
    """The default repeats: until decided if there is something to compare."""
    return UNTIL_DECIDED if len(contenders) > 1 else _OPEN.repeats


def _consistent(request: PlanRequest) -> PlanRequest:
    """The request without options of plans until decided, if it has a number of rounds."""
    if request.repeats == UNTIL_DECIDED:
        return request
    return replace(request, time_limit=_OPEN.time_limit, matters_pct=None, false_share_pct=None)


def first_draft(survey: Survey, target: str) -> Draft:
    """The first draft: the duel, as far as the target can run it."""
    request = PlanRequest(target=target)
    try:
        return Draft(duel(survey, request))
    except TargetError:
        builds = [each.name for each in survey.builds if each.has(FIRST.name)]
        alone = tuple(ContenderRequest(name, FIRST.name) for name in builds[:1])
        return Draft(replace(request, sequence=SEQUENCE, contenders=alone))


def carried_over(draft: Draft, survey: Survey, target: str) -> Draft:
    """The draft on another target, with the contenders that exist there."""
    there = {
        (build.name, engine) for build in survey.builds if not build.problem for engine in engines_in(build)
    }
    kept = tuple(each for each in draft.request.contenders if (each.build, each.engine) in there)
    first = first_draft(survey, target)
    if is_untouched(draft.request) and (not kept or kept != draft.request.contenders):
        return first
    return draft.said(target=target).with_contenders(kept or first.request.contenders)


def names_of(request: PlanRequest) -> list[str]:
    """The names of the contenders, even while two have the same."""
    try:
        return short_names(request.contenders)
    except InputError:
        return [each.name or each.engine for each in request.contenders]


# what comes of it


@dataclass(frozen=True)
class Problem:
    """Why there is no plan: a line, and its field if any (`rows`, `contenders.0.cores`)."""

    text: str
    field: str = ""


@dataclass(frozen=True)
class DraftOutcome:
    """The plan of a draft with estimate and checks, or why there is none."""

    draft: Draft
    problem: Problem | None = None
    request: PlanRequest | None = None  # that of the draft with what Dyno chose to end in time
    chosen: str = ""  # in words
    plan: Plan | None = None
    estimate: PlanEstimate | None = None
    checks: tuple[Check, ...] = ()
    unapproved: tuple[UnapprovedLuaError, ...] = ()
    lacking: tuple[str, ...] = ()  # sequence, builds and presets that are not there

    @property
    def obstacle(self) -> str:
        """Why it cannot run, in one line; '' if it can."""
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
    known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
) -> DraftOutcome:
    """Everything known before a start; `known`: of a machine, by its key."""
    problem = _first_problem(draft)
    if problem:
        return DraftOutcome(draft, problem)
    try:
        found_request = request_in_time(draft, survey, catalog, approved, known)
        plan, unapproved = _resolved(found_request.request, survey, catalog, frozenset(approved))
    except InputError as error:
        lacks = tuple(lacking(draft.request, survey, catalog))
        return DraftOutcome(draft, Problem(error.window_text or str(error), error.field), lacking=lacks)
    plan, found = estimated_with_canary(plan, survey, known(plan.machine_key))
    checks = tuple(check_plan(plan, survey, found, draft.request.allow_small_disk))
    return DraftOutcome(
        draft,
        request=found_request.request,
        chosen=found_request.text,
        plan=plan,
        estimate=found,
        checks=checks,
        unapproved=tuple(unapproved),
    )


def request_in_time(
    draft: Draft,
    survey: Survey,
    catalog: Catalog,
    approved: Iterable[str],
    known: Callable[[str], MachineHistory] = lambda _: UNKNOWN,
    in_s: float = 0.0,
) -> FittedRequest:
    """The request of a draft, with what Dyno chooses so that it ends in time; `in_s`: it starts later."""
    request, allowed = draft.request, frozenset(approved)
    if not (draft.is_fitted and request.time_limit):
        return FittedRequest(request, "")
    if draft.by:
        start = datetime.now() + timedelta(seconds=in_s)
        request = replace(request, time_limit=_seconds_until(draft.by, start))

    def look(tried: PlanRequest) -> tuple[Plan, PlanEstimate]:
        plan, _ = _resolved(tried, survey, catalog, allowed)
        return estimated_with_canary(plan, survey, known(plan.machine_key))

    return fitted(request, request.time_limit, look, catalog)


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
) -> tuple[Plan, list[UnapprovedLuaError]]:
    """The plan as if all Lua were approved, and the workloads that are not."""
    missing: list[UnapprovedLuaError] = []
    while True:
        try:
            allowed = approved | {each.sha256 for each in missing}
            return resolve(request, survey, catalog, allowed), missing
        except UnapprovedLuaError as error:
            if error.sha256 in allowed:
                raise
            missing.append(error)


def empty_field_values(
    sequence: Sequence | None, contenders: tuple[ContenderRequest, ...] = ()
) -> dict[str, str]:
    """The values that empty fields will have, as text."""
    planners = {
        "tables": TABLES, "rows": ROWS, "seconds": SECONDS, "warmup": WARMUP, "threads": THREADS,
        "repeats": _repeats_of(contenders),
    }  # fmt: skip
    found = {}
    for name, row in TYPED.items():
        values = (getattr(sequence, name, None), planners.get(name), row.default)
        found[name] = row.open or text_of(next((each for each in values if each is not None), None))
    return found


def contender_colours(plan: Plan, known: Mapping[str, int], palette: int) -> list[int]:
    """The colour of each contender: from the history, or the next free one."""
    given = dict(known)
    for turn in plan.turns:
        given.setdefault(plan.contender_of(turn).key, len(given) % palette)
    return [given[each.key] for each in plan.contenders]


# other forms of the same


def sequence_variant_text(
    sequence: Sequence, request: PlanRequest, workloads: Mapping[str, Workload], name: str
) -> str:
    """A sequence file of one's own with the ticked steps and the chosen sizes."""
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
    profiled = [replace(step, profile=step.profile or step.name in request.profile) for step in chosen]
    data["step"] = [_plain(asdict(step)) for step in profiled]
    return tomli_w.dumps(data)


def _plain(step: Mapping[str, object]) -> dict[str, object]:
    """The keys with values, for TOML."""
    said = {
        key: value for key, value in step.items() if value not in (None, "", {}, ()) and value is not False
    }
    return {key: _plain_list(value) if isinstance(value, tuple) else value for key, value in said.items()}


def _plain_list(values: tuple[object, ...]) -> list[object]:
    """A list of numbers, or of the variations of a step, for TOML."""
    return [_plain(each) if isinstance(each, dict) else each for each in values]


def draft_from_file(text: str, label: str) -> Draft:
    """The draft of a plan file."""
    request = PlanRequest.from_toml(text, label)
    return Draft(replace(request, contenders=as_named_today(request.contenders, Catalog())))


def restore_last_draft(text: str) -> Draft | None:
    """The draft of last time; None if it cannot be read any more."""
    try:
        return draft_from_file(text, "plan") if text else None
    except DynoError:
        return None
