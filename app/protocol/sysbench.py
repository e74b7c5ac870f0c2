"""The command line of sysbench for a step: the agent starts it, the script of a session contains it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from .plan import COUNT, PREPARING, Plan, Step
from .words import word

STARTED = "DYNO_STARTED"  # variable of the environment that names the Lua which the file START loads
WRAPPER = "dyno-slices.lua"  # of a step in slices: it loads the Lua of the workload
RATE_WRAPPER = "dyno-rate.lua"  # the same of a step at a rate
WRAPPED = "DYNO_WORKLOAD"  # variable of the environment that names the Lua of the workload for them
COUNT_WRAPPER = "dyno-count.lua"  # the same of a step whose instructions are counted
ROLE_WRAPPER = "dyno-role.lua"  # the same of one role of a step, and of a rate whose parts come each second
# the same of a role beside an operation, inside of the others: its clients connect again
RECONNECT_WRAPPER = "dyno-reconnect.lua"
RECONNECTED = "DYNO_RECONNECTED"  # variable of the environment that names the Lua of the workload for it
LEDGER = "ledger.lua"  # the workload that remembers what it has sent
LEDGER_BYTES = 8 * 64  # of each of its clients, in the memory that it shares with the agent
MOST_ROLES, MOST_CLIENTS = 8, 4096  # of a step, and of a role, in `dyno_roles` of it
ROLES_BYTES = 4 * (1 + 2 * MOST_ROLES * MOST_CLIENTS)  # of the memory that the roles of a step share
MOST_KINDS = 20  # of events of a workload, in `dyno_kinds`
IN_ROLE = "DYNO_ROLE"  # variable of the environment that names the Lua which it loads, without .lua
LOAD_WRAPPER = (
    "dyno-load.lua"  # the same of a step from load targets; it loads one of these, or the workload's
)
LOADED = "DYNO_LOADED"  # which of them, without .lua
# of a step whose clients wait at a gate: sysbench's own clock goes on meanwhile
_AT_A_GATE = ("--time=0", "--events=0", "--report-interval=0")
PERCENTILE = 95
MOST_SEED = 2**31 - 1  # that sysbench takes; 0 would be the clock
_REQUIRE = re.compile(r"""require(?<=\brequire)\s*\(?\s*["']([A-Za-z0-9_-]+)["']""")
_FAMILY = re.compile(r"\bCOLUMN_FAMILY\s*=\s*(\w+)[\s,]*", re.IGNORECASE)
SHARED = (  # the same for every step
    "--db-driver=mysql",
    "--mysql-db=dyno",
    "--report-interval=1",
    "--histogram=on",
    "--percentile={}".format(PERCENTILE),
    "--verbosity=1",
)


def seed_of(plan: Plan, repeat: int, step: Step, process: int = 0) -> int:
    """The seed: never zero, different for each repeat, step and process, equal for contenders.

    Counted steps do exactly the same each time, in all plans: their repeats are starts of the server.
    """
    of_all = step.kind == COUNT
    text = "{}/{}/{}/{}".format("" if of_all else plan.id, 0 if of_all else repeat, step.label, process)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") % MOST_SEED + 1


def command(
    step: Step, plan: Plan, engine: str, table_options: str, driver: Sequence[str], seed: int
) -> List[str]:
    """The command line without the program, the Lua file and the pipe."""
    waits = step.sliced or step.kind == COUNT
    whole = replace(step, seconds=0, warmup=0) if waits else step
    options = options_of(whole, plan, engine, table_options, seed)
    return [*SHARED, *driver, *options, *(_AT_A_GATE if waits else ())]


def lua_wrapper_of(step: Step, plan: Plan) -> str:
    """The Lua that starts the workload's; '' for none. Plans of an older Dyno have none for a rate."""
    if step.kind == COUNT:
        return COUNT_WRAPPER
    if step.sliced:
        return WRAPPER
    if step.role or step.comes_each_second:
        return ROLE_WRAPPER
    return RATE_WRAPPER if _has_schedule(step, plan) else ""


def lua_environment(step: Step, plan: Plan, reconnects: bool = False) -> Dict[str, str]:
    """Which Lua each wrapper loads in its turn; reconnects: for a role beside an operation."""
    stem, own = lua_script_stem(step), {}
    if reconnects:
        stem, own = lua_stem_of(RECONNECT_WRAPPER), {RECONNECTED: stem}
    in_role = lua_stem_of(RATE_WRAPPER) if _has_schedule(step, plan) else stem
    return {
        WRAPPED: stem, LOADED: lua_stem_of(lua_wrapper_of(step, plan)) or stem, IN_ROLE: in_role, **own
    }  # fmt: skip


def _has_schedule(step: Step, plan: Plan) -> bool:
    is_scheduled = bool(step.rate) and not step.comes_each_second
    return is_scheduled and "workloads/" + RATE_WRAPPER in plan.files


def lua_script_stem(step: Step) -> str:
    """The value of WRAPPED."""
    return lua_stem_of(step.lua)


def lua_stem_of(name: str) -> str:
    """The name of a Lua file without folder and ending, as wrappers name it."""
    return name.rpartition("/")[2].rpartition(".")[0]


def options_of(step: Step, plan: Plan, engine: str, table_options: str, seed: int) -> List[str]:
    """The options of this step alone."""
    ignored = ",".join(str(number) for number in step.ignored_by(engine)) or "none"
    time_s = step.seconds + step.warmup if step.seconds else 0
    line = ["--mysql-ignore-errors=" + ignored, "--threads={}".format(step.threads)]
    line += ["--time={}".format(time_s), "--events={}".format(step.events), "--rand-seed={}".format(seed)]
    if step.warmup:
        line.append("--report-checkpoints={}".format(step.warmup))
    if step.rate:
        line += _of_rate(step, plan)
    own = {"tables": plan.tables, "table_size": plan.rows, "engine": engine, **step.options}
    options, family = without_column_family(table_options)
    if family and step.kind in PREPARING:
        own["column_family"] = family
    if step.kind == "load":
        own["table_options"] = options
        if plan.load_method != "ordered":
            own["load_method"] = plan.load_method
    return line + ["--{}={}".format(name.replace("_", "-"), _word(value)) for name, value in own.items()]


def role_options(at: int, steps: Sequence[Step]) -> List[str]:
    """The options of a role beside those of its workload; roles have numbers in the memory."""
    step, names = steps[at], [each.role for each in steps]
    follower = next((place for place, each in enumerate(steps) if each.follows == step.role), -1)
    numbers = {
        "role": at,
        "follows": names.index(step.follows) if step.follows else -1,
        "leads": follower,
        "apart": steps[follower].apart if follower >= 0 else 1,
        "first-client": 0,
        "all-clients": step.threads,
    }
    return ["--{}={}".format(*each) for each in numbers.items()]


def _of_rate(step: Step, plan: Plan) -> List[str]:
    if step.comes_each_second:
        return ["--each-second={}".format(step.rate)]
    if not lua_wrapper_of(step, plan):
        return ["--rate={}".format(step.rate)]
    return ["--event-rate={}".format(step.rate), "--arrivals={}".format(step.arrivals)]


def without_column_family(table_options: str) -> Tuple[str, str]:
    """Table options without the column family, which keys name in a comment."""
    found = _FAMILY.search(table_options)
    return _FAMILY.sub("", table_options).strip(), found.group(1) if found else ""


def _word(value: Any) -> str:
    return word(value).lower() if isinstance(value, bool) else str(value)


def lua_with_required(names: Iterable[str], text_of: Callable[[str], Optional[str]]) -> Dict[str, str]:
    """Lua files by their names in a plan, with all that they require and that has a text."""
    found: Dict[str, str] = {}
    wanted = list(names)
    while wanted:
        key = "workloads/" + wanted.pop()
        text = None if key in found else text_of(key)
        if text is not None:
            found[key] = text
            wanted += required_lua_files(text)
    return found


def required_lua_files(lua: str) -> List[str]:
    return [each + ".lua" for each in _REQUIRE.findall(lua)]
