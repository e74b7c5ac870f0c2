"""`dyno compare`: what the sessions do not have in common, in each form."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from app.cli import main
from tests import comparable
from tests.plans import MARIADB

DIFFERING = [
    ("parity", "file access"), ("variables", "io_capacity"), ("preset", "sort_buffer_size"),
    ("contender", "engine"),
]  # fmt: skip


@pytest.fixture
def defaults(dyno_home: Path) -> tuple[str, ...]:
    """In the first of them nobody has set the variable in which they differ."""
    first = comparable.keep(dyno_home, comparable.plan(2, number=1), facts={"not_default": ["io_capacity"]})
    second = comparable.keep(dyno_home, comparable.plan(2, number=2), facts={"not_default": []})
    return *first, *second


def told(form: str, sessions: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["compare", *sessions, "--setup", "--format", form]) == 0
    return capsys.readouterr().out


def test_what_differs_as_a_table(defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    columns, title, head, *lines = told("table", defaults[:2], capsys).splitlines()
    assert columns == f"Columns: {MARIADB}-…-preset0-1"
    assert title == "What differs" and head.split()[:2] == ["of", "what"]
    assert [line.split("  ")[0] for line in lines] == [group for group, _ in DIFFERING]


def test_variables_that_say_only_that_builds_are_others_are_counted(
    defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    text = told("table", defaults[2:], capsys)
    assert "io_capacity" not in text
    assert text.splitlines()[-1].startswith("1 variable more: each build's own default")


def test_what_differs_for_a_spreadsheet(
    defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    head, *rows = csv.reader(told("csv", defaults[:2], capsys).splitlines())
    assert head == ["of", "what", f"{MARIADB}-innodb-preset0-1", f"{MARIADB}-rocksdb-preset0-1"]
    assert [(row[0], row[1]) for row in rows] == DIFFERING


@pytest.mark.parametrize("words", [["--setup"], ["--why"], ["--why", "update-index"]])
def test_a_measure_that_would_say_nothing_is_refused(
    defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["compare", *defaults, *words, "--measure", "cpu_us"]) == 2
    assert capsys.readouterr().err.startswith("dyno: --measure does not go with")


def test_what_differs_for_a_forum_and_a_script(
    defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "| contender | engine | innodb | rocksdb |" in told("md", defaults[:2], capsys)
    found = json.loads(told("json", defaults[2:], capsys))["differences"]
    assert [(each["group"], each["name"]) for each in found] == DIFFERING


def test_what_it_comes_to_in_sentences(defaults: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *defaults[:2], "--verdict"]) == 0
    todo = "For a verdict measure all contenders 3 times or more."
    why = "none of these is judged (measured once: the noise is unknown)."
    seen = f"MyRocks measured at 0.56 to 0.66 of InnoDB's rate over 9 steps: {why}"
    assert capsys.readouterr().out == f"{seen} {todo}\n"
    assert main(["compare", defaults[0], "--verdict"]) == 0
    assert capsys.readouterr().out == "One column: nothing to compare it with.\n"
    assert main(["compare", *defaults[:2], "--verdict", "--json", "--measure", "p95_ms"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["base"] == defaults[0] and found["sentences"] == [
        "MyRocks measured at 1.00 of InnoDB's latency p95 over 9 steps: "
        "none of these is judged (measured once: the noise is unknown)."
    ]


def test_tables_of_eight_columns_fit_the_terminal(
    dyno_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column of a table is there, each part under the steps that it is of."""
    plan = comparable.plan(8, names=[f"duel-mysql-8.0.{at}-innodb-default" for at in range(8)])
    sessions = comparable.keep(dyno_home, plan)
    for words in (["--why"], ["--why", "update-index"], ["--pre"], ["--setup"]):
        whole = table_lines(["compare", *sessions, *words], capsys)
        for width in (80, 120):
            screen = Console(
                width=width, height=40, force_terminal=True, file=io.StringIO()
            )  # also if TERM is dumb
            with monkeypatch.context() as patched:
                patched.setattr("app.cli.screen.rich_console", lambda screen=screen: screen)
                assert main(["compare", *sessions, *words]) == 0
            shown = capsys.readouterr().out
            parts = [line for line in shown.splitlines() if "  " in line]
            assert max(map(len, parts)) <= width
            assert (len(parts) > len(whole)) == (max(map(len, whole)) > width), "split where it must be"
            assert words != ["--why"] or len(parts) > len(whole)
            assert {*" ".join(whole).replace(":", " ").split()} <= {
                *shown.replace(";", " ").replace(":", " ").split()
            }


def table_lines(words: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(words) == 0
    return [line for line in capsys.readouterr().out.splitlines() if "  " in line]
