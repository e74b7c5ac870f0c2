"""What is asked of the builds of a plan before anything starts, and the rehearsal on an empty directory."""

from __future__ import annotations

import os
import select
import time
from functools import partial
from typing import Any, Dict, List, Mapping, Optional

from ..engines import engine_of
from ..protocol.plan import Contender, Plan
from ..protocol.words import word
from .asked import differences
from .builds import environment
from .conduct import others, read_plan
from .directory import Directory
from .fulltext import collection_problems, server_problems
from .generator import find_sysbench
from .leftovers import REHEARSAL
from .memory import Memory
from .mycnf import write_my_cnf
from .mysql import QueryError
from .options import IGNORED, REJECTED, UNANSWERED, check_options, known_options, normal
from .refusal import Refusal
from .room import raise_file_limit
from .server import Server
from .snapshot_key import key_of
from .snapshots import Snapshots
from .table_options import try_table_options

PASS, WARN, FAIL = "pass", "warn", "fail"


def check(directory: Directory, asked: Mapping[str, Any]) -> List[Dict[str, Any]]:
    """All checks of the agent's side; with `start` each contender is started once and shut down."""
    import json

    plan = read_plan(json.dumps(asked["plan"]))
    found = [*_check_sysbench(), _check_busy(directory, plan)]
    found += [say("collection", FAIL, *each) for each in collection_problems(plan)]
    if any(each["state"] == FAIL for each in found):
        return found  # asking the builds would disturb whoever measures here
    lock = directory.lock({"plan": REHEARSAL, "pid": os.getpid()})
    if lock is None:
        return [*found, _held(directory)]
    try:
        for contender in _distinct(plan):
            found += _check_snapshot(directory, plan, contender)
            found += _check_contender(directory, plan, contender, bool(asked.get("start")))
    finally:
        os.close(lock)
    return found


def _distinct(plan: Plan) -> List[Contender]:
    return list({contender.key: contender for contender in plan.contenders}.values())


def say(name: str, state: str, text: str, todo: str = "", contender: str = "") -> Dict[str, Any]:
    return {"name": name, "state": state, "contender": contender, "text": text, "todo": todo}


def _check_sysbench() -> List[Dict[str, Any]]:
    """Said where it is missing; which one there is, the survey says."""
    missing = say("sysbench", FAIL, "sysbench is not installed", "install sysbench 1.0.20 or newer")
    return [] if find_sysbench() else [missing]


def _check_busy(directory: Directory, plan: Plan) -> Dict[str, Any]:
    if directory.holder():
        return _held(directory)
    for other in others(directory):
        text = "another plan is being carried out on this machine, in {directory} (process {pid})".format(
            **other
        )
        return say("busy", WARN if plan.allow_busy else FAIL, text, "wait for it, or allow a busy machine")
    return say("busy", PASS, "no other plan is being carried out on this machine")


def _held(directory: Directory) -> Dict[str, Any]:
    return say("busy", FAIL, directory.in_use(), "wait for it or stop it")


def _check_snapshot(directory: Directory, plan: Plan, contender: Contender) -> List[Dict[str, Any]]:
    """Where a plan starts from snapshots: whether the load is spared."""
    if plan.snapshot_at < 0:
        return []
    snapshots, key = Snapshots(directory), key_of(plan, contender)
    if not snapshots.has(key):
        text = "no snapshot of this data set is kept yet: the first session loads it and keeps one"
        return [say("snapshot", PASS, text, "", contender.name)]
    try:
        found = snapshots.find(key)
    except Refusal as error:
        todo = "nothing: the first session loads the tables and keeps another one"
        return [say("snapshot", WARN, str(error), todo, contender.name)]
    text = "starts from the snapshot {}, {:,} MB".format(key, found.size_bytes >> 20)
    return [say("snapshot", PASS, text, "", contender.name)]


def _check_contender(
    directory: Directory, plan: Plan, contender: Contender, start: bool
) -> List[Dict[str, Any]]:
    """Each contender in a directory of its own that is gone afterwards."""
    folder = directory.at("sessions", REHEARSAL + os.urandom(8).hex())
    os.mkdir(folder, 0o700)
    try:
        found = [*_check_options(contender, folder), *_check_variations(plan, contender, folder)]
        found += _check_memory(contender, folder)
        if start and not any(each["state"] == FAIL for each in found):
            found += _rehearse(plan, contender, folder)
        return found
    finally:
        directory.remove(folder)


def _build(contender: Contender) -> Dict[str, Any]:
    extra = environment(contender.base, contender.server)
    return {
        "base": contender.base,
        "server": contender.server,
        "family": contender.family,
        "environment": extra,
    }


def _check_options(contender: Contender, folder: str) -> List[Dict[str, Any]]:
    cnf = write_my_cnf(folder, contender.cnf, {})
    answers = check_options(_build(contender), cnf)
    silent = next((each for each in answers if each["state"] == UNANSWERED), None)
    if silent:
        text = "{} was asked about its options: {}".format(contender.build, silent["text"])
        todo = "try again when the machine is idle; look at the build if it stays so"
        return [say("answer", FAIL, text, todo, contender.name)]
    loose = [each for each in answers if each["state"] == IGNORED and each["option"].startswith("loose")]
    found = [_wrong_option(each, contender) for each in answers if each not in loose]
    if loose:
        names = ", ".join(each["option"] for each in loose)
        text = "{} ignores {}".format(contender.build, names)
        todo = "nothing: loose_ says that a version may ignore it"
        found.append(dict(say("options", WARN, text, todo, contender.name), answers=loose))
    if not found:
        text = "{} accepts every option of {}".format(contender.build, contender.preset)
        found.append(say("options", PASS, text, "", contender.name))
    return found


def _check_memory(contender: Contender, folder: str) -> List[Dict[str, Any]]:
    """Said where what is asked for cannot be had; what is in force, the rehearsal says."""
    memory = Memory(vars(contender), folder)
    try:
        memory.prepare(environment(contender.base, contender.server))
    except Refusal as error:
        todo = "install what is missing, or take it out of the contender"
        return [say("server memory", FAIL, str(error), todo, contender.name)]
    finally:
        memory.limit.remove()
    return []


def _memory_text(found: Mapping[str, Any]) -> str:
    limit = found["limit_bytes"]
    most = "{:,} MB at most".format(limit >> 20) if limit else "no limit"
    return "in force: allocator {allocator}, NUMA policy {numa}, {}".format(most, **found)


def _check_variations(plan: Plan, contender: Contender, folder: str) -> List[Dict[str, Any]]:
    """What steps ask of the server is asked of the build like options of the preset, each variation once."""
    found = []
    for asked in _variations(plan):
        cnf = write_my_cnf(folder, contender.cnf, asked)
        names = {normal(name) for name in asked}
        wrong = [each for each in check_options(_build(contender), cnf) if normal(each["option"]) in names]
        todo = "take it out of the variations of the sequence, or the contender out of the plan"
        found += [say("variations", FAIL, each["text"], todo, contender.name) for each in wrong]
    return found


def _variations(plan: Plan) -> List[Dict[str, str]]:
    all_asked = [{**step.restart_with, **step.variables} for step in plan.steps]
    words = [{name: word(value) for name, value in asked.items()} for asked in all_asked]
    return [asked for at, asked in enumerate(words) if asked and asked not in words[:at]]


def _wrong_option(answer: Mapping[str, str], contender: Contender) -> Dict[str, Any]:
    """With the answer itself, for who shows the lines of the preset."""
    todo = "take it out of the preset {} or set it for this version only".format(contender.preset)
    state = FAIL if answer["state"] == REJECTED else WARN
    return dict(say("options", state, answer["text"], todo, contender.name), answers=[answer])


def _rehearse(plan: Plan, contender: Contender, folder: str) -> List[Dict[str, Any]]:
    build = _build(contender)
    server: Optional[Server] = None
    try:
        clients = plan.most_clients
        raise_file_limit(clients)
        known, extra = known_options(build), build["environment"]
        server = Server(vars(contender), folder, known, extra, plan.transport, clients)
        wait = partial(_wait_while_asked, server)
        server.prepare(wait)
        server.start(wait)
        server.admit()
        return _compare(server, contender, plan)
    except (Refusal, QueryError) as error:
        todo = "look at the preset {} and the build {}".format(contender.preset, contender.build)
        return [say("rehearsal", FAIL, str(error), todo, contender.name)]
    finally:
        if server is not None:
            server.stop(30)
            server.clean()


def _wait_while_asked(server: Server, seconds: float) -> None:
    """Who has asked may have gone meanwhile: then nothing goes on."""
    time.sleep(seconds)
    if is_unread(1):
        server.kill()
        raise Refusal("nobody waits for the answer any more")


def is_unread(out: int) -> bool:
    """Whether the other end of a pipe or socket was closed."""
    asked = select.poll()
    asked.register(out, 0)  # what is wrong with it is always told
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))


def _compare(server: Server, contender: Contender, plan: Plan) -> List[Dict[str, Any]]:
    """The engine is there, and what was asked for is in force."""
    engines = {
        str(row["engine"]).lower() for row in server.client.query("SHOW ENGINES") if row["support"] != "NO"
    }
    if contender.engine not in engines:
        text = "{} has no {} once it is started: {}; SHOW ENGINES lists {}".format(
            contender.build, contender.engine, server.first_error(), ", ".join(sorted(engines))
        )
        todo = "choose another build, or load its plugin in the preset"
        return [say("engine", FAIL, text, todo, contender.name)]
    in_force = server.client.pairs("SHOW GLOBAL VARIABLES")
    variables = {name: value for name, value in in_force.items() if name not in server.room}
    found = [
        say("in force", WARN, text, "expect the value in force, or change the preset", contender.name)
        for text in differences(contender.cnf, variables)
    ]
    wrong = server_problems(plan, contender.engine, variables)
    found += [say("full text", FAIL, *each, contender.name) for each in wrong]
    problem, compression = try_table_options(server.client, contender)
    if problem:
        todo = "change the table options of the contender, or the preset {}".format(contender.preset)
        state = FAIL if engine_of(contender.engine).has_facts or contender.table_options else WARN
        found.append(say("table options", state, problem, todo, contender.name))
    told = [say("compression", PASS, compression, "", contender.name)] if compression else []
    if contender.memory:
        told.append(say("server memory", PASS, _memory_text(server.memory.in_force()), "", contender.name))
    fine = say("rehearsal", PASS, "started, and what was asked for is in force", "", contender.name)
    return (found or [fine]) + told
