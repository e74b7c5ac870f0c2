"""The name of a test leads to it: none stands in two files."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_test_has_the_name_of_another() -> None:
    names = Counter(
        node.name
        for path in TESTS.rglob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    )
    assert [name for name, count in names.items() if count > 1] == []
