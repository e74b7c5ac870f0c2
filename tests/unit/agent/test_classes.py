"""Classes of the agent: they inherit by what is public, and are complete once they are constructed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

AGENT = Path(__file__).parents[3] / "app/agent"
LATER = re.compile(r"= None +# type: ignore")  # a type is promised, and given later


def sources() -> list[str]:
    return [path.read_text() for path in sorted(AGENT.rglob("*.py"))]


def classes() -> dict[str, ast.ClassDef]:
    nodes = [node for source in sources() for node in ast.walk(ast.parse(source))]
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


def private_methods(of_class: ast.ClassDef) -> set[str]:
    names = {node.name for node in of_class.body if isinstance(node, ast.FunctionDef)}
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def test_no_class_overrides_a_private_method_of_another() -> None:
    known = classes()
    overridden = [
        f"{name}.{method}"
        for name, heir in known.items()
        for base in heir.bases
        if isinstance(base, ast.Name) and base.id in known
        for method in sorted(private_methods(heir) & private_methods(known[base.id]))
    ]
    assert overridden == []


def test_nothing_is_promised_that_comes_later() -> None:
    assert not [line for source in sources() for line in source.splitlines() if LATER.search(line)]
