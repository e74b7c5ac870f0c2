"""Sizes are powers of 1024, and every text says so: KiB, MiB, GiB. Stored units are the only other ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECIMAL = re.compile(r"\b[KMGT]B\b")
STORED = {"KB/s", "MB", "KB/{of}"}  # of series, measures and progress: `unit_text` shows them
TEXTS = ("*.md", "docs/**/*.md", "cnf_presets/**/*.cnf", "workloads/**/*.*", "resources/**/*.*")
NAME = re.compile(r"`[^`]*`")  # in the docs: what JSON, CSV and journals have


def _literals(path: Path) -> Iterator[str]:
    """Texts of a module, also those between the values of an f-string; no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            yield node.value


@pytest.mark.parametrize("folder", ["app", "ui"])
def test_literals(folder: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for text in _literals(path)
        if DECIMAL.search(text) and text not in STORED
    ]
    assert found == []


def test_texts_that_come_with_dyno() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for pattern in TEXTS
        for path in sorted(ROOT.glob(pattern))
        if path.suffix in (".md", ".cnf", ".toml", ".html", ".txt", ".lua", ".sh")
        for line in path.read_text(encoding="utf-8").splitlines()
        if DECIMAL.search(NAME.sub("", line))
    ]
    assert found == []
