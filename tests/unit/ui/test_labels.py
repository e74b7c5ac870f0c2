"""Texts of the window: one sign for what opens a dialog or goes on, right behind the word."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
WINDOW = sorted((ROOT / "ui").rglob("*.py"))
PAGES = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "resources" / "figures.html"]
DOTS = re.compile(r"\.\.\.| …$")
LABEL = re.compile(r"(?:\*|<i>)[A-Z][\w ]*\.\.\.(?:\*|</i>)")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def texts_of(path: Path) -> Iterator[str]:
    """The text literals of a file, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {node.body[0] for node in ast.walk(tree) if isinstance(node, DOCUMENTED) and node.body}
    docstrings = {node.value for node in documented if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            yield node.value


def test_the_window_has_one_sign_for_what_goes_on() -> None:
    found = {path.name: [text for text in texts_of(path) if DOTS.search(text)] for path in WINDOW}
    assert {name: texts for name, texts in found.items() if texts} == {}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_pages_write_labels_as_the_window_does(path: Path) -> None:
    assert LABEL.findall(path.read_text(encoding="utf-8")) == []
