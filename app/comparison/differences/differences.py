"""What sessions do not have in common, what is most likely to matter first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any, NotRequired, TypedDict

from app.catalog import Catalog
from app.core.units import count_text, figure_text, first_texts, unit_text
from app.history.steps.driving import only_drives
from app.history.steps.figures import facts, latest_fact, plan_of
from app.history.store.history import History
from app.imported.session import is_imported
from app.planner.checks.parity import CORES, MEMORY, variable_meanings
from app.planner.request.request import OPTIONS
from app.planner.resolve.valgrind import counted_variables
from app.protocol.plan import COUNT, LATER, Contender, Step, load_method_of, step_label
from app.protocol.waits import PRESET
from app.variables.memory_text import memory_settings_of
from app.variables.ownership import words
from app.variables.render import comparable_option_value, option_values
from app.variables.variables import DURABILITY, OF_THE_SERVER

from .same_work import (
    differing_execution_plans,
    rows_per_event_label,
    rows_per_event_of,
    step_execution_plans,
    work_disagreements,
)

# the ones most likely to matter on top
GROUPS = (
    "work", "plans", "durability", "parity", "variables", "preset", "tables", "contender", "build",
    "allocator", "machine", "plan", "load method", "start state",
)  # fmt: skip
_NOT_PARITY = (*DURABILITY, CORES, MEMORY)  # rules that other lines show
_RULED = ("durability", "parity")  # where a session without an answer takes no part

Profile = dict[tuple[str, str], str]  # group and name -> value as text

# of a machine: what is never the same twice, or says nothing about it
_PASSING = words(
    """
    agents clock_utc disk.free_bytes disk.path is_root kill_user_processes load machine_id
    memory_available_bytes python python_path sysbench_path user
    """
)
_CONTENDER = ("engine", "preset", "table_options", "cores")
_BUILD = ("build", "family", "version", "fingerprint")
_WORK = ("tables", "rows", "transport", "load_method", "start", "instruments", "load")
_PLAN = tuple(name for name, row in OPTIONS.items() if row.compared)
_BUILD_OF_OTHERS, _PLAN_OF_OTHERS = ("build", "family", "version"), ("sequence",)  # what a foreign plan has
_ALLOCATOR = "version_malloc_library"  # a variable: what the server says of itself
# fields of a step that are not shown as differences of it
_TOLD_ELSEWHERE = frozenset(("name", "kind", "coordinates", "group", "workload", "cap_s", "analyse"))
_DEFAULTS = {name: getattr(Step("", ""), name) for name in LATER}  # of fields that older plans do not have
_SHOWN = 3  # steps named in one line


class DifferenceEntry(TypedDict):
    """A value that is not the same in all sessions."""

    group: str  # of GROUPS
    name: str
    values: list[str | None]  # one of each session; null where it does not have it
    default: NotRequired[bool]  # of a variable: nobody has set it, builds have other defaults


def is_of_the_builds(entry: DifferenceEntry) -> bool:
    """Whether a variable differs only because builds or engines do."""
    return entry["group"] == "variables" and (entry.get("default", False) or None in entry["values"])


def differences(history: History, sessions: Sequence[str]) -> list[DifferenceEntry]:
    """What differs between these sessions, by group; nothing of it is judged."""
    with history.reading():
        plans = [plan_of(history, session) for session in sessions]
        profiles = [_profile(history, *each) for each in zip(sessions, plans, strict=True)]
        settings = [latest_fact(history, session, "not_default") for session in sessions]
        done = list(_differing_work(history, sessions))
    foreign = [is_imported(plan) for plan in plans]
    of_contenders = [
        each for each in grouped_session_differences(profiles, GROUPS) if _differs(each["values"], foreign)
    ]
    found = [*done, *of_contenders, *differing_steps(plans)]
    return list(_with_defaults(sorted(found, key=_rank), settings))


def _differing_work(history: History, sessions: Sequence[str]) -> Iterator[DifferenceEntry]:
    """Differences in the work of an event, and in execution plans."""
    work = [rows_per_event_of(history, [session]) for session in sessions]
    for label in dict.fromkeys(label for each in work for label in each):
        for what, rows in work_disagreements(work, label):
            values = [None if each is None else figure_text(each) for each in rows]
            yield {"group": "work", "name": f"{rows_per_event_label(what)}, {label}", "values": values}
    for each in differing_execution_plans([step_execution_plans(history, session) for session in sessions]):
        yield {"group": "plans", "name": each.label, "values": each.values}


def _differs(values: Sequence[str | None], foreign: Sequence[bool]) -> bool:
    """Whether values differ; unknown values of imported sessions do not count."""
    known = [each for each, is_unknown in zip(values, foreign, strict=True) if each or not is_unknown]
    return len({None if each is None else comparable_option_value(each) for each in known}) > 1


def _rank(entry: DifferenceEntry) -> int:
    return GROUPS.index(entry["group"])


def _with_defaults(
    entries: Sequence[DifferenceEntry], settings: Sequence[list[str] | None]
) -> Iterator[DifferenceEntry]:
    """Mark variables that all sessions have at their build's default; `settings`: the changed ones.

    A session of which that is not known may have set any.
    """
    for entry in entries:
        if entry["group"] == "variables" and None not in settings:
            is_set = [
                value is not None and entry["name"] in (names or ())
                for value, names in zip(entry["values"], settings, strict=True)
            ]
            entry = {**entry, "default": not any(is_set)}
        yield entry


def differing_settings(history: History, sessions: Sequence[str]) -> list[str]:
    """The names of settings that cost time and are not the same in force in all sessions that know them."""
    with history.reading():
        known = [_settings_in_force(history, session) for session in sessions]
    names = dict.fromkeys(name for each in known for name in each)
    answers = {name: {each[name] for each in known if each.get(name)} for name in names}
    return [name for name, said in answers.items() if len(said) > 1]


def _settings_in_force(history: History, session: str) -> dict[str, str]:
    plan = plan_of(history, session)
    turn = next(turn for turn in plan["turns"] if turn["session"] == session)
    variables = _in_force(plan, latest_fact(history, session, "variables") or {})
    return fairness_settings(plan["contenders"][turn["contender"]], variables)


def _in_force(plan: Mapping[str, Any], variables: Mapping[str, str]) -> Mapping[str, str]:
    """The variables of a server during the steps that are compared."""
    is_counted = any(step["kind"] == COUNT for step in plan["steps"])
    return counted_variables(variables) if is_counted else variables


def grouped_session_differences(profiles: Sequence[Profile], groups: Sequence[str]) -> list[DifferenceEntry]:
    """Differences by group; within a group as in the first profile, then what others add."""
    keys = dict.fromkeys(key for profile in profiles for key in profile)
    found: list[DifferenceEntry] = []
    for group in groups:
        for key in (each for each in keys if each[0] == group):
            values = [profile.get(key) for profile in profiles]
            said = {None if value is None else comparable_option_value(value) for value in values}
            if len(said - {None} if group in _RULED else said) > 1:
                found.append({"group": group, "name": key[1], "values": values})
    return found


def _profile(history: History, session: str, plan: Mapping[str, Any]) -> Profile:
    """All values of one session that can differ."""
    turn = next(turn for turn in plan["turns"] if turn["session"] == session)
    contender = plan["contenders"][turn["contender"]]
    names = ("machine", "build", "start_state", "variables", "memory")
    known = {name: latest_fact(history, session, name) or {} for name in names}
    known["variables"] = _in_force(plan, known["variables"])
    table = latest_fact(history, session, "create_table")
    foreign_keys = latest_fact(history, session, "foreign_keys")
    rules = fairness_settings(contender, known["variables"])
    foreign = is_imported(plan)
    build, work = (_BUILD_OF_OTHERS, _PLAN_OF_OTHERS) if foreign else (_BUILD, _PLAN)
    parts: dict[str, Iterable[tuple[str, Any]]] = {
        "durability": ((name, rules.get(name)) for name in DURABILITY),
        "parity": ((name, answer) for name, answer in rules.items() if name not in _NOT_PARITY),
        "variables": _variables(known["variables"], session, contender["base"]),
        "preset": [] if contender.get("host") else option_values(contender["cnf"]).items(),
        "tables": [
            *_columns_of(table or ""),
            *_compression(history, session),
            ("foreign keys", foreign_keys),
        ],
        "contender": _settings(contender, foreign).items(),
        "build": [*((name, contender.get(name)) for name in build), *_noted(known["build"])],
        "allocator": {
            **memory_settings_of(contender, known["memory"] or None),
            _ALLOCATOR: known["variables"].get(_ALLOCATOR),
        }.items(),
        "machine": (_of_driver if only_drives(history, session) else _machine)(known["machine"]),
        "plan": [*((name, _setting(plan, name)) for name in work), *_files(plan)],
        "load method": [] if foreign else [("load_method", _setting(plan, "load_method"))],
        "start state": [] if foreign else _start_state(plan, known["start_state"]).items(),
    }
    flat = ((group, *each) for group, part in parts.items() for each in part)
    return {(group, name): text(value) for group, name, value in flat if value not in (None, "")}


def _settings(contender: Mapping[str, Any], foreign: bool) -> dict[str, Any]:
    """Its own settings; a preset of Dyno has the name of today."""
    found: dict[str, Any] = {name: contender.get(name) for name in _CONTENDER}
    if contender.get("host"):
        return {**found, **_of_running_server(contender)}
    if not foreign:
        found["preset"] = Catalog().preset_name(contender["engine"], contender["preset"])
    return found


def _of_running_server(contender: Mapping[str, Any]) -> dict[str, Any]:
    """Where a server is that runs already, how it is used, and the variables that a person has chosen."""
    return {
        "address": f"{contender['host']} port {contender['port']}",
        "schema": contender["schema"],
        "account": contender["user"],
        "TLS": bool(contender["certificate"]),
        "most queries a second": contender["max_queries"] or None,
        "changed by": contender.get("change_by") or None,
        **option_values(contender["cnf"]),
    }


def fairness_settings(contender: Mapping[str, Any], variables: Mapping[str, str]) -> dict[str, str]:
    """The settings of a fair comparison: as in force if known, else as in the preset."""
    options = option_values(contender["cnf"])
    if not options and not variables:  # of somebody else's session nothing is known
        return {}
    known = {each.name: contender[each.name] for each in fields(Contender) if each.name in contender}
    return variable_meanings(Contender(**known), variables or options, bool(variables))


def _start_state(plan: Mapping[str, Any], start_state: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: start_state[name] for name in ("load", "start", "pause_s") if name in start_state}
    return {"start": plan.get("start"), **said, "tables analysed": has_table_statistics(plan)}


def has_table_statistics(plan: Mapping[str, Any]) -> bool:
    """Whether its steps read tables of which the server has statistics; Dyno 0.1.0 did not see to that."""
    return any(step.get("analyse") for step in plan["steps"])


def _setting(plan: Mapping[str, Any], name: str) -> Any:
    if name == "load":
        return [each["name"] for each in plan.get(name, ())] or None
    value = plan.get(name, PRESET if name == "instruments" else None)
    return load_method_of(value) if name == "load_method" and value else value


def text(value: Any) -> str:
    """A value of JSON as people read it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(text(each) for each in value)
    return json.dumps(value, sort_keys=True) if isinstance(value, dict) else str(value)


def _noted(build: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The notes on the build, without the hash of its tarball."""
    notes: Mapping[str, str] = build.get("notes") or {}
    return ((f"notes.{name}", value) for name, value in notes.items() if name != "sha256")


def _machine(machine: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """The facts of a machine as dotted names (`disk.model`), without those that change all the time."""
    for name, value in machine.items():
        full = f"{above}{name}"
        if full in _PASSING:
            continue
        if isinstance(value, dict):
            yield from _machine(value, f"{full}.")
        else:
            yield full, value


def _of_driver(machine: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Of one that only drives, by names that say so; its disk is not the server's."""
    yield from (
        (f"driving {name}", value) for name, value in _machine(machine) if not name.startswith("disk.")
    )


def _files(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The workloads with a short hash of their content."""
    import hashlib

    for name, content in sorted(_work_files(plan)):
        yield name, hashlib.sha256(content.encode()).hexdigest()[:8]


def _columns_of(create_table: str) -> Iterator[tuple[str, str]]:
    """The lines of CREATE TABLE by what they define, without AUTO_INCREMENT."""
    for line in create_table.splitlines()[1:]:
        plain = re.sub(r" ?AUTO_INCREMENT=\d+", "", line.strip().rstrip(","))
        name = re.match(r"`[^`]*`|[A-Z ]*KEY(?: `[^`]*`)?", plain)
        yield (name[0].strip("`"), plain) if name else ("options", plain.lstrip(") "))


def _compression(history: History, session: str) -> Iterator[tuple[str, str]]:
    """The compression after the load; at the end it depends on how much was written."""
    for found in facts(history, session, "compression")[:1]:
        yield "compression in force", unit_text(found["value"]["in_force"])


def _variables(variables: Mapping[str, str], session: str, base: str) -> Iterator[tuple[str, str]]:
    """Paths of the session and of the build are replaced, so that they do not differ."""
    own = re.compile(rf"\S*/sessions/{re.escape(session)}|/\S*/dyno-\w{{8}}(?=/|$)")
    for name, value in variables.items():
        if name not in OF_THE_SERVER and name != _ALLOCATOR:
            plain = own.sub("(session)", value)
            is_below = plain == base or plain.startswith(f"{base}/")
            yield name, f"(base){plain[len(base) :]}" if is_below and base != "/" else plain


# steps


def differing_steps(plans: Sequence[Mapping[str, Any]]) -> list[DifferenceEntry]:
    """Steps of the same name that differ, and those that some sessions lack."""
    named = [_named_steps(plan) for plan in plans]
    foreign = [is_imported(plan) for plan in plans]
    labels = list(dict.fromkeys(each for steps in named for each in steps))
    grouped: dict[tuple[str, tuple[str | None, ...]], list[str]] = {}
    for each in labels:
        for name, values in _step_values([steps.get(each) for steps in named], foreign):
            grouped.setdefault((name, values), []).append(each)
    return [
        {"group": "plan", "name": f"{name} {first_texts(steps)}".strip(), "values": list(values)}
        for (name, values), steps in grouped.items()
    ]


def _step_values(
    steps: Sequence[Mapping[str, Any] | None], foreign: Sequence[bool]
) -> Iterator[tuple[str, tuple[str | None, ...]]]:
    """The values of one step in all plans: whether it exists, else each known field that differs."""
    if not all(steps):
        yield "step", tuple("yes" if step else None for step in steps)
    steps = [None if is_unknown else step for step, is_unknown in zip(steps, foreign, strict=True)]
    there = [step for step in steps if step]
    for name in dict.fromkeys(name for step in there for name in step):
        values = [None if step is None else step.get(name) for step in steps]
        known = [value for value, step in zip(values, steps, strict=True) if step]
        if name not in _TOLD_ELSEWHERE and any(value != known[0] for value in known):
            yield f"{name} of", tuple(None if value is None else text(value) for value in values)


def _named_steps(plan: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Steps by their labels, with the fields that an older Dyno did not have."""
    steps = [{**_DEFAULTS, **step} for step in plan["steps"]]
    return {step_label(step["name"], step.get("coordinates", {})): step for step in steps}


# in one line, for a warning


def work_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """The first differences between two plans, in one line."""
    if is_imported(ours) != is_imported(theirs):
        return "one of them is imported, so little is known of its work"
    plain = [
        _instead(name, _setting(theirs, name), _setting(ours, name))
        for name in _WORK
        if _setting(ours, name) != _setting(theirs, name)
    ]
    if has_table_statistics(ours) != has_table_statistics(theirs):
        who = "the base was " if has_table_statistics(theirs) else ""
        plain.insert(0, f"{who}measured without ANALYZE TABLE")
    found = [*plain, *_step_texts(ours, theirs)]
    files = [dict(_work_files(plan)) for plan in (ours, theirs)]
    changed = sorted(
        name for name in files[0].keys() | files[1].keys() if files[0].get(name) != files[1].get(name)
    )
    if changed:
        found.append(f"different content of {', '.join(changed[:3])}")
    shown, more = found[:4], len(found) - 4
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "") if shown else "their plans differ"


def _instead(name: str, theirs: Any, ours: Any) -> str:
    both = (f"{name} not set" if each is None else f"{name}={text(each)}" for each in (theirs, ours))
    return ", in the base ".join(both)


def _step_texts(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    named = [_named_steps(plan) for plan in (ours, theirs)]
    found = []
    for key in named[0].keys() & named[1].keys():
        for name, value in named[1][key].items():
            if name not in ("cap_s", "analyse") and value != named[0][key].get(name):
                found.append(_instead(name, value, named[0][key].get(name)))
    only = len(named[0].keys() ^ named[1].keys())
    sorted_ones = sorted(set(found))
    return [*sorted_ones, f"{count_text(only, 'step')} in only one of them"] if only else sorted_ones


def _work_files(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ((name, content) for name, content in plan["files"].items() if name.startswith("workloads/"))
