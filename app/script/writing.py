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
from app.engines import engine_of
from app.engines.server import ANALYSE, CLOSING
from app.history.store.history import History
from app.protocol.plan import OPEN_FILES, SLICES
from app.protocol.sysbench import SHARED, WRAPPER

from .about import figures, line, where
from .acts import acts
from .mycnf import own_lines
from .recipe import Recipe, read_recipe

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


def _fill(folder: Path, recipe: Recipe) -> None:
    (folder / "lua").mkdir()
    for name, text in recipe.plan.files.items():
        if name.startswith("workloads/") and name.endswith(".lua") and not name.endswith(f"/{WRAPPER}"):
            (folder / "lua" / posixpath.basename(name)).write_text(text, encoding="utf-8")
    (folder / "my.cnf").write_text(recipe.cnf, encoding="utf-8")
    for name in ("run.sh", "README.txt"):
        (folder / name).write_text(render(name, recipe), encoding="utf-8")
    (folder / "run.sh").chmod(0o755)


def render(name: str, recipe: Recipe) -> str:
    """One of the two texts."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - a shell script: what is in it is quoted for the shell
        loader=FileSystemLoader(shipped_folder("resources") / "script"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(quote=shlex.quote, line=line, rule=lambda text: f"{text}\n{'-' * len(text)}")
    return environment.get_template(name).render(_words(recipe))


def _words(recipe: Recipe) -> dict[str, Any]:
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
        "own": list(own_lines(recipe)),
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
        "analyse": ANALYSE.format("$table"),
        "analyses": any(step.analyse for step in plan.steps),
        "settles": any(step.kind == "settle" for step in plan.steps),
        "snapshot": plan.snapshot_at >= 0,
        "takes_turns": plan.order == SLICES,
        "is_written": engine_of(contender.engine).is_written,
        "where": [each for each in where(recipe) if each[1]],
        "figures": list(figures(recipe)),
    }


def _title(recipe: Recipe) -> str:
    contender = recipe.contender
    what = f"{contender.family} {contender.version}, {contender.engine} with the preset {contender.preset}"
    return f"{recipe.entry['name']}: {what}, taken through the sequence {recipe.plan.sequence}"


def _server(recipe: Recipe) -> str:
    """The server's path for an assignment, relative to the build if it is inside."""
    base, server = recipe.contender.base.rstrip("/"), recipe.contender.server
    if server.startswith(f"{base}/"):
        return f"$BASE/{shlex.quote(server[len(base) + 1 :])}"
    return shlex.quote(server)


def _around(recipe: Recipe) -> Iterator[str]:
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


def _tools(recipe: Recipe, moves: bool) -> Iterator[str]:
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


def _release(recipe: Recipe) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", recipe.contender.version)[:2])


def _bootstrap(recipe: Recipe) -> str:
    """The lines that make the system tables: by the server, or by its SQL files."""
    is_mariadb = recipe.contender.family == "MariaDB"
    return "initialize" if not is_mariadb and _release(recipe) >= (5, 7) else "sql"


def _reset(recipe: Recipe) -> str:
    """The statement that empties binary logs; '' if none are written."""
    if recipe.variables.get("log_bin", "OFF").upper() not in ("ON", "1"):
        return ""
    is_new = recipe.contender.family != "MariaDB" and _release(recipe) >= (8, 2)
    return "RESET BINARY LOGS AND GTIDS" if is_new else "RESET MASTER"
