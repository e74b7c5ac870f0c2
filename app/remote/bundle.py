"""The agent file: our code and PyMySQL in one zip, the same bytes wherever and whenever it is made."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

MAIN = b"""import sys

from app.agent.main import main

sys.exit(main())
"""
_DESKTOP_ONLY = ("app/protocol/checked/", "app/engines/governs.py")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date a zip can hold


@dataclass(frozen=True)
class AgentBundle:
    """An agent file, named by the hash of its content."""

    sha: str
    content: bytes


@lru_cache(maxsize=1)
def current_bundle() -> AgentBundle:
    """The agent file of this Dyno."""
    return make_bundle(dict(_sources()))


def make_bundle(files: dict[str, bytes]) -> AgentBundle:
    """One zip of these files: sorted, without dates, owners or anything else that varies."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _LONG_AGO)
            info.create_system = 3  # Unix, on every system
            info.external_attr = 0o644 << 16
            archive.writestr(info, files[name], zipfile.ZIP_DEFLATED, 9)
    content = memory.getvalue()
    return AgentBundle(hashlib.sha256(content).hexdigest(), content)


def _sources() -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", MAIN
    app = _folder_of("app")
    for name in ("__init__.py", "stats/__init__.py"):
        yield f"app/{name}", _content_of(app / name)
    for part in ("engines", "protocol", "stats/at_target", "agent"):
        yield from _files_of(app / part, f"app/{part}")
    yield from _files_of(_folder_of("pymysql"), "pymysql")


def _files_of(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*.py"):
        its_name = f"{name}/{path.relative_to(folder).as_posix()}"
        if not its_name.startswith(_DESKTOP_ONLY):
            yield its_name, _content_of(path)


def _content_of(path: Path) -> bytes:
    """The source without docstrings and comments, which are for people; each line keeps its number."""
    text = path.read_text(encoding="utf-8")
    lines, tree = text.splitlines(keepends=True), ast.parse(text)
    if len(tree.body) == 1 and ast.get_docstring(tree) is not None:
        return b""  # the page of a folder
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            first, last = node.body[0].lineno - 1, node.body[0].end_lineno or 0
            lines[first:last] = [f'{" " * node.body[0].col_offset}""\n', *["\n"] * (last - first - 1)]
    for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
        if token.type == tokenize.COMMENT:
            at = token.start[0] - 1
            lines[at] = lines[at][: token.start[1]].rstrip() + "\n"
    return "".join(lines).encode()


def _folder_of(package: str) -> Path:
    """The directory of a package, without importing it: importing PyMySQL is slow."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent
