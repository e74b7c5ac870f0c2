"""Who may import what, read from the source: the contract of ARCHITECTURE.md."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
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
        ("pyqtgraph", "ui/widgets/chart.py"),
    ],
)
def test_a_library_has_one_home(package: str, home: str) -> None:
    assert not {path for path in importers(package) if not path.startswith(home)}


def test_one_file_of_the_agent_speaks_to_the_server() -> None:
    (only,) = importers("pymysql")
    assert only.startswith("app/agent/")


def test_the_protocol_stands_alone() -> None:
    assert not strangers("app/protocol", "app.protocol")


def test_the_agent_brings_all_it_needs() -> None:
    assert not strangers("app/agent", "app.agent", "app.protocol", "pymysql")


def test_the_agent_is_not_part_of_the_desktop() -> None:
    assert not {path for path in importers("app.agent") if not path.startswith("app/agent/")}


def test_pages_do_not_know_each_other() -> None:
    """Only the list of the places knows them all; what they share is in page.py."""
    for path in files("ui/pages"):
        own = ".".join(path.relative_to(ROOT).with_suffix("").parts[:3])
        others = {module for module in imports_of(path) if module.startswith("ui.pages.")}
        strange = {module for module in others if not is_within(module, own, "ui.pages.page")}
        assert not strange or own == "ui.pages.__init__", path


def test_widgets_know_neither_store_nor_window() -> None:
    strange = ("app.history", "ui.context", "ui.bus", "ui.tasks", "ui.pages", "ui.window")
    assert not {path for path in importers(*strange) if path.startswith("ui/widgets/")}


DEAR = {"numpy", "paramiko", "pymysql", "jinja2", "pyqtgraph"}
AFTER_THE_PAINT = {"sqlite3", "msgspec", "tomllib", "tomli_w", "app.catalog", "app.planner", "app.history",
                   "app.remote", "app.follower", "app.targets", "ui.dialogs", "ui.pages.bench"}  # fmt: skip


@pytest.mark.parametrize(
    ("module", "dear"),
    [
        ("app.cli", DEAR),
        ("ui.application", DEAR | AFTER_THE_PAINT),
        ("ui.pages.bench", DEAR | {"sqlite3", "msgspec", "tomli_w", "app.follower"}),
    ],
)
def test_what_is_dear_is_imported_on_first_use(module: str, dear: set[str]) -> None:
    code = f"import sys, {module}; print(*sorted({dear!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=30)
    assert (done.stdout.strip(), done.stderr) == ("", "")
