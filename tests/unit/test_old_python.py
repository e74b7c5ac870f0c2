"""What is carried to a target is written in the Python 3.8 that may be found there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "app"
PARTS = ("engines", "protocol", "stats", "agent")
LATER = {"removeprefix", "removesuffix", "bit_count", "file_digest", "is_relative_to"}  # methods
LATER |= {"functools.cache", "itertools.pairwise", "itertools.batched", "math.lcm"}
LATER |= {"strict=", "slots=", "kw_only="}  # arguments
CARRIED = sorted([APP / "__init__.py", *(path for part in PARTS for path in APP.glob(f"{part}/**/*.py"))])


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: str(path.relative_to(APP)))
def test_it_is_python_3_8(path: Path) -> None:
    tree = ast.parse(path.read_text(), str(path), feature_version=(3, 8))
    annotated = any(isinstance(node, ast.AnnAssign | ast.arg) and node.annotation for node in ast.walk(tree))
    assert not annotated or "from __future__ import annotations" in path.read_text()


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: str(path.relative_to(APP)))
def test_it_calls_nothing_that_came_later(path: Path) -> None:
    assert not set(_used(ast.parse(path.read_text()))) & LATER


@pytest.mark.parametrize(
    "text",
    ["from functools import cache", "zip(a, b, strict=True)", "itertools.pairwise(a)", "a.removeprefix(b)"],
)
def test_what_came_later_is_seen(text: str) -> None:
    assert set(_used(ast.parse(text))) & LATER


def _used(tree: ast.AST) -> Iterator[str]:
    """Attributes, alone and with what they are of; what is imported from a module; arguments in calls."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield from (node.attr, ast.unparse(node))
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call):
            yield from (f"{keyword.arg}=" for keyword in node.keywords)
