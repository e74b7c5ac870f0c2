"""Finds the builds and presets that contenders name, and gives them short names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.catalog import Catalog
from app.core.errors import InputError, add_field_to_errors
from app.core.nearest import did_you_mean
from app.core.ranges import cpus_of
from app.engines.engine import NAME
from app.planner.request.contender import ContenderRequest
from app.protocol.answers import Build, Survey
from app.protocol.cpus import as_text
from app.protocol.plan import Contender
from app.remote.target import LOCAL
from app.targets.servers import NamedServer
from app.variables import MachineSize, Preset, parse_preset, render
from app.variables.names import BASELINE

from .existing import existing_contender, find_server

_PLUGIN = re.compile(r"ha_\w+\.so", re.ASCII)


def resolve_contenders(
    requests: Sequence[ContenderRequest],
    survey: Survey,
    catalog: Catalog,
    at_once: int = 1,
    target: str = LOCAL,
) -> tuple[list[Contender], list[Preset]]:
    """Contenders with their presets rendered, and the presets as they were written.

    `at_once`: the servers that are up at the same time, and share the machine; `target`: who drives those
    that run already.
    """
    found: list[Build | NamedServer] = []
    for at, request in enumerate(asked := as_named_today(requests, catalog)):
        with add_field_to_errors(f"contenders.{at}"):
            found.append(find_server(request, target) if request.server else find_build(request, survey))
    asked = tuple(_with_full_names(*each) for each in zip(asked, found, strict=True))
    contenders, presets = list[Contender](), list[Preset]()
    for at, (name, request, its) in enumerate(zip(short_names(asked), asked, found, strict=True)):
        with add_field_to_errors(f"contenders.{at}"):
            if isinstance(its, Build):
                presets.append(find_preset(request, catalog))
                contenders.append(_contender(name, request, its, presets[-1], survey, at_once))
            else:
                contenders.append(existing_contender(name, request, its))
            _check_once(contenders)
    return contenders, presets


def _with_full_names(request: ContenderRequest, found: Build | NamedServer) -> ContenderRequest:
    """With the whole name of its build; of a server with its name in that place, and with its engine."""
    if isinstance(found, Build):
        return replace(request, build=found.name)
    return replace(request, build=found.name, engine=request.engine or found.default_engine)


def with_each_build(requests: Sequence[ContenderRequest], survey: Survey) -> tuple[ContenderRequest, ...]:
    """The contenders, those of each build once for each that can start and has the engine."""
    return tuple(
        replace(each, build=build)
        for each in requests
        for build in (_builds_with(each.engine, survey) if each.is_of_each_build else (each.build,))
    )


def _builds_with(engine: str, survey: Survey) -> list[str]:
    found = [each.name for each in survey.builds if not each.problem and engine in engines_in(each)]
    if not found:
        raise InputError(f"no build on this target can start and has the engine {engine}")
    return found


def as_named_today(requests: Sequence[ContenderRequest], catalog: Catalog) -> tuple[ContenderRequest, ...]:
    """The contenders with the names that their presets have now, unless they bring the text."""
    return tuple(
        each
        if each.brings_preset or each.server
        else replace(each, preset=catalog.preset_name(each.engine, each.preset))
        for each in requests
    )


def find_preset(request: ContenderRequest, catalog: Catalog) -> Preset:
    """The preset as written; raises InputError if it does not exist."""
    if request.preset_text:
        return parse_preset(request.preset_text, request.preset, request.engine, shipped=False)
    if request.settings:
        return _changed_preset(request, catalog)
    return catalog.preset(request.engine, request.preset)


def _changed_preset(request: ContenderRequest, catalog: Catalog) -> Preset:
    """Another preset with settings behind it: the last line of a variable is in force."""
    catalog.own_preset_path(request.engine, request.preset)  # refuses names of others
    base, lines = catalog.preset(request.engine, request.based_on or BASELINE), request.setting_lines
    head = f"# title: {base.name} with {', '.join(lines)}"
    text = "\n".join((head, base.body, "[mysqld]", *lines, ""))
    return parse_preset(text, request.preset, request.engine, shipped=False)


def _check_once(contenders: Sequence[Contender]) -> None:
    """Refuse a contender that equals an earlier one: repeats show noise, not copies."""
    last = contenders[-1]
    for each in contenders[:-1]:
        if (each.key, each.build) == (last.key, last.build):
            raise InputError(
                f"the contenders {each.name} and {last.name} differ only in their names:"
                " remove one, or choose 2 or more repeats to see the noise"
            )


def _contender(
    name: str, request: ContenderRequest, build: Build, preset: Preset, survey: Survey, at_once: int
) -> Contender:
    machine = server_machine_share(survey, request.cores, request.memory_limit_bytes, at_once)
    rendered = render(preset, build.family or "", build.version or "", machine)
    plugin = unknown_engine_plugins(build).get(request.engine, "")
    loads = f"plugin_load_add={plugin}\n" if plugin and plugin[:-3] not in rendered.text else ""
    return replace(
        contender_of(build, name, request.engine, preset.name, rendered.text + loads),
        table_options=request.table_options.strip(),
        cores=_as_taskset_has_it(request.cores),
        allocator="" if request.allocator == "system" else request.allocator,
        numa=request.numa,
        memory_limit=request.memory_limit_bytes,
    )


def contender_of(build: Build, name: str, engine: str, preset: str, cnf: str) -> Contender:
    """A contender of a build, an engine and a my.cnf, without further settings."""
    return Contender(
        name=name,
        build=build.name,
        base=build.base,
        server=build.server,
        family=build.family or "",
        version=build.version or "",
        fingerprint=build.fingerprint or "",
        engine=engine,
        preset=preset,
        cnf=cnf,
    )


def machine_sizes(survey: Survey) -> dict[str, int]:
    """What shares in plan files refer to, by name."""
    machine = server_machine_share(survey, "")
    return {"ram": machine.ram_bytes, "cores": machine.cores}


def server_machine_share(survey: Survey, cores: str, memory_limit: int = 0, at_once: int = 1) -> MachineSize:
    """The share of the target that one server gets: the base of shares in its preset."""
    memory = memory_bytes(survey) // at_once
    cores_each = max(1, count_cores("", survey) // at_once)
    return MachineSize(min(memory, memory_limit or memory), min(cores_each, count_cores(cores, survey)))


def memory_bytes(survey: Survey) -> int:
    """The memory that shares in presets and row counts refer to."""
    found = survey.memory_bytes
    if not found:
        raise InputError("the memory of the target is unknown: survey it again; it needs /proc/meminfo")
    return found


def find_build(request: ContenderRequest, survey: Survey) -> Build:
    """A build of the survey that can start and has the engine; else InputError with the choices."""
    build = named_build(request.build, survey.builds)
    if build.problem:
        raise InputError(f"the build {build.name} cannot start: {build.problem}")
    engines = engines_in(build)
    if request.engine not in engines:
        lacking, meant = build.lacking.get(request.engine), did_you_mean(request.engine, engines)
        raise InputError(
            f"the build {build.name} lacks the engine {request.engine}"
            + (f": {lacking}" if lacking else f"{meant}; it has {', '.join(engines) or 'none'}")
        )
    return build


def named_build(name: str, builds: Sequence[Build]) -> Build:
    """The build of this name, or the only one whose name begins with it."""
    found = [each for each in builds if each.name == name] or [
        each for each in builds if each.name.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    names = [each.name for each in found or builds]
    there = ", ".join(names) or "none"
    if found:
        text = f"{name} is the beginning of {len(found)} builds on this target: {there}; write more of it"
        raise InputError(text)
    raise InputError(f"there is no build {name} on this target{did_you_mean(name, names)}; there are {there}")


def engines_in(build: Build) -> list[str]:
    """All engines of a build by their plan names, known ones first."""
    named = (engine.lower() for engine in build.engines)
    return [*filter(NAME.fullmatch, named), *unknown_engine_plugins(build)]


def unknown_engine_plugins(build: Build) -> dict[str, str]:
    """Engines that Dyno does not know, with the plugin to load; their names come from the target."""
    return {
        name: plugin
        for name, plugin in build.other_engines.items()
        if NAME.fullmatch(name) and (not plugin or _PLUGIN.fullmatch(plugin))
    }


def _as_taskset_has_it(cores: str) -> str:
    """CPUs in normal form; a plain list keeps its spelling, which is part of contender keys."""
    return cores if re.fullmatch(r"[0-9,-]*", cores) else as_text(cpus_of(cores))


def count_cores(cores: str, survey: Survey) -> int:
    """The number of hardware threads of a core list; raises InputError for cores that do not exist."""
    there = survey.cpu.threads or 1
    if not cores:
        return there
    chosen = cpus_of(cores)
    if max(chosen) >= there:
        raise InputError(f"cores {cores}: the target has 0-{there - 1}")
    return len(chosen)


def short_names(requests: Sequence[ContenderRequest]) -> list[str]:
    """Names of build and engine that distinguish the contenders; names given by a person stay."""
    given = Counter(each.name for each in requests if each.name)
    twice = [name for name, count in given.items() if count > 1]
    if twice:
        raise InputError(f"two contenders are called {twice[0]}: give one another name")
    taken = set(given)
    nameless = [each for each in requests if not each.name]
    made = iter(_numbered(_shortest(nameless, taken), taken))
    return [each.name or next(made) for each in requests]


def _shortest(requests: Sequence[ContenderRequest], taken: set[str]) -> list[str]:
    with_preset = [_joined(each, each.preset) for each in requests]
    forms = [
        [_joined(each) for each in requests],
        with_preset,
        [_joined(each, allocator_name(each)) for each in requests],
        [_joined(each, Path(each.change_by).stem) for each in requests],
        with_preset,
    ]
    return next((form for form in forms if len(set(form) | taken) == len(form) + len(taken)), forms[-1])


def _joined(request: ContenderRequest, more: str = "") -> str:
    return "-".join(filter(None, (request.build or request.server, request.engine, more)))


def allocator_name(request: ContenderRequest) -> str:
    """The allocator as it is part of a name."""
    return Path(request.allocator or "system").name.partition(".")[0]


def _numbered(names: Sequence[str], taken: set[str]) -> list[str]:
    """Names made unique by numbers."""
    used, found = set(taken), []
    for name in names:
        fresh, count = name, 1
        while fresh in used:
            count += 1
            fresh = f"{name}-{count}"
        used.add(fresh)
        found.append(fresh)
    return found
