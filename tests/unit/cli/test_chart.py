"""`dyno chart`: CSV on the standard output, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.cli import main
from tests import comparable


@pytest.fixture
def sessions(dyno_home: Path) -> tuple[str, ...]:
    return comparable.keep(dyno_home, comparable.plan(2, repeats=2))


def test_the_numbers_of_a_chart_are_printed(
    sessions: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chart", "sweep", *sessions, "--step", "update-index"]) == 0
    head, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert head[:4] == ["step", "threads", "contender", "value (queries/s)"]
    assert head[4:] == ["lowest (queries/s)", "highest (queries/s)", "n"]
    assert [(row[1], row[2], row[-1]) for row in rows] == [
        ("1", "innodb-preset0", "2"), ("1", "rocksdb-preset0", "2"),
        ("4", "innodb-preset0", "2"), ("4", "rocksdb-preset0", "2"),
    ]  # fmt: skip


def test_a_step_that_is_none_is_refused(
    sessions: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chart", "latency", *sessions, "--step", "points"]) == 2
    assert capsys.readouterr().err.startswith("dyno: no step 'points': say --step with one of load")


def test_a_chart_that_is_none_is_refused(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "pie", "last"]) == 2
    assert "invalid choice: 'pie'" in capsys.readouterr().err
