"""What commands print names binary units; JSON and the unit columns of CSV keep the stored ones."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from app.cli import main
from app.cli.plan_text import show_plan
from app.comparison.cells.measures import MEASURES
from app.planner.estimate.estimate import estimate
from tests import comparable
from tests.plans import MARIADB, plan, survey

DECIMAL = re.compile(r"\b[KMGT]B\b")
COMPRESSED = {"compression": {"in_force": "pages of 8 KB", "tables": []}}  # as sessions of before have it


@pytest.fixture
def in_units(dyno_home: Path) -> tuple[str, ...]:
    return comparable.keep(dyno_home, comparable.plan(2, repeats=3), facts=COMPRESSED)


COMMANDS = (
    *(f"compare --measure {each.name}" for each in MEASURES),
    "compare --format md --measure read_kb",
    "compare --why",
    "compare --why update-index",
    "compare --pre",
    "chart sweep --step update-index --measure read_kb",
    "chart seconds --step 'update-index threads=4' --series disk.write_kb",
)


def test_comparisons_and_charts(in_units: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        first, _, rest = command.partition(" --")
        assert main([*first.split(), *in_units, *shlex.split(f"--{rest}")]) == 0, command
        printed = capsys.readouterr()
        assert printed.out and not DECIMAL.search(printed.out + printed.err), command


def test_a_chart_says_the_binary_unit(in_units: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chart", "sweep", *in_units, "--step", "update-index", "--measure", "read_kb"]) == 0
    assert "value (KiB/query)" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["html", "md"])
def test_reports(in_units: tuple[str, ...], tmp_path: Path, form: str) -> None:
    out = tmp_path / f"report.{form}"
    assert main(["report", *in_units, "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert "pages of 8 KiB" in text and not DECIMAL.search(text)


def test_a_session(in_units: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["session", "show", in_units[0]]) == 0
    text = capsys.readouterr().out
    assert "tables MiB" in text and not DECIMAL.search(text)


def test_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    shown = plan(f"{MARIADB}:rocksdb")
    show_plan(shown, estimate(shown, survey()))
    text = capsys.readouterr().out
    assert "GiB" in text and not DECIMAL.search(text)


def test_stored_units_stay(in_units: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Scripts read them."""
    assert main(["compare", *in_units, "--measure", "read_kb", "--json"]) == 0
    assert "KB/query" in {row["unit"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert main(["chart", "bars", *in_units, "--measure", "read_kb"]) == 0
    assert ",KB/query," in capsys.readouterr().out
