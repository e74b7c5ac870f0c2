"""`dyno chart`: CSV on the standard output, and what is refused."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.charts.request import ChartRequest
from tests import comparable
from tests.plans import MARIADB


@pytest.fixture
def charted(dyno_home: Path) -> tuple[str, ...]:
    failed = {(0, "read-only"), (1, "read-only")}
    return comparable.keep(dyno_home, comparable.plan(2, repeats=2), failed)


def test_the_numbers_of_a_chart_are_printed(
    charted: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["chart", "sweep", *charted, "--step", "update-index"]) == 0
    head, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert head[:4] == ["step", "threads", "contender", "value (queries/s)"]
    assert head[4:] == ["lowest (queries/s)", "highest (queries/s)", "n"]
    assert [(row[1], row[2], row[-1]) for row in rows] == [
        ("1", f"{MARIADB}-innodb-preset0", "2"), ("1", f"{MARIADB}-rocksdb-preset0", "2"),
        ("4", f"{MARIADB}-innodb-preset0", "2"), ("4", f"{MARIADB}-rocksdb-preset0", "2"),
    ]  # fmt: skip


def test_a_step_that_is_none_is_refused(charted: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "latency", *charted, "--step", "points"]) == 2
    assert capsys.readouterr().err.startswith("dyno: no step 'points': choose one with --step: load")


def test_seconds_of_the_warm_up_are_numbers_too(
    charted: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """A text that begins with a minus is made harmless for spreadsheets; a number is none."""
    assert main(["chart", "seconds", charted[0], "--step", "update-index threads=1"]) == 0
    _, *rows = csv.reader(capsys.readouterr().out.splitlines())
    assert [float(row[0]) for row in rows] == [-2, -1, 0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["sweep", "--step", "load"], "load has no sweep over threads"),
        (["sweep", "--step", "update-index", "--over", "cores"], "update-index has no sweep over cores"),
        (["latency", "--step", "read-only threads=1"], "read-only threads=1: no latencies were counted"),
        (["bars", "--measure", "written_kb"], "No step has a result of this measure."),
    ],
)
def test_a_chart_of_nothing_is_refused(
    charted: tuple[str, ...], capsys: pytest.CaptureFixture[str], words: list[str], told: str
) -> None:
    assert main(["chart", words[0], *charted, *words[1:]]) == 2
    assert capsys.readouterr() == ("", f"dyno: {told}\n")


def test_a_chart_that_is_none_is_refused(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "pie", "last"]) == 2
    assert "invalid choice: 'pie'" in capsys.readouterr().err


# as a file


def test_numbers_go_into_a_file(
    charted: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bars.csv"
    assert main(["chart", "bars", *charted, "--out", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}\n"
    assert main(["chart", "bars", *charted]) == 0
    assert path.read_text() == capsys.readouterr().out


def test_a_picture_is_drawn_by_whoever_can(charted: tuple[str, ...], tmp_path: Path) -> None:
    asked: list[tuple[ChartRequest, Path]] = []
    words = ["chart", "bars", *charted, "--absolute", "--out", str(tmp_path / "bars.svg")]
    assert main(words, lambda *of: asked.append(of)) == 0
    assert asked == [(ChartRequest("bars", list(charted), is_relative=False), tmp_path / "bars.svg")]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("bars.pdf", "the name of a chart must end with .png, .svg, .csv"),
        ("there.csv", "exists already: choose another name"),
        ("missing/bars.csv", "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be(
    charted: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str,
    told: str,
) -> None:
    (tmp_path / "there.csv").touch()
    assert main(["chart", "bars", *charted, "--out", str(tmp_path / name)]) != 0
    assert told in capsys.readouterr().err
