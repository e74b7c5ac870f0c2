"""The choices on a target: builds x engines x presets, servers x engines; why some are not available."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count

from app.catalog import Catalog, Sequence, SequenceStep, Workload
from app.catalog.counting import counted_workload
from app.catalog.roles import role_text
from app.core.errors import DynoError, InputError
from app.core.ranges import as_listed
from app.core.units import count_text
from app.engines import FIRST, engine_of
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import PlanRequest
from app.planner.resolve.contenders import engines_in, find_build, find_preset, server_machine_share
from app.planner.resolve.existing import find_server
from app.protocol.answers import Build, Survey
from app.protocol.plan import PREPARING
from app.targets.servers import NamedServer, Servers
from app.variables import Preset, RenderedPreset, render
from app.variables.names import preset_list_position

NO_SURVEY = "survey the target first, to find its builds"


@dataclass(frozen=True)
class PlanChoices:
    """All choices, read once: later calls touch no file."""

    builds: tuple[Build, ...] = ()
    presets: tuple[Preset, ...] = ()
    sequences: tuple[Sequence, ...] = ()
    workloads: Mapping[str, Workload] = field(default_factory=dict)
    refusals: Mapping[tuple[str, str, str], str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()  # files that cannot be read
    servers: tuple[NamedServer, ...] = ()  # that run already, and that the target drives

    def refusal(self, build: str, engine: str, preset: str) -> str:
        """Why this contender is not available; '' if it is."""
        return self.refusals.get((build, engine, preset), "")

    def preset(self, engine: str, name: str) -> Preset | None:
        found = (each for each in self.presets if (each.engine, each.name) == (engine, name))
        return next(found, None)

    @property
    def server_engines(self) -> list[str]:
        """The engines to choose from on servers: those that Dyno knows, and what is the default of one."""
        defaults = {each.default_engine for each in self.servers} - {""}
        known = {name for each in self.servers for name in each.engines if engine_of(name).has_facts}
        return sorted(known | defaults, key=lambda name: (name != FIRST.name, name))

    def copy_name(self, preset: Preset) -> str:
        """`baseline-2`, or the next that is free."""
        names = (f"{preset.name}-{number}" for number in count(2))
        return next(name for name in names if not self.preset(preset.engine, name))

    def sequence(self, name: str) -> Sequence | None:
        return next((each for each in self.sequences if each.name == name), None)


@dataclass(frozen=True)
class TickableStep:
    """A step of a sequence with its tick box."""

    name: str
    group: str
    title: str  # what it measures
    bound: str  # where it ends, if the sequence says so
    is_fixed: bool  # nothing can be measured without it
    can_be_profiled: bool = True  # clients are at work in it


def choices(survey: Survey | None, catalog: Catalog, chosen: str = "", target: str = "") -> PlanChoices:
    """All choices, also the `chosen` sequence if it was made for a count; without a survey no builds."""
    builds = tuple(survey.builds) if survey else ()
    presets, wrong_presets = catalog.presets()
    with_presets = catalog.engines()
    for engine in sorted({each for build in builds for each in engines_in(build)} - set(with_presets)):
        presets += catalog.presets(engine)[0]
    sequences, wrong_sequences = catalog.sequences()
    if counted_workload(chosen) and chosen not in (each.name for each in sequences):
        sequences.append(catalog.sequence(chosen))
    workloads, wrong_workloads = catalog.workloads()
    servers, wrong_servers = _servers_of(target)
    return PlanChoices(
        builds=builds,
        presets=tuple(sorted(presets, key=_place)),
        sequences=tuple(sequences),
        workloads={each.name: each for each in workloads},
        refusals=_refusals(survey, presets) if survey else {},
        problems=(*wrong_presets, *wrong_sequences, *wrong_workloads, *wrong_servers),
        servers=servers,
    )


def _servers_of(target: str) -> tuple[tuple[NamedServer, ...], tuple[str, ...]]:
    """The servers that a target drives, and what is wrong with their file."""
    try:
        return tuple(each for each in Servers().all() if each.target == target), ()
    except DynoError as error:
        return (), (str(error),)


def _place(preset: Preset) -> tuple[bool, int]:
    """The sort key of presets: those of every engine first, engines without facts last."""
    return not engine_of(preset.engine).has_facts, preset_list_position(preset.name)


def rendered(preset: Preset, build: str, survey: Survey, at_once: int = 1) -> RenderedPreset:
    """The preset as this build would get it; raises InputError if that is not possible.

    `at_once`: the servers that share the target.
    """
    found = find_build(ContenderRequest(build, preset.engine, preset.name), survey)
    return render(
        preset, found.family or "", found.version or "", server_machine_share(survey, "", 0, at_once)
    )


def step_choices(sequence: Sequence, workloads: Mapping[str, Workload]) -> list[TickableStep]:
    """The steps in order; a step whose workload cannot be read has a problem."""
    return [_step_choice(step, workloads) for step in sequence.steps]


def _step_choice(step: SequenceStep, workloads: Mapping[str, Workload]) -> TickableStep:
    workload = workloads.get(step.main_workload)
    kind = step.kind or (workload.kind if workload else "")
    return TickableStep(
        name=step.name,
        group=(workload.group if workload and not step.is_operation else "") or kind or "unknown",
        title=_title(step, workloads),
        bound=_bound_text(step),
        is_fixed=kind in PREPARING,
        can_be_profiled=bool(step.main_workload) and not (step.profile or step.is_operation),
    )


def _title(step: SequenceStep, workloads: Mapping[str, Workload]) -> str:
    """What it measures; of a step with roles which they are."""
    lacking = next((name for name in step.workloads if name not in workloads), "")
    if lacking:
        return f"cannot read the workload {lacking}"
    if step.role:
        roles = ", ".join(f"{role.name} ({role.workload})" for role in step.roles)
        return f"{step.kind} beside {roles}" if step.is_operation else roles
    title = workloads[step.workload].title if step.workload else step.kind
    options = ", ".join(f"{name}={value}" for name, value in step.options.items())
    return f"{title} ({options})" if options else title


def _bound_text(step: SequenceStep) -> str:
    bounds = [
        *(f"{role.name} ({text})" if (text := role_text(role)) else role.name for role in step.roles),
        f"on {step.on}" if step.on else "",
        "a thread a table" if step.per_table else "",
        count_text(step.threads[0], "thread") if step.threads and len(step.threads) == 1 else "",
        f"threads {', '.join(map(str, step.threads))}" if step.threads and len(step.threads) > 1 else "",
        f"p99 under {step.limit_ms:g} ms" if step.limit_ms else "",
        f"rate {as_listed(step.rate)}" if step.rate else "",
        f"cores {as_listed(step.cores)}" if step.cores else "",
        count_text(len(step.variation), "variation") if step.variation else "",
        *step.operation_words,
        f"{step.seconds} s" if step.seconds else "",
        f"{count_text(step.count, 'event')} counted" if step.count else "",
        count_text(step.events, "event") if step.events else "",
        f"{step.warmup} s warm-up" if step.warmup else "",
        "settles" if step.settle_after else "",
        "profiled" if step.profile else "",
    ]
    return ", ".join(filter(None, bounds))


def _refusals(survey: Survey, presets: list[Preset]) -> dict[tuple[str, str, str], str]:
    found = {}
    for build in survey.builds:
        for preset in presets:
            text = _refusal(build.name, preset, survey)
            if text:
                found[build.name, preset.engine, preset.name] = text
    return found


def _refusal(build: str, preset: Preset, survey: Survey) -> str:
    try:
        rendered(preset, build, survey)
    except InputError as error:
        return str(error)
    return ""


def lacking(request: PlanRequest, survey: Survey, catalog: Catalog) -> list[str]:
    """What a plan needs and the target or catalog lacks: sequence, builds, engines, presets; by line."""
    needs: list[Callable[[], object]] = [partial(catalog.sequence, request.sequence)]
    for each in request.contenders:
        if each.server:
            needs.append(partial(find_server, each, request.target))
        else:
            needs += [partial(find_build, each, survey), partial(find_preset, each, catalog)]
    return list(dict.fromkeys(problem for problem in map(_problem, needs) if problem))


def _problem(find: Callable[[], object]) -> str:
    try:
        find()
    except InputError as error:
        return error.window_text or str(error)
    return ""
