"""Checks of the builds of a plan before it starts, and the rehearsal on an empty directory."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import time
from functools import partial
from types import MappingProxyType
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from app.agent.existing.server import ExistingServer
from app.agent.profiling.tools import Tools, find_profiling_tools
from app.agent.server.connection_limits import raise_file_limit
from app.agent.server.memory import ServerMemory
from app.agent.server.mycnf import write_my_cnf
from app.agent.server.mysql import Client, QueryError
from app.agent.server.options import (
    IGNORED,
    REJECTED,
    UNANSWERED,
    BuildWithOptions,
    check_options,
)
from app.agent.server.options_in_force import compression_in_force, differences
from app.agent.server.program import find_sysbench
from app.agent.server.server import Server
from app.agent.snapshots.snapshots import Snapshots, snapshot_key
from app.agent.survey.builds import build_of
from app.agent.system.client import check_client_connected
from app.agent.system.detaching import cleanup_if_killed
from app.agent.system.directory import REHEARSAL, REHEARSING, MarkedDirectory, holder_text, is_rehearsal
from app.agent.system.errors import AgentError
from app.agent.system.loop_disk import try_loop_disk
from app.agent.system.other_agents import agents_elsewhere
from app.engines import engine_of
from app.engines.query import first_answer
from app.engines.server import table_formats
from app.protocol.answers import FAIL, INFO, PASS, WARN, Check, Machine, OptionReply, RehearsalResult
from app.protocol.machine_checks import (
    ELSEWHERE_TODO,
    IN_USE_TODO,
    NO_POWER_CUT,
    POWER_CUT_TODO,
    REHEARSAL_TODO,
    sysbench_check,
)
from app.protocol.my_cnf import option_key
from app.protocol.plan import Contender, Plan
from app.protocol.sysbench import without_column_family
from app.protocol.words import word

from .fulltext import fulltext_file_problems, fulltext_setting_problems
from .operations import backup_problems, ddl_problems

Checks = List[Check]
_PERF_TODO = "install perf (Debian package linux-perf) and, not as root, set kernel.perf_event_paranoid to 1"
_DUMPS_TODO = "install elfutils, or gdb; not as root, set kernel.yama.ptrace_scope to 0"
_CREATE = "CREATE TABLE rehearsed (id INT NOT NULL{}, PRIMARY KEY (id){}) ENGINE={} DEFAULT CHARSET=latin1 {}"
_FORMS = ("", " AUTO_INCREMENT")  # some engines take a key only of such a column
_ROW_FORMAT = re.compile(r"\bROW_FORMAT\s*=?\s*(\w+)", re.IGNORECASE)


def check(directory: MarkedDirectory, plan: Plan) -> Checks:
    """The checks of a plan that need no running server; they take no lock, so nobody is kept from a start."""
    found = [*_check_sysbench(), _check_busy(directory, plan)]
    found += [Check("collection", FAIL, *each) for each in fulltext_file_problems(plan)]
    if any(each.state == FAIL for each in found):
        return found
    found += profile_checks(plan)
    for contender in plan.contenders:
        if directory.is_taken():  # a plan has begun: asking the builds would disturb its measurement
            return [*found, _held(directory)]
        if contender.is_existing:  # the desktop has looked at it
            continue
        found += _check_snapshot(directory, plan, contender)
        with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
            found += _ask_build(build_of(contender, directory), plan, contender, folder)
    return found


def check_build_options(directory: MarkedDirectory, plan: Plan) -> Checks:
    """What the builds say to their options; it measures nothing, so it also works during a plan."""
    found: Checks = []
    for contender in plan.contenders:
        if contender.is_existing:
            continue
        with tempfile.TemporaryDirectory(prefix="dyno-") as folder:
            found += _check_options(build_of(contender, directory), contender, folder)
    return found


def rehearse(
    directory: MarkedDirectory,
    plan: Plan,
    contender: int,
    if_killed: Callable[[], object],
    patience_s: float = 0.0,
    passwords: Mapping[str, str] = MappingProxyType({}),
) -> RehearsalResult:
    """Start one contender, by its position in the plan, on an empty directory, and shut it down.

    Into a server that runs already it logs in, and takes its schema for a moment.

    It waits that long for the rehearsal of another plan. `if_killed`: what its guardian does then.
    """
    if not 0 <= contender < len(plan.contenders):
        raise AgentError("the plan has no contender {}".format(contender))
    busy = _check_busy(directory, plan)
    if busy.state == FAIL:
        return RehearsalResult([busy])
    lock = directory.lock({"verb": REHEARSING, "pid": os.getpid()}, patience_s)
    if lock is None:
        return RehearsalResult([_held(directory)], waits_for=_brief_holder(directory))
    try:
        with cleanup_if_killed(if_killed), _folder(directory) as folder:
            one = plan.contenders[contender]
            if one.is_existing:
                return _rehearse_existing(plan, one, folder, passwords)
            failed = _check_power_cut(plan, folder)
            return failed or _rehearse(build_of(one, directory), plan, one, folder)
    finally:
        os.close(lock)


def _brief_holder(directory: MarkedDirectory) -> str:
    """Who can be waited for: another rehearsal, which may be over by now; '' if it is a plan."""
    holder = directory.holder()
    if holder and not is_rehearsal(holder):
        return ""
    return holder_text(holder) or "a rehearsal that has just ended"


@contextlib.contextmanager
def _folder(directory: MarkedDirectory) -> Iterator[str]:
    """A folder for one contender, deleted afterwards."""
    folder = directory.at("sessions", REHEARSAL + os.urandom(8).hex())
    os.mkdir(folder, 0o700)
    try:
        yield folder
    finally:
        directory.remove(folder)


def _check_power_cut(plan: Plan, folder: str) -> Optional[RehearsalResult]:
    """A failure if the plan cuts the power, and a trial of it in that folder does not succeed."""
    try:
        if plan.on_loop:
            try_loop_disk(folder)
    except AgentError as error:
        return RehearsalResult([Check("power cut", FAIL, NO_POWER_CUT.format(error), POWER_CUT_TODO)])
    return None


def _check_sysbench() -> Checks:
    """A failure if it is missing; the survey shows its version."""
    return [] if find_sysbench() else [sysbench_check(Machine())]


def _check_busy(directory: MarkedDirectory, plan: Plan) -> Check:
    if directory.is_taken():
        return _held(directory)
    for other in agents_elsewhere(directory):
        return Check("busy", WARN if plan.allow_busy else FAIL, str(other), ELSEWHERE_TODO)
    return Check("busy", PASS, "no other plan runs on this machine")


def _held(directory: MarkedDirectory) -> Check:
    todo = IN_USE_TODO if directory.is_taken() else REHEARSAL_TODO
    return Check("busy", FAIL, directory.in_use(), todo)


def _check_snapshot(directory: MarkedDirectory, plan: Plan, contender: Contender) -> Checks:
    """Whether a plan that starts from snapshots finds one, which saves the load."""
    if plan.snapshot_at < 0:
        return []
    snapshots, key = Snapshots(directory), snapshot_key(plan, contender)
    if not snapshots.has(key):
        text = "no snapshot of this data yet: the first session loads the tables and stores one"
        return [Check("snapshot", PASS, text, "", contender.name)]
    try:
        found = snapshots.find(key)
    except AgentError as error:
        todo = "nothing to do: the first session loads the tables and stores another one"
        return [Check("snapshot", WARN, str(error), todo, contender.name)]
    text = "starts from the snapshot {}, {:,} MiB".format(key, found.size_bytes >> 20)
    return [Check("snapshot", PASS, text, "", contender.name)]


def _ask_build(build: BuildWithOptions, plan: Plan, contender: Contender, folder: str) -> Checks:
    return [
        *_check_options(build, contender, folder),
        *_check_variations(build, plan, contender, folder),
        *_check_memory(build, contender, folder),
        *(Check("backup", FAIL, *each, contender.name) for each in backup_problems(plan, contender, build)),
    ]


def _check_options(build: BuildWithOptions, contender: Contender, folder: str) -> Checks:
    cnf = write_my_cnf(folder, contender.cnf, {})
    answers = check_options(build, cnf)
    silent = next((each for each in answers if each["state"] == UNANSWERED), None)
    if silent:
        text = "{} did not answer about its options: {}".format(contender.build, silent["text"])
        todo = "try again when the machine is idle; if that fails, check the build"
        return [Check("answer", FAIL, text, todo, contender.name)]
    loose = [each for each in answers if each["state"] == IGNORED and each["option"].startswith("loose")]
    found = [_wrong_option(each, contender) for each in answers if each not in loose]
    if loose:
        names = ", ".join(each["option"] for each in loose)
        text = "{} ignores {}".format(contender.build, names)
        found.append(Check("options", INFO, text, "", contender.name, tuple(map(_reply, loose))))
    if not found:
        text = "{} accepts every option of {}".format(contender.build, contender.preset)
        found.append(Check("options", PASS, text, "", contender.name))
    return found


def _check_memory(build: BuildWithOptions, contender: Contender, folder: str) -> Checks:
    """A failure if memory settings are not available; the rehearsal shows those in force."""
    memory = ServerMemory(vars(contender), folder)
    try:
        memory.prepare(build.environment)
    except AgentError as error:
        todo = "install what is missing, or remove it from the contender"
        return [Check("server memory", FAIL, str(error), todo, contender.name)]
    finally:
        memory.limit.remove()
    return []


def _memory_text(found: Mapping[str, Any]) -> str:
    limit = found["limit_bytes"]
    most = "{:,} MiB at most".format(limit >> 20) if limit else "no limit"
    return "in force: allocator {allocator}, NUMA policy {numa}, {}".format(most, **found)


def _check_variations(build: BuildWithOptions, plan: Plan, contender: Contender, folder: str) -> Checks:
    """Ask the build about the variables of each variation, like options of a preset."""
    found = []
    for asked in _variations(plan):
        cnf = write_my_cnf(folder, contender.cnf, asked)
        names = {option_key(name) for name in asked}
        wrong = [each for each in check_options(build, cnf) if option_key(each["option"]) in names]
        todo = "remove it from the variations of the sequence, or remove the contender from the plan"
        found += [Check("variations", FAIL, each["text"], todo, contender.name) for each in wrong]
    return found


def _variations(plan: Plan) -> List[Dict[str, str]]:
    all_asked = [{**step.restart_with, **step.variables} for step in plan.steps]
    words = [{name: word(value) for name, value in asked.items()} for asked in all_asked]
    return [asked for at, asked in enumerate(words) if asked and asked not in words[:at]]


def _reply(answer: Mapping[str, str]) -> OptionReply:
    return OptionReply(answer["state"], answer["option"], answer["text"])


def _wrong_option(answer: Mapping[str, str], contender: Contender) -> Check:
    """The check of a rejected or ignored option; the build's answer names the line of the preset."""
    todo = "remove it from the my.cnf {}, or set it in a group for this version only".format(contender.preset)
    state = FAIL if answer["state"] == REJECTED else WARN
    return Check("options", state, answer["text"], todo, contender.name, (_reply(answer),))


def _rehearse(build: BuildWithOptions, plan: Plan, contender: Contender, folder: str) -> RehearsalResult:
    server: Optional[Server] = None
    try:
        clients = plan.most_clients
        raise_file_limit(clients)
        known, environment = build.options, build.environment
        how = (plan.transport, clients, plan.instruments)
        server = Server(vars(contender), folder, known, environment, *how)
        wait = partial(_wait_while_asked, server)
        server.prepare(wait)
        server.start(wait)
        return _compare(server, contender, plan)
    except (AgentError, QueryError) as error:
        todo = "check the my.cnf {} and the build {}".format(contender.preset, contender.build)
        return RehearsalResult([Check("rehearsal", FAIL, str(error), todo, contender.name)])
    finally:
        if server is not None:
            server.stop(30)
            server.clean()


def _rehearse_existing(
    plan: Plan, contender: Contender, folder: str, passwords: Mapping[str, str]
) -> RehearsalResult:
    server = ExistingServer(contender, folder, passwords, plan)
    try:
        server.start()
        problem, compression = try_table_options(server.client, contender)
        todo = "choose another engine or other table options, or give the account what it lacks"
        text = "the server lets the account in, and its schema {} is free".format(contender.schema)
        if server.replicas:
            text += "; it is replicated by {}".format(", ".join(each.name for each in server.replicas))
        found = Check("rehearsal", PASS, text, "", contender.name)
        if problem:
            found = Check("table options", FAIL, problem, todo, contender.name)
        said = [Check("server", INFO, text, "", contender.name) for text in server.notes]
        variables = server.compared.client.pairs("SHOW GLOBAL VARIABLES")
        return RehearsalResult([found, *said], variables, compression)
    except (AgentError, QueryError) as error:
        todo = "look at the server {} again".format(contender.build)
        return RehearsalResult([Check("rehearsal", FAIL, str(error), todo, contender.name)])
    finally:
        server.stop()
        server.clean()


def _wait_while_asked(server: Server, seconds: float) -> None:
    """Sleep, and give up if the client has disconnected."""
    time.sleep(seconds)
    try:
        check_client_connected()
    except AgentError:
        server.kill()
        raise


def _compare(server: Server, contender: Contender, plan: Plan) -> RehearsalResult:
    """Whether the engine is available, and the settings are in force."""
    engines = server.engines()
    if contender.engine not in engines:
        text = "{} does not offer {} after its start: {}; SHOW ENGINES lists {}".format(
            contender.build, contender.engine, server.first_error(), ", ".join(sorted(engines))
        )
        todo = "choose another build, or load its plugin in the my.cnf"
        return RehearsalResult([Check("engine", FAIL, text, todo, contender.name)])
    in_force = server.client.pairs("SHOW GLOBAL VARIABLES")
    variables = {name: value for name, value in in_force.items() if name not in server.added}
    found = [
        Check("in force", WARN, text, "expect the value in force, or change the my.cnf", contender.name)
        for text in differences(contender.cnf, variables)
    ]
    wrong = fulltext_setting_problems(plan, contender.engine, variables)
    found += [Check("full text", FAIL, *each, contender.name) for each in wrong]
    wrong_ddl = ddl_problems(plan, contender, server.client)
    found += [Check("ddl", FAIL, *each, contender.name) for each in wrong_ddl]
    problem, compression = try_table_options(server.client, contender)
    if problem:
        todo = "change the table options, or the my.cnf {}".format(contender.preset)
        state = FAIL if engine_of(contender.engine).has_facts or contender.table_options else WARN
        found.append(Check("table options", state, problem, todo, contender.name))
    passed = [Check("compression", PASS, compression, "", contender.name)] if compression else []
    memory = server.memory.in_force()
    if contender.memory:
        passed.append(Check("server memory", PASS, _memory_text(memory), "", contender.name))
    fine = Check("rehearsal", PASS, "the server starts and the settings are in force", "", contender.name)
    return RehearsalResult((found or [fine]) + passed, variables, compression, "", memory["allocator"])


def profile_checks(plan: Plan) -> List[Check]:
    """One check with all that there is and is not; none if no step is profiled."""
    if not any(step.profile for step in plan.steps):
        return []
    return [profile_check(find_profiling_tools())]


def profile_check(tools: Tools) -> Check:
    """What these tools give."""
    texts = [_stacks_text(tools), _counters_text(tools)]
    if not tools.kernel_stacks:
        texts.append("no stacks of waiting threads: root can read /proc/PID/stack only if the kernel has it")
    todo = "" if tools.event else _PERF_TODO if tools.dumper else "{}; or {}".format(_PERF_TODO, _DUMPS_TODO)
    return Check("profile", INFO, "; ".join(texts), todo)


def _stacks_text(tools: Tools) -> str:
    if tools.event:
        return "perf samples stacks by {}".format(tools.event)
    if tools.dumper:
        text = "{}: a few stacks by {}, which stops the server for each"
        return text.format(tools.no_perf, tools.dumper)
    return "no stacks: {}; {}".format(tools.no_perf, tools.no_dumper)


def _counters_text(tools: Tools) -> str:
    names = ", ".join(tools.counters) or "none"
    missing = "" if tools.has_hardware_counters else " (the machine shows no counters of its processor)"
    return "counters per query: {}{}".format(names, missing)


def try_table_options(client: Client, contender: Contender) -> Tuple[str, str]:
    """Why its tables would differ from the table options ('' if not), and their compression."""
    options, family = without_column_family(contender.table_options)
    comment = " COMMENT 'cfname={}'".format(family) if family else ""
    for statement in engine_of(contender.engine).before_create:
        client.try_run(statement)
    try:
        _create(client, [_CREATE.format(form, comment, contender.engine, options) for form in _FORMS])
        said = first_answer(client.query, ["SHOW WARNINGS"])
        warnings = [str(row["message"]).rstrip(".") for row in said if row["level"] != "Note"]
        in_force = compression_in_force(client, contender.engine)
        wrong = [*warnings, *_other_than_asked(client, options, family, in_force)]
    except QueryError as error:
        return error.said, ""
    finally:
        client.try_run("DROP TABLE IF EXISTS rehearsed")
    return "; ".join(wrong), in_force


def _create(client: Client, statements: Sequence[str]) -> None:
    """Run the first statement that the server accepts; without one, raise the error of the first."""
    try:
        client.run(statements[0])
    except QueryError:
        if not client.try_run(*statements[1:]):
            raise


def _other_than_asked(client: Client, options: str, family: str, in_force: str) -> Iterator[str]:
    asked = _ROW_FORMAT.search(options)
    formats = [each["row_format"] for each in table_formats(client.query) if each["name"] == "rehearsed"]
    if asked and asked.group(1).lower() not in ("default", *(each.lower() for each in formats)):
        yield "the contender sets ROW_FORMAT={}, the table has {}".format(asked.group(1), ", ".join(formats))
    if family and "column family {}".format(family) not in in_force:
        yield "the keys are not in the column family {} that the contender sets".format(family)
