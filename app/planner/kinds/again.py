"""Sessions of the history measured again: the same work in a new plan, their contenders in turn."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, TypeVar

from app.catalog import Catalog, SequenceStep
from app.catalog import Sequence as StepSequence
from app.catalog.amounts import CoreSets
from app.catalog.sequence import sequence_of
from app.core.errors import InputError
from app.core.names import is_made_name
from app.core.toml_text import read_document
from app.core.units import count_text
from app.history.lists.sessions import find_all
from app.history.steps.figures import plans_by_session
from app.planner.request.contender import ContenderRequest
from app.planner.request.cores import OWN_CPUS, SHARED_CPUS
from app.planner.request.request import LIMITS, PlanRequest, options_of_plan
from app.planner.resolve.contenders import allocator_name, as_named_today
from app.planner.resolve.resolve import TRANSPORT
from app.protocol.plan import (
    ARRIVALS,
    COUNT,
    LIMIT,
    OF_KIND,
    QUERYING,
    SLICES,
    UNTIL_DECIDED,
    Contender,
    Plan,
    Step,
)
from app.stats.at_target.verdicts import LEAST
from app.variables import preset_file
from app.variables.names import EARLIER

if TYPE_CHECKING:
    from app.history.store.history import History

T = TypeVar("T")
Files = Mapping[str, str]  # of a plan


class SweptOptions(TypedDict):
    rate: tuple[int, ...] | None
    arrivals: str
    cores: CoreSets | None
    cpus: str
    vary: str  # `innodb_spin_wait_delay=6,96`


def request_again(history: History, references: Sequence[str], only: Collection[str] = ()) -> PlanRequest:
    """The request of sessions, or of a whole plan; raises InputError if their work differs.

    `only`: the names of the tests to repeat; none: all.
    """
    ids = find_all(history, references)
    with history.reading():
        plans = plans_by_session(history, ids)
    first = next(iter(plans.values()))
    for id_, plan in plans.items():
        _check_same(id_, plan, first)
    once = _turns_once(plans)
    contenders = [each for each, _ in once]  # once, however many attempts
    most = max(contenders.count(each) for each in contenders)
    asked = contenders_of_sessions(plans)
    return replace(
        _with_only(_request(first), first, only),
        contenders=asked,
        repeats=UNTIL_DECIDED if first.until_decided else max(most, LEAST if len(asked) > 1 else 1),
        time_limit=first.time_limit,
        **({name: getattr(first, name) for name in LIMITS} if first.until_decided else {}),
    )


def _turns_once(plans: Mapping[str, Plan]) -> list[tuple[Contender, Files]]:
    """The contender of each turn, however many attempts it had, with the files of its plan."""
    turns = [(plan, plan.turn_of(id_)) for id_, plan in plans.items()]
    once = {(plan.id, turn.ordinal): (plan.contender_of(turn), plan.files) for plan, turn in turns}
    return list(once.values())


def contenders_of_sessions(plans: Mapping[str, Plan]) -> tuple[ContenderRequest, ...]:
    """The contenders of sessions, each once, from the plans by session."""
    chosen = {(each.key, each.build): (each, files) for each, files in _turns_once(plans)}
    return _contenders(list(chosen.values()))


def _with_only(request: PlanRequest, plan: Plan, only: Collection[str]) -> PlanRequest:
    """The request with these tests alone, and with what prepares them."""
    known = {step.name: step for step in _sequence(plan).steps}  # a plan has steps beside them that settle
    wanted = {name.partition(OF_KIND)[0] for name in only}
    is_kept = {
        step.name: any(name in wanted for name in known[step.name].names_in_plan)
        or step.kind not in QUERYING
        or step.warm
        for step in plan.steps
        if step.name in known
    }
    profile = tuple(name for name in request.profile if is_kept.get(name))
    kept = tuple(name for name, is_one in is_kept.items() if is_one)
    return replace(request, steps=kept, profile=profile) if only else request


def check_can_run_again(session: str, plan: Plan, first: Plan, lacking: str) -> None:
    """Raise InputError for a session that Dyno did not run, or that is of another target."""
    if not any(step.lua for step in plan.steps):
        raise InputError(f"session {session} did not run under Dyno: there is {lacking}")
    if plan.target != first.target:
        raise InputError(
            f"session {session} is from {plan.target}, the first one from {first.target}: choose sessions"
            " of one target"
        )


def _check_same(session: str, plan: Plan, first: Plan) -> None:
    check_can_run_again(session, plan, first, "no plan to repeat")
    if _work(plan) != _work(first):
        raise InputError(
            f"session {session} did different work than the first one ({_work_text(plan)};"
            f" {_work_text(first)}): choose sessions of the same steps and sizes"
        )


def _work(plan: Plan) -> object:
    """What must be equal; the files may come from an earlier Dyno."""
    return plan.sequence, plan.tables, plan.rows, [step.label for step in plan.steps]


def _work_text(plan: Plan) -> str:
    steps = count_text(sum(not step.beside for step in plan.steps), "step")
    return f"{plan.sequence}: {steps}, {plan.tables} x {count_text(plan.rows, 'row')}"


def _request(plan: Plan) -> PlanRequest:
    sequence = _sequence(plan)
    there = {step.name for step in plan.steps}
    ticked = tuple(step.name for step in sequence.steps if step.name in there)
    as_carried = {**options_of_plan(plan), "order": SLICES if plan.order == SLICES else "interleaved"}
    return PlanRequest(
        name=plan.name if plan.name != plan.sequence else "",
        target=plan.target,
        sequence=plan.sequence,
        steps=() if len(ticked) == len(sequence.steps) else ticked,
        profile=_profiled(plan.steps, sequence),
        tables=_unless(plan.tables, sequence.tables),
        rows=_unless(plan.rows, sequence.rows),
        seconds=_unless(plan.seconds, sequence.seconds),
        warmup=_unless(plan.warmup, sequence.warmup),
        threads=_unless(tuple(plan.threads), sequence.threads),
        transport="" if plan.load or plan.transport == (sequence.transport or TRANSPORT) else plan.transport,
        load=tuple(each.name for each in plan.load),
        **as_carried,
        **_swept(plan.steps, sequence),
    )


def _profiled(steps: Iterable[Step], sequence: StepSequence) -> tuple[str, ...]:
    """The steps that the plan profiled, without those that its sequence does."""
    own = {step.name for step in sequence.steps if step.profile}
    return tuple(dict.fromkeys(step.name for step in steps if step.profile and step.name not in own))


def _unless(value: T, said: object) -> T | None:
    """A value of the plan, unless its sequence has it already."""
    return None if value == said else value


def _sequence(plan: Plan) -> StepSequence:
    """The sequence as it was in the plan."""
    label = f"sequences/{plan.sequence}.toml"
    return sequence_of(read_document(plan.files.get(label, ""), label), plan.sequence, False, label)


def _swept(steps: Iterable[Step], sequence: StepSequence) -> SweptOptions:
    """The plan's values for steps without their own."""
    own = {step.name: step for step in sequence.steps}
    kinds = ("drive", LIMIT, COUNT)
    driven = [step for step in steps if step.kind in kinds and step.name in own and not step.warm]
    rated = [step for step in driven if step.rate and not (own[step.name].rate or step.role)]
    cores = [_core_set(step) for step in driven if not own[step.name].cores]
    varied = [each for step in driven if not own[step.name].variation for each in step.variables.items()]
    has_own = any(step.cores and not _core_set(step) for step in driven)
    values = dict.fromkeys(str(value) for _, value in varied)
    return {
        "rate": tuple(dict.fromkeys(step.rate for step in rated)) or None,
        "arrivals": _arrivals(rated, own),
        "cores": tuple(dict.fromkeys(each for each in cores if each)) or None,
        "cpus": OWN_CPUS if has_own else SHARED_CPUS,
        "vary": f"{varied[0][0]}={','.join(values)}" if varied else "",
    }


def swept_variable(plan: Plan) -> str:
    """The server variable that a plan was run with several values of; '' if there is none."""
    return _swept(plan.steps, _sequence(plan))["vary"]


def _arrivals(rated: list[Step], own: Mapping[str, SequenceStep]) -> str:
    """The plan's arrivals, unless they are the usual ones."""
    found = [step.arrivals for step in rated if not own[step.name].arrivals]
    return found[0] if found and found[0] != ARRIVALS[0] else ""


def _core_set(step: Step) -> int | str | None:
    """That the step was swept over."""
    return step.coordinates.get("cores") or step.coordinates.get("cpus")


def contenders_again(plan: Plan) -> tuple[ContenderRequest, ...]:
    """All contenders of a plan, in its order."""
    return _contenders([(each, plan.files) for each in plan.contenders])


def _contenders(found: Sequence[tuple[Contender, Files]]) -> tuple[ContenderRequest, ...]:
    """The contenders by build, engine and preset, with the names that a person gave them."""
    catalog = Catalog()
    nameless = [ContenderRequest.of(each, _lost_preset(each, files, catalog)) for each, files in found]
    names = [each.name for each, _ in found]
    today = as_named_today(nameless, catalog)
    if len(set(names)) < len(names):
        return today
    return tuple(
        each if _is_made(name, before) else replace(each, name=name)
        for each, before, name in zip(today, nameless, names, strict=True)
    )


def _is_made(name: str, request: ContenderRequest) -> bool:
    """Whether no person gave this name: the contender gets the one that it would get today."""
    ends = (request.preset, EARLIER, allocator_name(request))
    return is_made_name(name, request.build or request.server, request.engine, ends)


def _lost_preset(contender: Contender, files: Files, catalog: Catalog) -> str:
    """The preset as the plan has it, if none has its name: it was deleted, or `dyno explain` made it."""
    if contender.is_existing:
        return ""
    try:
        catalog.preset(contender.engine, contender.preset)
    except InputError:
        text = files.get(preset_file(contender.engine, contender.preset), "")
        if text:
            catalog.own_preset_path(contender.engine, contender.preset)  # others' journals have any name
        return text
    return ""
