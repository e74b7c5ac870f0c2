"""`dyno run` up to the target: what it takes and refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.cli.run import duelists
from app.errors import TargetError
from tests.plans import build, survey


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that a command is refused with."""
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.startswith("dyno: ") and said.count("\n") == 1
    return said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["plan.toml"], "leave the plan file out, or --duel"),
        (["--sequence", "quick"], "leave --sequence out"),
        (["--rows", "5", "--warmup", "0"], "leave --warmup, --rows out"),
        (["--start-state", "loaded"], "leave --start-state out"),
        (["--target", "moon"], "there is no target 'moon'"),
    ],
)
def test_a_duel_settles_what_is_played(
    capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert said in refused(capsys, "run", "--duel", *words)


def test_a_duel_takes_the_first_build_that_can_play_it() -> None:
    broken = build("mariadb-11", "MariaDB", "11.4.1", ["innodb", "rocksdb"], "libaio.so.1 is missing")
    found = duelists("nuc", [broken, *survey()["builds"]])
    assert [(each.build, each.engine) for each in found] == [
        ("mariadb-10.11.19", "innodb"),
        ("mariadb-10.11.19", "rocksdb"),
    ]
    with pytest.raises(TargetError, match="nuc has no build with InnoDB and RocksDB: install mariadb-server"):
        duelists("nuc", [broken])


def test_an_empty_name_of_a_plan_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the name of the plan file is empty" in refused(capsys, "run", "")


def test_a_plan_file_that_is_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    assert "pipe: is no file" in refused(capsys, "run", str(tmp_path / "pipe"))
    assert f"{tmp_path}: is no file" in refused(capsys, "run", str(tmp_path))
