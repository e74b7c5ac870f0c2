"""A draft: a plan that a person sets up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from app.catalog import Catalog, Sequence
from app.catalog.plans import plan_remarks
from app.core.errors import DynoError, InputError, TargetError
from app.core.ranges import as_listed
from app.core.units import time_text
from app.engines import FIRST
from app.planner.kinds.chosen import usual_repeats
from app.planner.kinds.duel import ROUNDS, SEQUENCE, duel, duel_of, is_untouched
from app.planner.request.contender import ContenderRequest, parse_memory_field
from app.planner.request.plan_file import plan_request_of_text
from app.planner.request.request import OPTIONS, PlanRequest
from app.planner.resolve.contenders import as_named_today, engines_in, short_names, with_each_build
from app.planner.resolve.resolve import ROWS, SECONDS, TABLES, THREADS, WARMUP
from app.protocol.answers import Survey
from app.protocol.plan import UNTIL_DECIDED
from app.targets.queue import seconds_until_clock
from app.targets.servers import NamedServer

# what a person chose for any sequence
_OF_ANY_SEQUENCE = (
    "name",
    "target",
    "contenders",
    "tables",
    "rows",
    "repeats",
    "time_limit",
    "time_box",
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
    remarks: tuple[str, ...] = ()  # the first lines of the plan file that it is from

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
            value = usual_repeats(self.request.contenders) if name == "repeats" else getattr(_OPEN, name)
        return replace(self, unread=unread)._with(replace(self.request, **{name: value}))

    def _within(self, text: str) -> Draft:
        """The draft that ends in a time, `8 h`, or by a time of day, `07:00`; else when it is done."""
        if text.isdecimal() and int(text):
            raise InputError(
                f"time limit {text}: of what? write {text} min, {text} h or {text} s", "time_limit"
            )
        by, limit = (text, seconds_until_end(text)) if ":" in text else ("", value_of("time_limit", text))
        repeats, contenders = self.request.repeats, self.request.contenders
        if limit:
            request = replace(self.request, time_limit=limit, repeats=usual_repeats(contenders, True))
            return replace(self, request=request, by=by, is_fitted=True)
        usual = usual_repeats(contenders) if repeats == UNTIL_DECIDED else repeats
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
        if name == "time_limit" and self.by:
            return self.by
        return time_text(value) if name in ("time_limit", "time_box") else text_of(value)

    def with_options(self, **values: Any) -> Draft:
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
            kept["repeats"] = usual_repeats(self.request.contenders)
        request = PlanRequest(sequence=name, **kept)
        is_duel = name == SEQUENCE and not request.time_limit
        return replace(self, remarks=())._with(duel_of(request) if is_duel else request)

    def with_steps(self, ticked: Iterable[str], sequence: Sequence) -> Draft:
        """The draft with only the ticked steps; all ticked is the default.

        A plan of no step cannot be: then they stay as they were.
        """
        wanted = set(ticked)
        steps = tuple(step.name for step in sequence.steps if step.name in wanted)
        if not steps:
            return self
        profile = tuple(name for name in self.request.profile if name in steps)
        return self.with_options(steps=() if len(steps) == len(sequence.steps) else steps, profile=profile)

    # contenders

    def with_contenders(self, contenders: tuple[ContenderRequest, ...]) -> Draft:
        """The draft with these contenders; repeats follow their number unless a person chose them."""
        before, after = usual_repeats(self.request.contenders), usual_repeats(contenders)
        is_usual = self.request.repeats == before and not self.request.time_limit
        repeats = after if is_usual else self.request.repeats
        return self._with(replace(self.request, contenders=contenders, repeats=repeats))

    def with_each_build(self, survey: Survey) -> Draft:
        """The draft with the builds of a target in place of each build; the same if none has the engine."""
        if not any(each.is_of_each_build for each in self.request.contenders):
            return self
        try:
            return self.with_options(contenders=with_each_build(self.request.contenders, survey))
        except InputError:
            return self  # the check says why

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

    def is_server_ticked(self, server: NamedServer, engine: str) -> bool:
        return any(_is_of_server(each, server, engine) for each in self.request.contenders)

    def tick_server(self, server: NamedServer, engine: str, ticked: bool) -> Draft:
        """Tick a server that runs already, with an engine; or remove all contenders that are that."""
        contenders = self.request.contenders
        rest = tuple(each for each in contenders if not _is_of_server(each, server, engine))
        if not ticked:
            return self.with_contenders(rest)
        if rest != contenders:
            return self
        return self.with_contenders((*rest, ContenderRequest.of_server(server.name, engine)))

    def with_contender(self, at: int, **values: str) -> Draft:
        """The draft with one contender changed: name, table options, cores or memory."""
        if "memory" in values:
            values |= parse_memory_field(values.pop("memory"))
        changed = list(self.request.contenders)
        changed[at] = replace(changed[at], **{key: value.strip() for key, value in values.items()})
        return self.with_options(contenders=tuple(changed))

    def copied(self, at: int) -> Draft:
        """The draft with a copy of a contender, without its name."""
        contenders = self.request.contenders
        copy = replace(contenders[at], name="")
        return self.with_contenders((*contenders[: at + 1], copy, *contenders[at + 1 :]))

    def without(self, taken: Iterable[int]) -> Draft:
        gone = set(taken)
        rest = (each for at, each in enumerate(self.request.contenders) if at not in gone)
        return self.with_contenders(tuple(rest))


def _is_of_server(contender: ContenderRequest, server: NamedServer, engine: str) -> bool:
    """Whether a contender is this server with this engine; without one it has the default."""
    return contender.server == server.name and (contender.engine or server.default_engine) == engine


def seconds_until_end(clock: str, start: datetime | None = None) -> int:
    """Whole seconds until a time of day; raises InputError about the field."""
    try:
        return max(1, int(seconds_until_clock(clock, start or datetime.now())))
    except InputError as error:
        raise InputError(f"time limit {error}", "time_limit") from None


def _has_repeats_of_duel(request: PlanRequest) -> bool:
    return request.sequence == SEQUENCE and request.repeats == ROUNDS


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
    """The draft on another target, with the builds that exist there, and all servers that run already."""
    there = {
        (build.name, engine) for build in survey.builds if not build.problem for engine in engines_in(build)
    }
    kept = tuple(
        each for each in draft.request.contenders if each.server or (each.build, each.engine) in there
    )
    first = first_draft(survey, target)
    if is_untouched(draft.request) and (not kept or kept != draft.request.contenders):
        return first
    return draft.with_options(target=target).with_contenders(kept or first.request.contenders)


def names_of(request: PlanRequest) -> list[str]:
    """The names of the contenders, even while two have the same."""
    try:
        return short_names(request.contenders)
    except InputError:
        return [each.name or each.engine for each in request.contenders]


def empty_field_values(
    sequence: Sequence | None, contenders: tuple[ContenderRequest, ...] = ()
) -> dict[str, str]:
    """The values that empty fields will have, as text."""
    planners = {
        "tables": TABLES, "rows": ROWS, "seconds": SECONDS, "warmup": WARMUP, "threads": THREADS,
        "repeats": usual_repeats(contenders),
    }  # fmt: skip
    found = {}
    for name, row in TYPED.items():
        values = (getattr(sequence, name, None), planners.get(name), row.default)
        found[name] = row.open or text_of(next((each for each in values if each is not None), None))
    return found


# other forms of the same


def draft_from_file(text: str, label: str) -> Draft:
    """The draft of a plan file."""
    request = plan_request_of_text(text, label)
    named = replace(request, contenders=as_named_today(request.contenders, Catalog()))
    return Draft(named, remarks=tuple(plan_remarks(text)))


def restore_last_draft(text: str) -> Draft | None:
    """The draft of last time; None if it cannot be read any more."""
    try:
        return draft_from_file(text, "plan") if text else None
    except DynoError:
        return None
