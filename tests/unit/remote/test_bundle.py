"""The agent file: the same bytes for the same content, and all it needs in it."""

from __future__ import annotations

import ast
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from app.remote.bundle import current_bundle, make_bundle


def test_the_same_content_gives_the_same_bytes() -> None:
    files = {"b.py": b"b = 1\n", "a/__init__.py": b"", "a/c.py": b"c = 2\n" * 100}
    turned = dict(reversed(files.items()))
    assert make_bundle(files) == make_bundle(turned)
    assert make_bundle(files).sha == hashlib.sha256(make_bundle(files).content).hexdigest()
    assert make_bundle({**files, "b.py": b"b = 2\n"}).sha != make_bundle(files).sha


def test_a_copy_with_other_dates_is_the_same_file(tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(current_bundle().content)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (1, 1))
    again = {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*.py")}
    assert make_bundle(again) == current_bundle()


def test_it_holds_what_the_agent_needs_alone() -> None:
    with zipfile.ZipFile(io.BytesIO(current_bundle().content)) as archive:
        names = archive.namelist()
        pymysql = archive.read("pymysql/__init__.py").decode()
    assert names == sorted(names) and all(name.endswith(".py") for name in names)
    folders = {"/".join(name.split("/")[:-1][:2]) for name in names}
    assert folders == {
        "",
        "app",
        "app/engines",
        "app/protocol",
        "app/stats",
        "app/agent",
        "pymysql",
        "pymysql/constants",
    }
    assert {name for name in names if name.count("/") < 2 and name.startswith("app")} == {"app/__init__.py"}
    assert "VERSION = (1, 1, 2" in pymysql
    assert len(current_bundle().content) < 380_000


def test_the_page_of_a_room_stays_on_the_desktop() -> None:
    """An `__init__.py` that has only a docstring is empty there, and no code has its own."""
    app = Path(__file__).parents[3] / "app"
    with zipfile.ZipFile(io.BytesIO(current_bundle().content)) as archive:
        assert [archive.read(f"app/{name}/__init__.py") for name in ("agent/steps", "protocol")] == [b"", b""]
        assert archive.read("app/__init__.py") == b""
        for name in ("engines/__init__.py", "stats/at_target/welch.py", "agent/main.py"):
            there, here = archive.read(f"app/{name}").decode(), (app / name).read_text()
            assert_same_code(there, here)


def assert_same_code(there: str, here: str) -> None:
    """Lines are as they were written, under their numbers, without docstrings and comments."""
    pairs = list(zip(there.split("\n"), here.split("\n"), strict=True))
    changed = [line for line, written in pairs if not written.startswith(line)]
    assert set(map(str.strip, changed)) <= {'""'}
    undocumented = [ast.parse(text) for text in (there, here)]
    for tree in undocumented:
        for node in ast.walk(tree):
            if (
                isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
                and ast.get_docstring(node) is not None
            ):
                node.body = node.body[1:]
    assert len({ast.dump(tree) for tree in undocumented}) == 1 and there != here


def test_it_holds_nothing_that_the_agent_does_not_import(tmp_path: Path) -> None:
    file = tmp_path / "agent.pyz"
    file.write_bytes(current_bundle().content)
    names = zipfile.ZipFile(file).namelist()
    modules = {name[:-3].replace("/", ".").removesuffix(".__init__") for name in names}
    ours = {name for name in modules if name.startswith("app")}
    code = (
        f"import sys; sys.path.insert(0, {str(file)!r})\n"
        f"for name in {sorted(name for name in ours if name.startswith('app.agent'))!r}: __import__(name)\n"
        "print(*sys.modules)"
    )
    imported = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert imported.returncode == 0, imported.stderr
    assert ours - set(imported.stdout.split()) == set()


def test_it_starts_without_anything_installed(tmp_path: Path) -> None:
    file = tmp_path / "agent.pyz"
    file.write_bytes(current_bundle().content)
    said = subprocess.run(
        [sys.executable, "-I", "-S", str(file), "--help"], capture_output=True, cwd=tmp_path, text=True
    )
    assert said.returncode == 0 and "usage: agent" in said.stdout
    imported = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(file)!r}); import pymysql"],
        cwd=tmp_path,
    )
    assert imported.returncode == 0
