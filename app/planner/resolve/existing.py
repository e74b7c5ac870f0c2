"""Servers that run already as contenders: made of what was found there, and what they may not be asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from app.catalog import Catalog, Sequence, Workload
from app.catalog.sql_schemas import foreign_name
from app.core.errors import InputError, add_field_to_errors
from app.core.nearest import did_you_mean
from app.core.units import count_text
from app.planner.request.contender import ContenderRequest
from app.planner.request.request import OPTIONS, PlanRequest
from app.protocol.plan import COUNT, MOST_REPLICAS, OPERATIONS, PREPARING, READING, Contender, Replica, Step
from app.targets.servers import NamedServer, Servers

NEED_THE_SERVER = (COUNT, *OPERATIONS)  # kinds of steps
_OPTIONS = {  # of a request, that need it too
    "start": "and Dyno does not start it",
    "instruments": "and Dyno sets none of its instruments",
    "transport": "and is reached by its address",
    "load": "and only the target drives it",
    "cores": "and its CPUs are not known",
    "cpus": "and its CPUs are not known",
    "vary": "and Dyno sets none of its variables",
    "profile": "and its stacks cannot be sampled",
}
_FIELDS = {  # of a step, that set something on the server or its machine
    "variables": "sets variables of the server",
    "restart_with": "starts the server anew",
    "cores": "sets the CPUs of the server",
    "load_cores": "parts the CPUs between server and load",
    "key_caches": "gives the server key caches",
    "profile": "samples the stacks of the server",
}


def find_server(request: ContenderRequest, target: str) -> NamedServer:
    """The server of a request, as it was found last; raises InputError if it cannot be a contender."""
    server = Servers().get(request.server)
    if server.target != target:
        text = f"server {server.name} is driven by {server.target}, not by {target}: choose this target, or"
        command = f"dyno server edit {server.name} --target {target}"
        raise InputError(f"{text} {command}", "target", window_text=f"{text} edit the server there")
    if problem := server_problem(server, request.engine):
        if server.version:
            raise InputError(problem)
        show, look = f"dyno server show {server.name}", "choose Look at the server"
        raise InputError(f"{problem}: {show}", window_text=f"{problem}: {look}")
    if (count := len(Servers().replicas_of(server.name))) > MOST_REPLICAS:
        raise InputError(f"server {server.name} has {count} replicas, {MOST_REPLICAS} at most: remove some")
    Servers().primary_of(server)
    return server


def server_problem(server: NamedServer, engine: str) -> str:
    """Why a server as it was found last is no contender with an engine, or its default; '' if it is."""
    if not server.version:
        return f"server {server.name} is not looked at yet"
    wanted = engine or server.default_engine
    if wanted and wanted in server.engines:
        return ""
    lacks = f"lacks the engine {wanted}{did_you_mean(wanted, server.engines)}"
    there = ", ".join(server.engines) or "none"
    return f"server {server.name} {lacks if wanted else 'names no engine'}; it has {there}"


def existing_contender(name: str, request: ContenderRequest, server: NamedServer) -> Contender:
    """The contender of a server, with the chosen settings as they were found last."""
    settings, primary = server.found_settings, Servers().primary_of(server)
    replicas = [server] if server.replica_of else Servers().replicas_of(server.name)
    return Contender(
        name=name,
        build=server.name,
        base="",
        server="",
        family=server.family,
        version=server.version,
        fingerprint="",
        engine=request.engine,
        preset="",
        cnf="".join(f"{line}\n" for line in ("[mysqld]", *settings)) if settings else "",
        table_options=request.table_options.strip(),
        host=primary.host,
        port=primary.port,
        schema=server.schema,
        user=primary.user,
        certificate=primary.certificate,
        max_queries=primary.max_queries,
        price=server.price,
        change_by=request.change_by,
        replicas=[_replica(each) for each in replicas],
        is_replica=bool(server.replica_of),
    )


def _replica(server: NamedServer) -> Replica:
    names = ("name", "host", "port", "user", "certificate", "max_queries", "price")
    return Replica(**{each: getattr(server, each) for each in names})


# what is refused


def check_request_of_existing(request: PlanRequest, sequence: Sequence) -> None:
    """Raise InputError for a server that cannot be a contender, and for an option that it cannot have."""
    for at, each in enumerate(request.contenders):
        if each.server:
            with add_field_to_errors(f"contenders.{at}"):
                find_server(each, request.target)
    _check_currency(request)
    name = next((each.server for each in request.contenders if each.server), "")
    for option, why in _OPTIONS.items() if name else ():
        if getattr(request, option) != OPTIONS[option].default:
            raise InputError(f"server {name} runs already, {why}: leave {option} out", option)
    if name and isinstance(rows := request.rows or sequence.rows, str):
        what = f"server {name} runs already, and its memory is not known"
        raise InputError(f"{what}: give a number of rows, not {rows}", "rows")
    if name and sequence.transport:
        what = f"server {name} runs already, and is reached by its address"
        raise InputError(f"{what}: choose a sequence without transport, not {sequence.name}", "sequence")


def _check_currency(request: PlanRequest) -> None:
    """Prices of one plan are compared, so they are in one currency."""
    named = [each.server for each in request.contenders if each.server]
    known = [*map(Servers().get, named), *(each for name in named for each in Servers().replicas_of(name))]
    prices = [each.price for each in known]
    currencies = sorted({each.partition(" ")[2] for each in prices if each})
    if len(currencies) > 1:
        listed = " and ".join(currencies)
        text, price = f"the prices of the servers are in {listed}:", f"'1 {currencies[0]}'"
        raise InputError(
            f"{text} dyno server edit NAME --price {price}", window_text=f"{text} edit one of them"
        )


def check_work_of_existing(
    contenders: Collection[Contender],
    steps: Collection[Step],
    workloads: Iterable[Workload],
    catalog: Catalog,
) -> None:
    """Raise InputError for work that would do more to a server than queries in its one schema."""
    if not any(each.is_existing for each in contenders):
        return
    for kind in NEED_THE_SERVER:
        name = next((step.name for step in steps if step.kind == kind), "")
        if name:
            what = f"step {name} is of kind {kind}, which needs a server that Dyno starts"
            raise InputError(f"{what}: leave the step or the servers that run already out", "steps")
    for step in steps:
        does = next((text for field, text in _FIELDS.items() if getattr(step, field)), "")
        if does:
            what = f"step {step.name} {does}, which needs a server that Dyno starts"
            raise InputError(f"{what}: leave the step or the servers that run already out", "steps")
    for workload in workloads:
        _check_workload(workload, catalog)


def _check_workload(workload: Workload, catalog: Catalog) -> None:
    if workload.sql:
        if name := foreign_name(catalog.custom_sql(workload)):
            what = f"the SQL of {workload.name} names {name}, which may be in another schema"
            raise InputError(f"{what}: name tables of its own alone, or an alias", "steps")
    elif not workload.shipped:
        raise InputError(
            f"workload {workload.name} has Lua that does not come with Dyno, which a server that runs already"
            " is not given: write it as custom SQL, or choose another",
            "steps",
        )


def check_replicas(contenders: Collection[Contender], steps: Iterable[Step]) -> None:
    """Refuse writes on replicas, and replicas that contenders do not have."""
    writing, main = dict[str, None](), ""
    for step in steps:
        main = main if step.beside else step.name
        if step.writes and step.kind not in PREPARING:
            writing[main] = None
        if step.on and (step.writes or step.kind not in READING):
            what = f"step {step.name} is on a replica, which takes only reads"
            raise InputError(f"{what}: leave on out, or choose a workload that only reads", "steps")
        lacking = next((each for each in contenders if len(each.replicas) < step.on), None)
        if lacking:
            text = f"step {step.name} is on replica {step.on}, "
            command = _why_lacking(lacking, "dyno server add NAME URL --replica-of {}")
            raise InputError(
                f"{text}{command}", "steps", window_text=text + _why_lacking(lacking, "add a replica of {}")
            )
    replica = next((each for each in contenders if each.is_replica), None)
    if replica and writing:
        raise InputError(f"{replica.build} takes only reads: leave out {', '.join(writing)}", "steps")


def _why_lacking(contender: Contender, add: str) -> str:
    """Why a contender has no such replica, and what to do; `add`: how to add one to a server."""
    if not contender.is_existing:
        return f"and Dyno starts {contender.name} without any: leave the step or this contender out"
    if contender.is_replica:
        return f"and {contender.build} is the only one of its contender: leave the step or this contender out"
    have, name = count_text(len(contender.replicas), "replica"), contender.build
    return f"and {name} has {have}: {add.format(name)}, or leave the step out"


def check_slices_of_existing(contenders: Collection[Contender], steps: Collection[Step]) -> None:
    """Raise InputError where contenders on one server cannot take turns within steps."""
    for host, port in dict.fromkeys(place for each in contenders for place in each.places):
        sharing = [each for each in contenders if (host, port) in each.places]
        if len(sharing) > 1 and (why := _why_no_slices(sharing, steps)):
            what = f"{len(sharing)} contenders are on {host} port {port}, and {why}"
            raise InputError(f"{what}: choose the order interleaved", "order")


def _why_no_slices(sharing: Collection[Contender], steps: Collection[Step]) -> str:
    """Why these, which share a server, cannot take turns within steps; '' if they can."""
    writing = next((each.name for each in steps if each.writes and each.kind not in PREPARING), "")
    if any(each.change_by for each in sharing):
        return "a change of one changes the others too"
    if len({each.schema for each in sharing}) < len(sharing):
        return "only one at a time can use a schema"
    if writing:
        return f"what step {writing} of one leaves is flushed in slices of another"
    return ""
