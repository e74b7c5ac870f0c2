"""Where Dyno keeps its things: DYNO_HOME as people set it, and one line where it cannot be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.verdicts.judgement import verdict_limits
from app.core.errors import DynoError, InputError
from app.core.private import write_private
from app.core.settings import Settings, home, keep_settings, read_settings
from app.stats import VerdictLimits


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("", "is not absolute"),
        ("relative/path", "is not absolute"),
        ("~nobody-of-that-name/x", "is not absolute"),
        ("/etc/passwd", "/etc/passwd is a file"),
        ("/etc/passwd/below", "/etc/passwd is a file"),
        ("/proc/nothing", "cannot create" if os.geteuid() == 0 else "/proc may not be written to"),
    ],
)
def test_a_home_that_cannot_be_is_told_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], given: str, said: str
) -> None:
    monkeypatch.setenv("DYNO_HOME", given)
    assert main(["session", "list"]) in (1, 2)
    told = capsys.readouterr().err
    assert told.startswith("dyno: ") and told.count("\n") == 1
    assert said in told and "DYNO_HOME" in told


def test_a_home_that_may_not_be_written_to(dyno_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.core.home.os.access", lambda *_: False)
    with pytest.raises(InputError, match="may not be written to"):
        home()


def test_a_home_that_is_yet_to_be_made(dyno_home: Path) -> None:
    assert home() == dyno_home
    assert not dyno_home.exists()


def test_a_home_below_the_persons_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DYNO_HOME", "~/dyno")
    assert home() == tmp_path / "dyno"


def test_a_defect_is_told_where_no_log_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def list_sessions(_: object) -> float:
        return 1 / 0

    monkeypatch.setattr("app.cli.session.list_sessions", list_sessions)
    monkeypatch.setattr("app.cli.fetching.READERS", ())
    monkeypatch.setenv("DYNO_HOME", "relative")
    assert main(["session", "list"]) == 1
    told = capsys.readouterr().err
    assert "ZeroDivisionError" in told and "none were kept" in told


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DynoError, match="cannot be written") as caught:
        write_private(tmp_path / "file" / "settings.toml", b"")
    assert "\n" not in str(caught.value)
    (tmp_path / "folder").mkdir()
    with pytest.raises(DynoError, match="cannot be written"):
        write_private(tmp_path / "folder", b"")
    assert [path.name for path in tmp_path.iterdir()] in (["file", "folder"], ["folder", "file"])


def test_limits_of_verdicts_are_kept_and_bounded(tmp_path: Path) -> None:
    assert verdict_limits(read_settings(tmp_path)) == VerdictLimits(false_share=0.05, matters=0.02)
    keep_settings(Settings(matters_pct=3.5, false_share_pct=1), tmp_path)
    assert verdict_limits(read_settings(tmp_path)) == VerdictLimits(false_share=0.01, matters=0.035)
    for wrong in ("51", "-1", '"2"', "true"):
        (tmp_path / "settings.toml").write_text(f"matters_pct = {wrong}\n", encoding="utf-8")
        with pytest.raises(InputError, match="matters_pct cannot be"):
            read_settings(tmp_path)
