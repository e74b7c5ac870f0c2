"""Who may import what, read from the source: the contract of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QT = ("PySide6", "shiboken6", "pyqtgraph")
NEWER_THAN_3_8 = {"graphlib", "tomllib", "zoneinfo"}


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Every module a file imports, wherever in it, by its full name."""
    return frozenset(_imports(ast.parse(path.read_text(), str(path)), path.relative_to(ROOT)))


def _imports(tree: ast.AST, path: Path) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = path.parts[: -node.level] if node.level else ()
            module = ".".join((*above, *([node.module] if node.module else [])))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def is_within(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def importers(*packages: str) -> set[str]:
    """The files of Dyno that import one of these packages."""
    return {
        str(path.relative_to(ROOT))
        for path in files("app", "ui")
        if any(is_within(module, *packages) for module in imports_of(path))
    }


def strangers(folder: str, *allowed: str) -> list[str]:
    """What the files of a folder import beyond what is allowed and the standard library."""
    return [
        f"{path.relative_to(ROOT)} imports {module}"
        for path in files(folder)
        for module in sorted(imports_of(path))
        if not is_within(module, *allowed, *(sys.stdlib_module_names - NEWER_THAN_3_8))
    ]


def test_relative_imports_are_read(tmp_path: Path) -> None:
    tree = ast.parse("from . import a\nfrom ..protocol.plan import Plan\nfrom .x import y\nimport os.path")
    assert set(_imports(tree, Path("app/agent/main.py"))) >= {
        "app.agent.a",
        "app.protocol.plan",
        "app.agent.x",
        "os.path",
    }


def test_there_is_something_to_walk() -> None:
    assert len(files("app")) > 50


def test_the_core_knows_no_window() -> None:
    assert not {path for path in importers("ui", *QT) if path.startswith("app/")}


@pytest.mark.parametrize(
    ("package", "home"),
    [
        ("paramiko", "app/remote/"),
        ("sqlite3", "app/history/"),
        ("pyqtgraph", "ui/widgets/charts/"),
    ],
)
def test_a_library_has_one_home(package: str, home: str) -> None:
    assert not {path for path in importers(package) if not path.startswith(home)}


def test_one_file_of_the_agent_speaks_to_the_server() -> None:
    """The desktop has one file more, which speaks to the server of a team."""
    agents, teams = sorted(importers("pymysql"))
    assert agents.startswith("app/agent/")
    assert teams == "app/team/connection.py"


def test_engines_stand_alone() -> None:
    assert not strangers("app/engines", "app.engines")


# a folder imports only those before it
OF_APP = "engines protocol stats core agent remote variables imported targets catalog history team planner"
OF_APP += " following comparison explaining script report cli"
OF_UI = "core widgets models dialogs pages shell main"
FLOORS = [*(f"app.{folder}" for folder in OF_APP.split()), *(f"ui.{folder}" for folder in OF_UI.split())]
ROOMS = {  # the same within these; above them what lies loose there
    "app.agent": "system server existing survey sampling profiling snapshots load steps checks",
    "app.history": "store recorded lists steps machines exchange",
    "app.comparison": "cells differences verdicts why answers stacks charts texts",
    "app.planner": "request resolve estimate checks kinds starting",
}
MAY_IMPORT_NOTHING_OF_CORE = ("app.engines", "app.protocol", "app.stats", "app.agent")


@cache
def graph() -> dict[str, frozenset[str]]:
    """Every module with those of Dyno that it imports, wherever in it and if only for its types."""
    known = {_name_of(path): path for path in files("app", "ui")}
    found = {}
    for name, path in known.items():
        imported = {module for module in imports_of(path) if module in known}
        # `from package import module` names the package too; it is imported where nothing of it is a module
        beyond = {
            module for module in imported if not any(is_within(each, module) for each in imported - {module})
        }
        found[name] = frozenset(beyond - {name})
    return found


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def floor_of(module: str) -> tuple[int, int]:
    """Where it stands among the folders, and within one of ROOMS among its rooms."""
    outer = next((at for at, folder in enumerate(FLOORS) if is_within(module, folder)), len(FLOORS))
    rooms = ROOMS.get(".".join(module.split(".")[:2]), "").split()
    room = next(iter(module.split(".")[2:]), "")
    return outer, rooms.index(room) if room in rooms else len(rooms)


def circles(arrows: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """What reaches itself over others."""
    reached: dict[str, set[str]] = {}
    for start in arrows:
        seen, waiting = set(), list(arrows[start])
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                waiting += arrows.get(each, ())
        reached[start] = seen
    found = {
        tuple(sorted(b for b in reached[a] if a in reached.get(b, ()))) for a in arrows if a in reached[a]
    }
    return [list(each) for each in sorted(found)]


def test_nothing_lies_loose() -> None:
    assert [path.name for path in sorted((ROOT / "app").glob("*.py"))] == ["__init__.py"]
    assert [path.name for path in sorted((ROOT / "ui").glob("*.py"))] == ["__init__.py", "main.py"]
    assert {floor_of(module)[0] for module in graph()} == {*range(len(FLOORS)), len(FLOORS)}
    assert {module for module in graph() if floor_of(module)[0] == len(FLOORS)} == {"app", "ui"}


def test_nobody_imports_upwards() -> None:
    assert not [
        f"{module} imports {imported}"
        for module, all_imported in graph().items()
        for imported in sorted(all_imported)
        if floor_of(imported) > floor_of(module)
    ]


def test_circles_are_found() -> None:
    arrows = {"a": ["b"], "b": ["c"], "c": ["b"], "d": ["a"]}
    assert circles(arrows) == [["b", "c"]]


def test_no_files_import_each_other() -> None:
    assert circles(graph()) == []


def test_a_migration_calls_no_living_code() -> None:
    assert imports_of(ROOT / "app/history/store/schema.py") == {"__future__", "__future__.annotations"}


def test_no_folders_import_each_other() -> None:
    """A folder and the one that it lies in are not held against each other."""
    arrows: dict[str, set[str]] = {}
    for module, all_imported in graph().items():
        folder = module.rpartition(".")[0]
        others = {each.rpartition(".")[0] for each in all_imported}
        apart = {each for each in others if not is_within(each, folder) and not is_within(folder, each)}
        arrows.setdefault(folder, set()).update(apart)
    assert circles(arrows) == []


@pytest.mark.parametrize("folder", MAY_IMPORT_NOTHING_OF_CORE)
def test_what_goes_to_the_target_knows_nothing_of_the_desktop(folder: str) -> None:
    found = {module: imported for module, imported in graph().items() if is_within(module, folder)}
    assert not {each for imported in found.values() for each in imported if is_within(each, "app.core")}


def test_the_protocol_stands_alone() -> None:
    assert not strangers("app/protocol", "app.protocol", "app.engines", "msgspec")
    assert {path for path in importers("msgspec") if path.startswith("app/protocol/")} == {
        "app/protocol/checked/__init__.py"
    }


def test_the_agent_brings_all_it_needs() -> None:
    assert not strangers("app/agent", "app.agent", "app.engines", "app.protocol", "app.stats", "pymysql")
    assert not {path for path in importers("app.protocol.checked") if path.startswith("app/agent/")}


def test_the_agent_is_not_part_of_the_desktop() -> None:
    assert not {path for path in importers("app.agent") if not path.startswith("app/agent/")}


def test_pages_do_not_know_each_other() -> None:
    """Only the list of the places knows them all; what they share is in page.py."""
    for path in files("ui/pages"):
        own = ".".join(path.relative_to(ROOT).with_suffix("").parts[:3])
        others = {module for module in imports_of(path) if module.startswith("ui.pages.")}
        strange = {module for module in others if not is_within(module, own, "ui.core.page")}
        assert not strange or own == "ui.pages.__init__", path


def test_widgets_know_neither_store_nor_window() -> None:
    strange = (
        "app.history",
        "ui.core.context",
        "ui.core.bus",
        "ui.core.tasks",
        "ui.pages",
        "ui.shell.window",
    )
    assert not {path for path in importers(*strange) if path.startswith("ui/widgets/")}


# what the standard library has not everywhere: on Windows, and the first two of os not on macOS either
OF_OS = (
    "O_PATH listxattr O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK WEXITSTATUS WIFEXITED chown fchmod fchown"
    " fork forkpty getegid geteuid getgid getloadavg getpgid getuid killpg lchown memfd_create mkfifo mknod"
    " nice openpty pidfd_open pread pwrite sched_getaffinity sched_setaffinity sendfile set_blocking"
    " setpgid setsid statvfs sync sysconf uname wait"
)
OF_SIGNAL = (
    "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 SIGWINCH alarm"
    " pause pthread_sigmask setitimer sigwait"
)
NOT_EVERYWHERE = {
    "fcntl", "grp", "posix", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty",
    "select.epoll", "select.kqueue", "select.poll", "select.POLLIN", "socket.AF_UNIX", "socket.SO_PEERCRED",
    "time.clock_gettime", "start_new_session", "preexec_fn", "pass_fds", "dir_fd",
    *(f"os.{name}" for name in OF_OS.split()), *(f"signal.{name}" for name in OF_SIGNAL.split()),
}  # fmt: skip
TO_THIS_COMPUTER = {
    "os.killpg", "os.set_blocking", "select.poll", "select.POLLIN", "signal.SIGKILL", "start_new_session",
}  # fmt: skip


def used_of(path: Path, names: set[str]) -> set[str]:
    """Which of these a file imports, reaches by a dot or passes by name."""
    found = set(imports_of(path))
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found.add(f"{node.value.id}.{node.attr}")
        elif isinstance(node, ast.keyword) and node.arg:
            found.add(node.arg)
    return found & names


def test_the_desktop_needs_nothing_that_only_linux_has() -> None:
    """So that macOS and Windows stay open; what there is belongs to this computer as a target, and to X."""
    target = {*files("app/agent"), ROOT / "app/remote/starter.py"}  # the latter is a text to the desktop
    found = {
        str(path.relative_to(ROOT)): used
        for path in {*files("app", "ui")} - target
        if (used := used_of(path, NOT_EVERYWHERE))
    }
    assert found == {"app/remote/connection.py": TO_THIS_COMPUTER, "ui/core/display.py": {"socket.AF_UNIX"}}


DEAR = {"numpy", "paramiko", "pymysql", "jinja2", "pyqtgraph"}
AFTER_THE_PAINT = {"sqlite3", "msgspec", "tomllib", "tomli_w", "app.catalog", "app.planner", "app.history",
                   "app.remote", "app.following.follower", "app.targets.store", "ui.dialogs",
                   "ui.pages.bench"}  # fmt: skip


@pytest.mark.parametrize(
    ("module", "dear"),
    [
        ("app.cli", DEAR),
        ("ui.shell.application", DEAR | AFTER_THE_PAINT),
        ("ui.pages.bench", DEAR | {"sqlite3", "msgspec", "tomli_w", "app.following.follower"}),
        ("ui.pages.compare.body", {"numpy", "pyqtgraph"}),
        (
            "app.following.under_way",
            DEAR | {"msgspec", "app.stats", "app.engines", "app.history.recorded.counting"},
        ),
    ],
)
def test_what_is_dear_is_imported_on_first_use(module: str, dear: set[str]) -> None:
    assert _printed(f"import sys, {module}; print(*sorted({dear!r} & set(sys.modules)))") == ""


def test_no_function_gives_a_module_of_ours() -> None:
    """mypy does not see what is called of it: a renamed function would be found by who uses it."""
    given = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in files("app", "ui")
        for node in ast.walk(ast.parse(path.read_text(), str(path)))
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "ModuleType"
        if any(is_within(module, "app", "ui") for module in _imports(node, path.relative_to(ROOT)))
    ]
    assert given == []


def test_a_command_imports_no_other_one() -> None:
    others = {"app.cli.run", "app.cli.queue", "app.stats", "app.protocol.answers"}
    code = "import sys; from app.cli.parser import dyno_parser; dyno_parser('session')"
    assert _printed(f"{code}; print(*sorted({others!r} & set(sys.modules)))") == ""


def test_nothing_reads_the_source_of_the_modules_of_the_window() -> None:
    """PySide does, unless it is kept from it, and keeps what it has read."""
    code = (
        "from ui.core.imports import speed_up_imports; speed_up_imports(); import linecache, ui.shell.window"
    )
    assert _printed(f"{code}; print(*(name for name in linecache.cache if 'window.py' in name))") == ""


def _printed(code: str) -> str:
    """By a new Python that `make coverage` does not measure: that would import more."""
    command = [sys.executable, "-c", code]
    plain = {name: value for name, value in os.environ.items() if name != "DYNO_COVERED"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=plain, timeout=30)
    assert not done.stderr
    return done.stdout.strip()


def test_the_key_of_a_step_is_made_in_one_place() -> None:
    made = re.compile(r"dumps\([^)]*coordinates")
    places = [str(path.relative_to(ROOT)) for path in files("app", "ui") if made.search(path.read_text())]
    assert places == ["app/protocol/plan.py"]
