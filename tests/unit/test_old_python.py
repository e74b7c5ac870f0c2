"""What is carried to a target is written in the Python 3.8 that may be found there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

APP = Path(__file__).parents[2] / "app"
PARTS = ("engines", "protocol", "agent")
CARRIED = sorted([APP / "__init__.py", *(path for part in PARTS for path in APP.glob(f"{part}/**/*.py"))])


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: str(path.relative_to(APP)))
def test_it_is_python_3_8(path: Path) -> None:
    tree = ast.parse(path.read_text(), str(path), feature_version=(3, 8))
    annotated = any(isinstance(node, ast.AnnAssign | ast.arg) and node.annotation for node in ast.walk(tree))
    assert not annotated or "from __future__ import annotations" in path.read_text()


@pytest.mark.parametrize("path", CARRIED, ids=lambda path: str(path.relative_to(APP)))
def test_it_calls_no_method_that_came_later(path: Path) -> None:
    later = {"removeprefix", "removesuffix", "bit_count", "file_digest", "pairwise", "is_relative_to"}
    used = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
    assert not used & later
