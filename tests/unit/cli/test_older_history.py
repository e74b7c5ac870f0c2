"""A history in which sessions wait: the command line counts what it reads before it reads it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.cli import main
from app.history.recorded.recounting import recount_backlog
from app.history.store.history import History
from tests.uncounted import LEFT, uncount
from tests.unit.history.test_counting import FIRST, SECOND
from tests.unit.history.test_recounting import fill

BOTH = (FIRST, SECOND)
COMMANDS = (
    ("session", "show", FIRST), ("session", "show", FIRST, "--json"), ("session", "show", "last", "--json"),
    ("session", "list", "--json"), ("session", "settings", FIRST),
    ("session", "series", FIRST, "update-index"),
    ("session", "cut", FIRST, "point-query", "10", "50"), ("session", "cut", FIRST, "update-index", "--undo"),
    ("compare", *BOTH), ("compare", *BOTH, "--json"), ("compare", *BOTH, "--why"),
    ("compare", *BOTH, "--pre"), ("compare", *BOTH, "--details", "--format", "md"),
    ("chart", "bars", *BOTH), ("report", *BOTH, "--out", "report.csv"),
)  # fmt: skip


@pytest.fixture(scope="module")
def today(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("today")
    fill(home)
    return home


def said(words: tuple[str, ...], home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints, or writes."""
    if "--out" in words:
        words = (*words[:-1], str(home / words[-1]))
    assert main(words) == 0
    out = capsys.readouterr().out
    return Path(words[-1]).read_text() if "--out" in words else out


@pytest.mark.parametrize("left", LEFT)
def test_every_command_says_what_it_says_of_a_history_of_today(
    today: Path,
    tmp_path: Path,
    left: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    old = shutil.copytree(today, tmp_path / "old")
    uncount(old, left)
    for at, words in enumerate(COMMANDS):
        told = []
        for source in (today, old):
            home = shutil.copytree(source, tmp_path / f"{at}-{source.name}")
            monkeypatch.setenv("DYNO_HOME", str(home))
            told.append(said(words, home, capsys))
        assert told[0] == told[1], words


def test_what_a_command_does_not_read_is_not_counted(
    today: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = shutil.copytree(today, tmp_path / "home")
    uncount(home)
    monkeypatch.setenv("DYNO_HOME", str(home))
    for words, left in ((("session", "list"), 2), (("session", "show", SECOND), 1)):
        assert main(words) == 0
        capsys.readouterr()
        with History(home) as history:
            assert recount_backlog(history) == left
