"""The name of a test or a fixture leads to it: none stands in two files. What is private stays so."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parents[1]
OF_A_FOLDER = {
    "page": "the page that the tests of a folder are about: Bench and Compare",
    "hand": "the person before the History page; of plans in the file on plans",
}
PRIVATE = {"ui": 71, "unit": 42, "integration": 2}  # at most; each less lowers its bound


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    kinds = (ast.FunctionDef, ast.Attribute)
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, kinds)]


def nodes(folder: Path) -> Iterator[ast.AST]:
    for path in sorted(folder.rglob("*.py")):
        yield from nodes_of(path)


def twice(is_one: Callable[[ast.FunctionDef], bool]) -> list[str]:
    """The names of functions of this kind that stand in two places."""
    names = Counter(node.name for node in nodes(TESTS) if isinstance(node, ast.FunctionDef) and is_one(node))
    return sorted(name for name, count in names.items() if count > 1)


def is_fixture(node: ast.FunctionDef) -> bool:
    return any("fixture" in ast.unparse(each) for each in node.decorator_list)


def test_no_test_has_the_name_of_another() -> None:
    assert twice(lambda node: node.name.startswith("test_")) == []


def test_no_fixture_has_the_name_of_another() -> None:
    assert twice(is_fixture) == sorted(OF_A_FOLDER)


def is_private(node: ast.AST) -> bool:
    """Whether a name of another object is read that begins with one underscore."""
    if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
        return False
    return not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))


def test_tests_look_at_what_is_public() -> None:
    found = {folder: sum(is_private(node) for node in nodes(TESTS / folder)) for folder in PRIVATE}
    assert found == PRIVATE
