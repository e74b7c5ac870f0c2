"""What docs/ and ARCHITECTURE.md say of protocol, history, agent and folders is what the code has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from app.agent.main import VERBS
from app.core.units import unit_text
from app.engines import KNOWN, all_causes
from app.history.store.history import History
from app.history.store.schema import DERIVED_TABLES, OWNED_TABLES
from app.planner.request.contender import OF_CONTENDER
from app.planner.request.request import OPTIONS
from app.protocol.events import KINDS, PROTOCOL, UnknownEvent, decode
from tests.unit.test_imports import FLOORS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
FOLDERS = sorted({path.parent for part in ("app", "ui") for path in (ROOT / part).rglob("*.py")})


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows(text: str, heading: str) -> set[str]:
    """The names in the first column of the table that begins with this heading."""
    _, found, table = text.partition(f"| {heading} |")
    assert found, heading
    lines = table.partition("\n\n")[0].splitlines()[2:]
    return {name for line in lines for name in re.findall(r"`([^`]+)`", line.split("|")[1])}


def test_kinds_verbs_and_version_of_the_protocol() -> None:
    journal = page("developers/journal.md")
    assert rows(journal, "kind") == set(KINDS)
    assert rows(journal, "verb") == set(VERBS)
    assert "such as `{}.{}`".format(*PROTOCOL) in journal


def test_the_events_shown_are_events() -> None:
    shown = re.findall(r"^\{.*\}$", page("developers/journal.md"), re.MULTILINE)
    assert len(shown) == 4 and not any(isinstance(decode(line), UnknownEvent) for line in shown)


def test_tables_of_the_history(tmp_path: Path) -> None:
    derived, _, own = page("developers/history.md").partition("**Own tables**")
    assert rows(derived, "table") == set(DERIVED_TABLES)
    assert rows(own, "table") == set(OWNED_TABLES)
    with History(tmp_path) as history:
        there = {name for (name,) in history.query("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert there == set(DERIVED_TABLES) | set(OWNED_TABLES)


def test_the_figures_of_the_engines() -> None:
    text = page("developers/engine-figures.md")
    for engine in (each for each in KNOWN.values() if each.panel):
        _, found, section = text.partition(f"## {engine.title}\n")
        assert found, engine.name
        shown = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| `")]
        assert shown == [
            f"| `{each.name}` | {each.title} | {unit_text(each.unit)} | {each.direction or 'neither'} |"
            f" {each.meaning} |"
            for each in engine.panel
        ]


def test_the_options_of_a_plan() -> None:
    text = page("plans.md")
    named = [name for rows in (OPTIONS, OF_CONTENDER) for name, row in rows.items() if row.rule]
    assert [name for name in named if f"`{name}`" not in text and f"{name} = " not in text] == []


def test_the_causes() -> None:
    assert rows(page("causes.md"), "name") == {each.name for each in all_causes()}


@pytest.mark.parametrize("path", [ARCHITECTURE, *sorted(DOCS.rglob("*.md"))], ids=lambda path: path.name)
def test_files_that_a_page_names_are_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for named in re.findall(r"`((?:app|tests|ui|docs|workloads|cnf_presets)/[\w/.-]+)`", text):
        assert re.search("NAME|ENGINE|VERSION", named) or (ROOT / named).exists(), named


@pytest.mark.parametrize("path", [ARCHITECTURE, DOCS / "developers/design.md"], ids=lambda path: path.name)
def test_names_that_a_page_finds_in_a_file_are_in_it(path: Path) -> None:
    found = re.findall(r"((?:`\w+`(?:, | and ))*`\w+`) (?:in|of|among) `(\w+/[\w/]+\.\w+)`", path.read_text())
    pairs = [
        (name, ROOT / file) for names, file in found for name in re.findall(r"\w+", names) if name != "and"
    ]
    assert len(pairs) >= 5
    assert not [(name, file.name) for name, file in pairs if not re.search(rf"\b{name}\b", file.read_text())]


def test_the_architecture_is_short_and_has_every_folder_in_its_order() -> None:
    text = ARCHITECTURE.read_text()
    assert len(text.split()) < 2_500
    table = text.partition("| folders | what |")[2].partition("\n\n")[0]
    named = re.findall(r"`((?:app|ui)/[\w.]+)`", table)
    assert [each.removesuffix(".py").replace("/", ".") for each in named] == FLOORS
    assert len(re.findall(r"^\d+\. \*\*", text, re.MULTILINE)) == 10


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_the_page_of_a_folder_is_its_docstring(folder: Path) -> None:
    """What it is for, who may call it, where to start: at most fifteen lines."""
    page = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    lines = page.splitlines()
    assert 2 <= len(lines) <= 15 or len(list(folder.glob("*.py"))) == 1
