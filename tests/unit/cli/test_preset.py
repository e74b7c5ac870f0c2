"""`dyno preset`: which is meant, how two differ, and one's own."""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from tests.plans import write

MINE = "presets/innodb/mine.cnf"


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["preset", *words]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["preset", *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize(
    "words", [("innodb/optimized",), ("innodb", "optimized"), ("INNODB", "optimized"), ("InnoDB/optimized",)]
)
def test_a_preset_is_named_with_its_engine(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "show", *words).startswith("# title: Optimized\n")


def test_the_engine_may_be_left_out_where_only_one_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Zstandard" in said(capsys, "show", "optimized-zstd")
    assert "there is one for innodb, rocksdb, myisam" in refused(capsys, "show", "baseline")
    assert "there is no preset dance" in refused(capsys, "show", "dance")
    assert "choose one of innodb, rocksdb, myisam" in refused(capsys, "show", "c-s-v/baseline")
    assert "[mysqld]" in said(capsys, "show", "csv/baseline")
    assert "write 1 times ENGINE/NAME: there are 2" in refused(
        capsys, "show", "innodb", "baseline", "tencent"
    )


def test_a_preset_is_shown_to_scripts_with_what_its_header_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "show", "innodb/tencent", "--json"))
    assert (found["engine"], found["name"], found["shipped"], found["build"]) == (
        "innodb",
        "tencent",
        True,
        None,
    )
    assert found["durability"].startswith("loses") and "[mysqld-5.7]" in found["text"]
    assert [each["name"] for each in json.loads(said(capsys, "list", "--json"))].count("baseline") == 4
    assert said(capsys, "list").endswith("\nA contender that names no preset has baseline.\n")
    assert said(capsys, "show", "innodb/default") == said(capsys, "show", "innodb/baseline")
    assert said(capsys, "show", "csv/default") == said(capsys, "show", "csv/stock")


def test_two_presets_differ_line_by_line(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "diff", "rocksdb", "optimized", "optimized-zlib").splitlines()
    assert lines[:2] == ["--- rocksdb/optimized", "+++ rocksdb/optimized-zlib"]
    changed = [line for line in lines[2:] if line.startswith(("-", "+")) and "#" not in line]
    assert [line[:27] for line in changed] == [f"{sign}rocksdb_default_cf_options" for sign in "-+"]
    assert said(capsys, "diff", "innodb/baseline", "innodb/baseline") == "the presets do not differ\n"


def test_a_copy_is_made_changed_by_hand_and_deleted(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert str(dyno_home / MINE) in said(capsys, "new", "innodb/baseline", "mine")
    assert ["innodb", "mine", "yours", "Same", "relaxed", "durability", "and", "sizes", "for", "all"] in [
        line.split() for line in said(capsys, "list").splitlines()
    ]
    assert "exists already" in refused(capsys, "new", "innodb", "baseline", "mine")
    assert "write innodb/mine" in refused(capsys, "new", "innodb/baseline", "rocksdb/mine")
    assert "the name of a preset may have" in refused(capsys, "new", "innodb/baseline", "innodb/../mine")
    assert "comes with Dyno" in refused(capsys, "delete", "innodb/baseline")
    said(capsys, "delete", "innodb/mine")
    assert not (dyno_home / MINE).exists()
    assert "you have no preset mine" in refused(capsys, "delete", "innodb/mine")


def test_a_file_that_is_no_text_hides_no_other(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(dyno_home / MINE, "")
    path.write_bytes(b"\x7fELF\x02\xff\xfe")
    assert "mine.cnf: is not UTF-8 text" in refused(capsys, "show", "innodb/mine")
    assert main(["preset", "list"]) == 1
    told = capsys.readouterr()
    assert "optimized" in told.out and "is not UTF-8 text" in told.err


# editing


def test_nothing_is_edited_without_a_terminal(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys, "new", "innodb/baseline", "mine")
    assert f"edit {dyno_home / MINE} yourself" in refused(capsys, "edit", "innodb/mine")
    assert "comes with Dyno" in refused(capsys, "edit", "innodb/baseline")
    assert "create it with dyno preset new" in refused(capsys, "edit", "innodb/other")


def at_a_terminal(editor: str, typed: str = "") -> tuple[int, str]:
    """`dyno preset edit innodb/mine` in a terminal of its own: the code and what was shown."""
    ours, theirs = pty.openpty()
    os.write(ours, typed.encode())
    begun = subprocess.Popen(
        [sys.executable, "-m", "app.cli", "preset", "edit", "innodb/mine"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "VISUAL": "", "EDITOR": editor},
    )
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # the other side is gone
        pass
    os.close(ours)
    return begun.wait(30), shown.decode()


def an_editor(folder: Path, *replacements: tuple[str, str]) -> str:
    """A program with a blank in its path; each time it is called it makes the next replacement."""
    script = folder / "my editor.py"
    script.write_text(
        f"""import pathlib, sys
calls = pathlib.Path({str(folder)!r}) / "calls"
calls.open("a").write("x")
old, new = {list(replacements)!r}[len(calls.read_text()) - 1]
file = pathlib.Path(sys.argv[1])
file.write_text(file.read_text().replace(old, new))
"""
    )
    return shlex.join([sys.executable, str(script)])


def test_a_preset_is_edited_in_the_editor_of_the_person(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "new", "innodb/baseline", "mine")
    code, shown = at_a_terminal(an_editor(tmp_path, ("connections=512", "connections=99")))
    assert (code, "innodb/mine is changed" in shown) == (0, True)
    assert "max_connections=99\n" in (dyno_home / MINE).read_text()


def test_what_cannot_be_sent_is_edited_again_or_left(
    dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "new", "innodb/baseline", "mine")
    before = (dyno_home / MINE).read_text()
    editor = an_editor(tmp_path, ("max_connections", "port"), ("port=512", "port=513"))
    code, shown = at_a_terminal(editor, "y\nn\n")
    assert code == 2
    assert shown.count(": Dyno sets port itself") == 3  # twice with the question, then as the end of it
    assert (dyno_home / MINE).read_text() == before


@pytest.mark.parametrize(
    ("editor", "told"),
    [("false", "ended with code 1"), ("/no/such/editor", "cannot be started"), ("'", "is not a program")],
)
def test_an_editor_that_fails_changes_nothing(
    dyno_home: Path, editor: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said(capsys, "new", "innodb/baseline", "mine")
    before = (dyno_home / MINE).read_text()
    code, shown = at_a_terminal(editor)
    assert (code, told in shown) == (2, True)
    assert (dyno_home / MINE).read_text() == before
