"""Public names say what they hold: not who said, kept or was asked for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.unit.test_imports import ROOT, files

VAGUE = re.compile(r"(?:^|_)(said|told|tell|asked|kept|there|beside)(?:_|$)|of_it|(?:^|_)its_")
EXCEPTIONS = {
    "asked": "what a person asked for: app/explaining",
    "beside": "what stands next to a ratio, in a cell that is drawn",
    "is_there": "runs on the target as text, where each byte is sent at each start",
    "kept": "a signal of dialogs: it was stored",
    "kept_bytes": "a key of JSON",
    "kept_pct": "a key of journals",
    "not_kept": "a key of journals",
    "said": "a message for a person",
    "there": "a key of answers of the agent",
    "told": "a message for a person",
}


def public_names(body: list[ast.stmt]) -> Iterator[str]:
    """Functions, classes, their methods and fields, without those that begin with an underscore."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from public_names(node.body)
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        yield from (each.id for each in targets if isinstance(each, ast.Name))


def test_public_names_say_what_they_hold() -> None:
    found = {
        name
        for path in files("app", "ui")
        for name in public_names(ast.parse(path.read_text(), str(path.relative_to(ROOT))).body)
        if not name.startswith("_") and VAGUE.search(name.lower() if name.isupper() else name)
    }
    assert found == EXCEPTIONS.keys()
