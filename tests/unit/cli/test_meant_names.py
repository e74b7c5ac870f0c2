"""*Did you mean*, for each kind of name that Dyno knows."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from app.history.store.history import History
from tests import comparable
from tests.unit.cli.words import refused

NAMES = ["before-the-patch", "after-the-patch"]


@pytest.fixture
def patched(dyno_home: Path) -> str:
    return " ".join(comparable.keep(dyno_home, comparable.plan(2, repeats=3, names=NAMES))[:2])


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("session show befor-the-patch", "before-the-patch"),
        ("compare after-the-pach", "after-the-patch"),
        ("gate {} --difference 3% --step point-qurey", "point-query"),
        ("compare {} --measure p95", "p95_ms"),
        ("compare {} --why update-idnex", "update-index"),
        ("chart seconds {} --step point-qury", "point-query"),
        ("chart seconds {} --step 'point-query threads=1' --series server.cpu_pc", "server.cpu_pct"),
        ("session series last point-query --threads 1 --series server.cpu_pc", "server.cpu_pct"),
        ("session list --state complete", "completed"),
        ("session list --plan a-plan", "a plan"),
    ],
)
def test_a_mistyped_name_comes_with_what_was_meant(
    words: str, meant: str, patched: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"(did you mean {meant}" in refused(capsys, *shlex.split(words.format(patched)))


def test_a_mistyped_key_of_a_plan_file_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "night.toml"
    file.write_text('sequence = "quick"\nthread = 3\n')
    assert "line 2: thread is not known here (did you mean threads?)" in refused(capsys, "run", str(file))
    file.write_text('sequence = "quick"\n[[contender]]\nbiuld = "x"\nengine = "innodb"\n')
    assert "biuld is not known here (did you mean build?)" in refused(capsys, "run", str(file))


def test_in_an_empty_history_nothing_is_meant(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home):
        pass
    assert "did you mean" not in refused(capsys, "session", "show", "before-the-patch")
