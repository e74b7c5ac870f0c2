"""Resolving a request against the survey of a target and the catalog: the plan, or one line why not."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import replace

from app.catalog import Catalog, Sequence, UnapprovedLuaError, Workload
from app.catalog.amounts import MAX_ROWS, parse_memory_multiple
from app.catalog.sequence import SequenceStep
from app.core.errors import InputError, add_field_to_errors
from app.core.ids import new_id
from app.core.settings import read_settings
from app.planner.request.cores import OWN_CPUS, as_far_as_it_goes
from app.planner.request.load_address import address_of, load_targets_problem
from app.planner.request.request import LIMITS, MAX_CONTENDERS, PlanRequest, options_of_plan
from app.planner.request.slicing import (
    check_rates,
    check_slices,
    name_with_roles,
    roles_problem,
    servers_at_once,
    with_slices,
)
from app.protocol.answers import Disk, Survey
from app.protocol.plan import (
    ARRIVALS,
    ATTEMPTS,
    COUNT,
    POWER_CUT,
    SLICES,
    START,
    UNTIL_DECIDED,
    Contender,
    Plan,
    PlannedSession,
    Step,
    digest,
)
from app.protocol.sysbench import (
    COUNT_WRAPPER,
    LOAD_WRAPPER,
    RATE_WRAPPER,
    RECONNECT_WRAPPER,
    ROLE_WRAPPER,
    WRAPPER,
)
from app.variables import Preset

from .contenders import memory_bytes, resolve_contenders, with_each_build
from .existing import (
    check_replicas,
    check_request_of_existing,
    check_slices_of_existing,
    check_work_of_existing,
)
from .kinds import with_kinds
from .sizes import bytes_per_row
from .step_point import StepDefaults
from .steps import chosen_steps, load_table_count, resolve_steps
from .support import check_engines, check_isolation, check_load_method, check_transactions
from .sweep import parse_vary_option

TABLES, ROWS, SECONDS, WARMUP, THREADS = 4, 1_000_000, 60, 5, (1,)  # where nobody says anything
TRANSPORT, NETWORK = "socket", "network"
MAX_PLAN_BYTES = 900_000  # a plan is part of the first event of a journal, which holds 1 MiB


def resolve(
    request: PlanRequest,
    survey: Survey,
    catalog: Catalog,
    approved: Iterable[str] = (),
    make_id: Callable[[], str] = new_id,
) -> Plan:
    """The complete plan; raises InputError with what is wrong and what to choose instead."""
    sequence, workloads, chosen = resolve_workloads(request, catalog)
    if any(step.count is not None for step in chosen):  # each start from the same data, one server at a time
        request = replace(request, start="snapshot", order="interleaved")
    with add_field_to_errors("contenders"):
        request = replace(request, contenders=with_each_build(request.contenders, survey))
        at_once = servers_at_once(request)
        contenders, presets = resolve_contenders(request.contenders, survey, catalog, at_once, request.target)
    used = list({name: workloads[name] for step in chosen for name in step.workloads}.values())
    with add_field_to_errors("steps"):
        for workload in used:
            catalog.check_approved(workload, frozenset(approved))
    check_engines(contenders, used)
    with add_field_to_errors("load_method"):
        check_load_method(request.load_method, contenders, used)
    with add_field_to_errors("rows"):
        size = _size(request, sequence, survey, contenders, used)
    with add_field_to_errors("steps"):
        steps = resolve_steps(chosen, workloads, size, request.start)
        statements = catalog.statements(used)
    _check_cores(request, steps, contenders)
    check_work_of_existing(contenders, steps, used, catalog)
    check_replicas(contenders, steps)
    check_transactions(contenders, steps, workloads)
    check_isolation(contenders, steps)
    _check_power_cut(request, steps)
    _check_arrivals(request, steps)
    files = _files(request, catalog, used, sequence, presets, steps)
    check_rates(steps, files)
    if request.order == SLICES:
        check_slices_of_existing(contenders, steps)
        steps = with_slices(steps, contenders, files)
    steps = with_kinds(steps, workloads)
    plan = Plan(
        id=make_id(),
        name=request.name or sequence.name,
        target=request.target,
        machine_key=machine_key(survey),
        sequence=sequence.name,
        contenders=contenders,
        steps=steps,
        turns=_turns(request, sequence, contenders, make_id),
        files=files,
        tables=size.tables,
        rows=size.rows,
        seconds=size.seconds,
        warmup=size.warmup,
        threads=list(size.threads),
        repeats=request.rounds,
        until_decided=request.until_decided,
        time_limit=request.time_limit if request.until_decided else 0,
        matters_pct=_limit(request, "matters_pct"),
        false_share_pct=_limit(request, "false_share_pct"),
        transport=NETWORK if request.load else request.transport or sequence.transport or TRANSPORT,
        statements=statements,
        allow_busy=request.allow_busy,
        **options_of_plan(request),
    )
    _check_bytes(plan)
    return plan


def resolve_before_approval(
    request: PlanRequest, survey: Survey, catalog: Catalog, approved: Iterable[str] = ()
) -> tuple[Plan, list[UnapprovedLuaError]]:
    """The plan as if all Lua were approved, and the workloads that are not."""
    allowed, missing = frozenset(approved), list[UnapprovedLuaError]()
    while True:
        try:
            return resolve(request, survey, catalog, allowed), missing
        except UnapprovedLuaError as error:
            if error.sha256 in allowed:
                raise
            missing.append(error)
            allowed |= {error.sha256}


def resolve_workloads(
    request: PlanRequest, catalog: Catalog
) -> tuple[Sequence, dict[str, Workload], list[SequenceStep]]:
    """Sequence, workloads and steps; raises InputError for errors that do not depend on the target."""
    with add_field_to_errors("sequence"):
        sequence = _sequence(request, catalog)
        names = [name for step in sequence.steps for name in step.workloads]
        workloads = {name: catalog.workload(name) for name in names}
    with add_field_to_errors("contenders"):
        _check_contenders(request)
    check_request_of_existing(request, sequence)
    if problem := load_targets_problem(request.load, request.load_address, request.target, request.transport):
        raise InputError(problem, "load")
    if request.load:
        address_of(request.load_address)
        _check_cpus_of_load(request.cpus == OWN_CPUS or bool(request.cores))
    with add_field_to_errors("steps"):
        chosen = chosen_steps(sequence, request.steps, workloads)
    _check_roles(request, chosen)
    return sequence, workloads, chosen


def machine_key(survey: Survey) -> str:
    """The key of comparable machines: the machine, CPU, memory and the disk of the directory."""
    disk = survey.disk or Disk()
    return digest(
        [
            survey.machine_id,
            {name: getattr(survey.cpu, name) for name in ("model", "sockets", "cores", "threads")},
            survey.memory_bytes,
            [disk.model, disk.kind, disk.filesystem],
        ]
    )


def _sequence(request: PlanRequest, catalog: Catalog) -> Sequence:
    if request.sequence:
        return catalog.sequence(request.sequence)
    names = ", ".join(sequence.name for sequence in catalog.sequences()[0])
    raise InputError(f"choose a sequence: {names}")


def _check_contenders(request: PlanRequest) -> None:
    if not request.contenders:
        raise InputError("choose a contender: write --contender BUILD:ENGINE:PRESET")
    if len(request.contenders) > MAX_CONTENDERS:
        raise InputError(f"a plan has at most {MAX_CONTENDERS} contenders, not {len(request.contenders)}")
    check_slices(request)
    _check_until_decided(request)


def _check_roles(request: PlanRequest, chosen: list[SequenceStep]) -> None:
    """Refuse steps with roles where each step has one sysbench, beside the server."""
    if not (name := name_with_roles(chosen)):
        return
    if request.order == SLICES:
        raise InputError(": ".join(roles_problem(name)), "order")
    if request.load:
        what = f"step {name} has roles, which load targets do not drive"
        raise InputError(f"{what}: leave the step or the load targets out", "load")
    if any(step.count is not None for step in chosen):
        what = f"step {name} has roles, and instructions are counted of one client alone"
        raise InputError(f"{what}: leave the step or those that count out", "steps")


def _check_until_decided(request: PlanRequest) -> None:
    """Raise InputError if *until decided* makes no sense for the plan."""
    if request.repeats == UNTIL_DECIDED and request.order == "grouped":
        raise InputError(
            "repeats until decided need servers in turn, which the order grouped lacks: choose interleaved or"
            " slices, or a number of repeats",
            "order",
        )
    if request.time_limit and request.repeats != UNTIL_DECIDED:
        raise InputError(
            f'a time limit needs repeats "{UNTIL_DECIDED}": choose these, or leave the limit out',
            "repeats",
        )
    if any(getattr(request, name) is not None for name in LIMITS) and request.repeats != UNTIL_DECIDED:
        need = f'matters and false share need repeats "{UNTIL_DECIDED}": choose these, or'
        raise InputError(
            f"{need} give the limits to dyno compare",
            "repeats",
            window_text=f"{need} set the limits on Compare",
        )


def _limit(request: PlanRequest, name: str) -> float:
    """The limits of a plan until decided: its own, else the settings."""
    said: float | None = getattr(request, name)
    usual: float = getattr(read_settings() if request.until_decided else Plan, name)
    return usual if said is None else said


def _size(
    request: PlanRequest,
    sequence: Sequence,
    survey: Survey,
    contenders: list[Contender],
    used: list[Workload],
) -> StepDefaults:
    """Sizes from the request, else the sequence, else defaults; tables of custom SQL are its own."""
    own = load_table_count(used)
    if own and request.tables not in (None, own):
        raise InputError(f"the load fills its own {own} tables, not {request.tables}: leave tables out")
    tables = own or request.tables or sequence.tables or TABLES
    rows = request.rows or sequence.rows or ROWS
    warmup = next((each for each in (request.warmup, sequence.warmup) if each is not None), WARMUP)
    return StepDefaults(
        tables=tables,
        rows=rows if isinstance(rows, int) else _share_of_memory(rows, tables, survey, contenders, used),
        seconds=request.seconds or sequence.seconds or SECONDS,
        warmup=warmup,
        threads=request.threads or sequence.threads or THREADS,
        cores=request.cores or as_far_as_it_goes(sequence.cores or (), survey.topology),
        variations=parse_vary_option(request.vary),
        nodes=survey.topology,
        own_cpus=request.cpus == OWN_CPUS,
        cpu_threads=survey.cpu.threads or 1,
        load_method=request.load_method,
        profile=request.profile,
        rates=request.rate or (),
        arrivals=request.arrivals or ARRIVALS[0],
    )


def _check_cores(request: PlanRequest, steps: list[Step], contenders: list[Contender]) -> None:
    """Refuse contenders with their own cores in a plan with core sets, which apply to all."""
    if request.load:
        _check_cpus_of_load(any(step.load_cores for step in steps))
    own = next((each for each in contenders if each.cores), None)
    if own and any(step.cores for step in steps):
        raise InputError(
            f"the contender {own.name} sets cores {own.cores}, and the plan sets cores for steps: leave"
            " one of them out",
            "contenders",
        )


def _check_power_cut(request: PlanRequest, steps: list[Step]) -> None:
    """Refuse snapshots of data that lie on a file system of their own."""
    name = next((step.name for step in steps if step.kind == POWER_CUT), "")
    if name and request.start == "snapshot":
        what = f"step {name} cuts the power of data on a file system of their own, which has no snapshots"
        raise InputError(f"{what}: choose the start loaded or restarted, or leave the step out", "start")


def _check_arrivals(request: PlanRequest, steps: list[Step]) -> None:
    """Refuse rates that each client keeps for itself where clients are on several machines."""
    name = next((step.name for step in steps if step.comes_each_second), "")
    if name and request.load:
        what = f"step {name} has arrivals each-second, which load targets do not keep"
        raise InputError(f"{what}: choose poisson or even", "arrivals")


def _check_cpus_of_load(are_parted: bool) -> None:
    """Refuse to part CPUs between server and load where the load comes from other machines."""
    if are_parted:
        raise InputError(
            "cores and own CPUs part the server's machine between server and load, which comes from"
            " load targets: leave them out",
            "load",
        )


def _share_of_memory(
    rows: str, tables: int, survey: Survey, contenders: list[Contender], used: list[Workload]
) -> int:
    """Rows per table, in full thousands, that give every contender at least this much data."""
    said = [workload.row_bytes for workload in used]
    row_bytes = min(bytes_per_row(each, said) for each in contenders)
    share = parse_memory_multiple(rows)
    if share is None:
        raise InputError(f'rows must be a number or like "3x memory", not {rows!r}')
    if row_bytes <= 0:
        raise InputError(f"rows {rows!r}: an engine that stores nothing has no size: give a number of rows")
    wanted = math.ceil(share * memory_bytes(survey) / row_bytes / tables / 1000) * 1000
    if not 0 < wanted <= MAX_ROWS:
        raise InputError(
            f"rows {rows!r} means {wanted:,} rows per table, {MAX_ROWS:,} at most: choose more tables"
        )
    return wanted


def _turns(
    request: PlanRequest, sequence: Sequence, contenders: list[Contender], make_id: Callable[[], str]
) -> list[PlannedSession]:
    """The order of sessions: grouped A A B B, else A B B A, in which drift cancels out."""
    repeats, count = range(1, request.rounds + 1), range(len(contenders))
    if request.order == "grouped":
        places = [(at, repeat) for at in count for repeat in repeats]
    else:
        places = [(at, repeat) for repeat in repeats for at in (count if repeat % 2 else reversed(count))]
    attempts = range(1, ATTEMPTS + 1 if request.repeat_if_disturbed else 2)
    names = _names_in_sessions(contenders)
    return [
        PlannedSession(
            make_id(), _turn_name(request, sequence, names[at], repeat, attempt),
            at, repeat, ordinal, attempt,
        )
        for ordinal, (at, repeat) in enumerate(places, 1)
        for attempt in attempts
    ]  # fmt: skip


def _names_in_sessions(contenders: list[Contender]) -> list[str]:
    """The contenders as sessions are called, which people type: without the build that all of them have."""
    builds = {each.build for each in contenders}
    if len(builds) > 1:
        return [each.name for each in contenders]
    shorts = [each.name.removeprefix(f"{each.build}-") for each in contenders]
    return shorts if len(set(shorts)) == len(shorts) else [each.name for each in contenders]


def _turn_name(request: PlanRequest, sequence: Sequence, contender: str, repeat: int, attempt: int) -> str:
    name = f"{request.name or sequence.name}-{contender}"
    name += f"-{repeat}" if request.rounds > 1 else ""
    return f"{name}-attempt-{attempt}" if attempt > 1 else name


def _files(
    request: PlanRequest,
    catalog: Catalog,
    used: list[Workload],
    sequence: Sequence,
    presets: list[Preset],
    steps: list[Step],
) -> dict[str, str]:
    """All files of the plan, by their names in it."""
    files = {f"sequences/{sequence.name}.toml": sequence.text}
    files.update({preset.file: preset.text for preset in presets})
    wrappers = {
        START: True,
        RATE_WRAPPER: any((step.rate and not step.comes_each_second) or step.limit_ms for step in steps),
        ROLE_WRAPPER: any(step.role or step.comes_each_second for step in steps),
        LOAD_WRAPPER: bool(request.load) or any(step.role for step in steps),
        RECONNECT_WRAPPER: any(step.is_operation for step in steps),
        WRAPPER: request.order == SLICES,
        COUNT_WRAPPER: any(step.kind == COUNT for step in steps),
    }
    shipped = [catalog.shipped_lua(name) for name, is_needed in wrappers.items() if is_needed]
    for added in (*map(catalog.workload_files, used), *shipped):
        for name, text in added.items():
            if files.get(name, text) != text:
                raise InputError(f"{name} exists twice with different content: rename your own file")
        files.update(added)
    return files


def _check_bytes(plan: Plan) -> None:
    size = len(json.dumps(plan.to_json(), ensure_ascii=False).encode("utf-8", "backslashreplace"))
    if size > MAX_PLAN_BYTES:
        raise InputError(
            f"the plan has {size:,} bytes, {MAX_PLAN_BYTES:,} at most: "
            "choose fewer repeats, thread counts or steps"
        )
