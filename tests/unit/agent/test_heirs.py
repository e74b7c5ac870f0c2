"""Classes of the agent that inherit from one another do so by what is public."""

from __future__ import annotations

import ast
from pathlib import Path

AGENT = Path(__file__).parents[3] / "app/agent"


def classes() -> dict[str, ast.ClassDef]:
    trees = [ast.parse(path.read_text()) for path in sorted(AGENT.rglob("*.py"))]
    return {node.name: node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


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
