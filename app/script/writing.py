"""The folder of a script: run.sh, the my.cnf, the Lua, and a text about all of it."""

from __future__ import annotations

import posixpath
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from app.core.errors import InputError
from app.core.harmless import as_file_name
from app.core.shipped import shipped_folder
from app.core.units import bytes_text, count_text, figure_text
from app.engines import engine_of
from app.engines.server import ANALYSE, CLOSING, SCHEMA
from app.history.steps.step_text import remarks_of
from app.history.store.history import History
from app.protocol.plan import OPEN_FILES, SLICES, Plan
from app.protocol.sysbench import ROLES_BYTES, SHARED, WRAPPER
from app.variables.memory_text import memory_settings_text

from .acts import acts
from .recipe import SessionRecipe, read_recipe

_PORT = 33306  # of loopback, where nobody names another


def write_script(history: History, reference: str, folder: Path) -> Path:
    """Write a script into a new folder, whole or not at all; returns its path."""
    recipe = read_recipe(history, reference)
    if folder.exists():
        raise InputError(f"{folder} exists already: choose another name")
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            _fill(part, recipe)
            part.chmod(0o755)
            part.rename(folder)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from None
    return folder


def write_scripts(history: History, columns: Mapping[str, str], folder: Path) -> list[str]:
    """Write a script for each session into a new folder; returns those without one, and why."""
    if folder.exists():
        raise InputError(f"{folder} exists already: choose another name")
    try:
        folder.mkdir()
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from None
    problems = []
    for name, session in columns.items():
        try:
            write_script(history, session, folder / as_file_name(name))
        except InputError as error:
            problems.append(str(error))
    if len(problems) == len(columns):
        folder.rmdir()
        raise InputError(problems[0])
    return problems


def _fill(folder: Path, recipe: SessionRecipe) -> None:
    (folder / "lua").mkdir()
    for name, text in recipe.plan.files.items():
        if name.startswith("workloads/") and name.endswith(".lua") and not name.endswith(f"/{WRAPPER}"):
            (folder / "lua" / posixpath.basename(name)).write_text(text, encoding="utf-8")
    (folder / "my.cnf").write_text(recipe.cnf, encoding="utf-8")
    for name in ("run.sh", "README.txt"):
        (folder / name).write_text(render_session_script(name, recipe), encoding="utf-8")
    (folder / "run.sh").chmod(0o755)


def render_session_script(name: str, recipe: SessionRecipe) -> str:
    """One of the two texts."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - a shell script: what is in it is quoted for the shell
        loader=FileSystemLoader(shipped_folder("resources") / "script"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        quote=shlex.quote, line=printable_line, rule=lambda text: f"{text}\n{'-' * len(text)}"
    )
    return environment.get_template(name).render(_words(recipe))


def _words(recipe: SessionRecipe) -> dict[str, Any]:
    """The variables of the templates."""
    plan, contender = recipe.plan, recipe.contender
    its_acts = list(acts(recipe))
    text = "\n".join(each for act in its_acts for each in act.lines)
    moves = "move_server " in text
    port = _PORT if plan.transport == "loopback" else 0
    return {
        "recipe": recipe,
        "plan": plan,
        "contender": contender,
        "title": _title(recipe),
        "version": version("dyno"),
        "server": _server(recipe),
        "around": "".join(f"{each} " for each in _around(recipe)),
        "allocator": recipe.allocator,
        "own": list(dyno_option_lines(recipe)),
        "open_files": plan.most_clients + OPEN_FILES,
        "bootstrap": _bootstrap(recipe),
        "reset": _reset(recipe),
        "port": port,
        "closing": CLOSING,
        "driver": _driver(port),
        "shared": SHARED,
        "tools": list(_tools(recipe, moves)),
        "acts": its_acts,
        "moves": moves,
        "moves_back": "$USUAL_CPUS" in text,
        "restarts": any(each.startswith("restart") for each in text.splitlines()),
        "analyse": ANALYSE.format(SCHEMA + ".$table"),
        "conditions": any(step.conditions for step in plan.steps),
        "figure_kinds": [step.label for step in plan.steps if step.figure_kind],
        "analyses": any(step.analyse for step in plan.steps),
        "settles": any(step.kind == "settle" for step in plan.steps),
        "snapshot": plan.snapshot_at >= 0,
        "takes_turns": plan.order == SLICES,
        "roles_bytes": ROLES_BYTES if any(step.role for step in plan.steps) else 0,
        "is_written": engine_of(contender.engine).is_written,
        "where": [each for each in setup_facts(recipe) if each[1]],
        "figures": list(step_result_lines(recipe)),
    }


def _title(recipe: SessionRecipe) -> str:
    contender = recipe.contender
    what = f"{contender.family} {contender.version}, {contender.engine} with the preset {contender.preset}"
    return f"{recipe.entry['name']}: {what}, taken through the sequence {recipe.plan.sequence}"


def _server(recipe: SessionRecipe) -> str:
    """The server's path for an assignment, relative to the build if it is inside."""
    base, server = recipe.contender.base.rstrip("/"), recipe.contender.server
    if server.startswith(f"{base}/"):
        return f"$BASE/{shlex.quote(server[len(base) + 1 :])}"
    return shlex.quote(server)


def _around(recipe: SessionRecipe) -> Iterator[str]:
    """The prefix of the server's command: CPUs, memory limit, NUMA policy and allocator."""
    contender = recipe.contender
    if contender.cores:
        yield f"taskset -c {shlex.quote(contender.cores)}"
    if contender.memory_limit:
        limit = f"-p MemoryMax={contender.memory_limit} -p MemorySwapMax=0"
        yield f'systemd-run "$MANAGER" --scope --quiet --collect {limit} --'
    if contender.numa:
        yield f"numactl {shlex.quote(f'--{contender.numa}')}"
    if recipe.allocator:
        yield 'env LD_PRELOAD="$ALLOCATOR"'


def _tools(recipe: SessionRecipe, moves: bool) -> Iterator[str]:
    """Tools to install besides the server and its client."""
    contender = recipe.contender
    yield "sysbench"
    if moves or contender.cores or any(step.load_cores for step in recipe.plan.steps):
        yield "taskset"
    if contender.memory_limit:
        yield "systemd-run"
    if contender.numa:
        yield "numactl"


def _driver(port: int) -> list[str]:
    if port:
        return ["--mysql-host=127.0.0.1", '--mysql-port="$PORT"', '--config-file="$PRIVATE/login"']
    return ['--mysql-socket="$SOCKET"', "--mysql-user=root"]


def _release(recipe: SessionRecipe) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", recipe.contender.version)[:2])


def _bootstrap(recipe: SessionRecipe) -> str:
    """The lines that make the system tables: by the server, or by its SQL files."""
    is_mariadb = recipe.contender.family == "MariaDB"
    return "initialize" if not is_mariadb and _release(recipe) >= (5, 7) else "sql"


def _reset(recipe: SessionRecipe) -> str:
    """The statement that empties binary logs; '' if none are written."""
    if recipe.variables.get("log_bin", "OFF").upper() not in ("ON", "1"):
        return ""
    is_new = recipe.contender.family != "MariaDB" and _release(recipe) >= (8, 2)
    return "RESET BINARY LOGS AND GTIDS" if is_new else "RESET MASTER"


# the texts of README.txt about a session: what ran where, and the results


def printable_line(text: object) -> str:
    """A harmless text on one line."""
    return "".join(each if each.isprintable() else "?" for each in " ".join(str(text).split()))


def setup_facts(recipe: SessionRecipe) -> list[tuple[str, str]]:
    """Names and texts; empty if unknown."""
    plan, contender, machine = recipe.plan, recipe.contender, recipe.machine
    cpu, disk = machine.get("cpu") or {}, machine.get("disk") or {}
    memory, threads = machine.get("memory_bytes"), count_text(cpu.get("threads"), "thread")
    notes = ", ".join(f"{name} {text}" for name, text in recipe.build_notes.items())
    method = "" if plan.load_method == "ordered" else f", filled {plan.load_method}"
    return [
        ("server", f"{contender.family} {contender.version}, {contender.server}"),
        ("SHA-256", f"{contender.fingerprint} (of a script that starts one: of both)"),
        ("built", notes),
        ("preset", f"{contender.engine}/{contender.preset}"),
        ("table options", contender.table_options),
        ("CPUs", contender.cores),
        ("server memory", memory_settings_text(vars(contender))),
        ("work", f"{count_text(plan.tables, 'table')} of {count_text(plan.rows, 'row')}{method}"),
        ("transport", plan.transport),
        ("load", _load(plan)),
        ("sysbench", str(machine.get("sysbench") or "")),
        ("machine", f"{plan.target}: {cpu.get('model')}, {threads}" if cpu else plan.target),
        ("memory", bytes_text(memory) if memory else ""),
        ("disk", ", ".join(str(disk[name]) for name in ("model", "kind", "filesystem") if disk.get(name))),
        ("system", ", ".join(str(machine[name]) for name in ("distribution", "kernel") if machine.get(name))),
        ("governor", str(machine.get("governor") or "")),
    ]


def _load(plan: Plan) -> str:
    names = ", ".join(each.name for each in plan.load)
    return f"from {names}; this script drives from the machine of the server" if names else ""


def step_result_lines(recipe: SessionRecipe) -> Iterator[str]:
    """Each step's name, result with unit, queries of an event, and remarks."""
    for step, entry, events in zip(recipe.plan.steps, recipe.steps, recipe.events, strict=True):
        unit = "" if entry["unit"] == "bytes" else entry["unit"]
        per_event = f"{entry['queries'] / events:.4g}" if entry["queries"] and events else ""
        remark = remarks_of(entry) or ("" if entry["state"] == "completed" else entry["state"])
        parts = (
            f"{printable_line(step.label):40}",
            f"{figure_text(entry['value'], entry['unit']):>12}",
            f"{unit:10}",
        )
        yield " ".join([*parts, f"{per_event:>8}", printable_line(remark)]).rstrip()


# the options that Dyno adds to a preset, with the variables of a script in place of paths


_AT_RUN_TIME = ("user",)  # asked where the script is carried out

_OF_NETWORK = ("port", "bind-address", "skip-name-resolve", "init-file", "skip-networking")
# as the agent does it now: with names resolved, root could log in over 127.0.0.1
_LOOPBACK = ("bind-address=127.0.0.1", "port=$PORT", "skip-name-resolve", "init-file=$WORK/closing.sql")


def dyno_option_lines(recipe: SessionRecipe) -> Iterator[str]:
    """Options for a here-document: `datadir=$WORK/data`."""
    for name, value in recipe.own.items():
        if name not in (*_AT_RUN_TIME, *_OF_NETWORK):
            yield f"{name}={_placed(recipe, value)}" if value else name
    # no load target comes to the server of a script
    yield from _LOOPBACK if recipe.plan.transport == "loopback" else ("skip-networking",)


def _placed(recipe: SessionRecipe, value: str) -> str:
    private, base = posixpath.dirname(recipe.own["socket"]), recipe.contender.base
    for folder, variable in ((recipe.place, "$WORK"), (private, "$PRIVATE"), (base, "$BASE")):
        if value == folder or value.startswith(f"{folder}/"):
            return variable + _kept(value[len(folder) :])
    return _kept(value)


def _kept(text: str) -> str:
    """A text escaped so that the shell changes nothing."""
    for sign in ("\\", "$", "`"):
        text = text.replace(sign, f"\\{sign}")
    return text
