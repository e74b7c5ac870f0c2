"""Each command that reads something prints it as JSON too; those that write a file say what it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.cli.words import VERB, CommandWord, command_words
from app.history.store.history import History
from tests import comparable, journals
from tests.unit.cli.words import said
from tests.unit.comparison.test_self_test import keep, plan
from tests.unit.history.test_calibration import calibrated
from tests.unit.script.test_script import keep as keep_scripted

WITHOUT = {
    "it changes something": (
        "target add", "target edit", "target trust", "target clean", "target remove",
        "server add", "server edit", "server trust", "server clean", "server remove",
        "build install", "build note", "build remove", "preset new", "preset edit", "preset delete",
        "workload approve", "workload import", "snapshot delete",
        "queue move", "queue hold", "queue resume", "queue remove", "stop", "skip", "note", "profile",
        "plan pin", "plan unpin", "session rename", "session tag", "session note", "session delete",
        "session cut", "session undelete", "import", "history use", "history sync", "history fetch",
    ),
    "it shows what goes on until it is over: dyno status --watch --json": ("follow",),
    "it prints a script": ("completion",),
    "it is for people": ("help",),
}  # fmt: skip


def test_every_command_that_reads_prints_json() -> None:
    without = {each for names in WITHOUT.values() for each in names}
    lacking = {
        command for command, its in command_words().items() if not has_verbs(its) and not has_json(its)
    }
    assert without == {each.removeprefix("dyno ") for each in lacking}


def has_verbs(its: Sequence[CommandWord]) -> bool:
    return any(each.kind == VERB for each in its) or its[0].command == "dyno"


def has_json(its: Sequence[CommandWord]) -> bool:
    return any("--json" in each.names for each in its)


# what was written


@pytest.fixture
def both_ids(dyno_home: Path) -> list[str]:
    return list(comparable.keep(dyno_home, comparable.plan(2, repeats=2))[:2])


def written(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(said(capsys, *words, "--json"))


@pytest.mark.parametrize("ending", ["html", "md", "csv"])
def test_a_report_says_what_it_is(
    both_ids: list[str], ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"r.{ending}"
    found = written(capsys, "report", *both_ids, "--base", both_ids[1], "--out", str(file))
    size = file.stat().st_size
    assert found == {"path": str(file), "format": ending, "bytes": size, "sessions": both_ids[::-1]}


def test_a_path_is_absolute(
    both_ids: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert written(capsys, "chart", "bars", *both_ids, "--out", "bars.csv")["path"] == str(
        tmp_path / "bars.csv"
    )


def test_a_chart_says_what_it_is_or_has_its_numbers(
    both_ids: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bars.csv"
    found = written(capsys, "chart", "bars", *both_ids, "--out", str(file))
    assert found == {"path": str(file), "format": "csv", "bytes": file.stat().st_size, "sessions": both_ids}
    numbers = written(capsys, "chart", "bars", *both_ids)
    assert numbers["chart"] == "bars" and numbers["heads"][0] == "group"
    assert len(numbers["rows"]) == len(file.read_text().splitlines()) - 1
    assert {len(row) for row in numbers["rows"]} == {len(numbers["heads"])}


@pytest.mark.parametrize(("options", "form"), [((), "zip"), (("--openmetrics",), "openmetrics")])
def test_an_export_says_what_it_is(
    both_ids: list[str],
    options: tuple[str, ...],
    form: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "exported"
    found = written(capsys, "session", "export", both_ids[0], str(file), *options)
    assert found == {
        "path": str(file),
        "format": form,
        "bytes": file.stat().st_size,
        "sessions": both_ids[:1],
    }


def test_a_script_is_a_folder(dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home) as history:
        session = keep_scripted(history, journals.contender()).turns[0].session
    folder = tmp_path / "script"
    found = written(capsys, "session", "script", session, "--out", str(folder))
    assert (found["path"], found["format"], found["sessions"]) == (str(folder), "script", [session])
    assert found["bytes"] > (folder / "run.sh").stat().st_size > 0


def test_an_export_of_all_sessions_names_them(
    both_ids: list[str], dyno_home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    found = written(capsys, "history", "export", "--parquet", str(tmp_path / "all"))
    assert {*both_ids} < {*found["sessions"]} and found["format"] == "parquet" and found["bytes"] > 1000


# what was read


def test_two_presets_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    found = written(capsys, "preset", "diff", "innodb", "baseline", "stock")
    assert [each["name"] for each in found["presets"]] == ["baseline", "stock"] and found["build"] is None
    assert found["lines"][0] == "--- innodb/baseline"
    assert written(capsys, "preset", "diff", "innodb", "baseline", "baseline")["lines"] == []


def test_what_is_wrong_with_custom_sql(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.sql").write_text("nonsense\n")
    assert main(["workload", "check", str(tmp_path / "a.sql"), "--json"]) == 2
    out, error = capsys.readouterr()
    assert not error and [each["line"] for each in json.loads(out)] == [1]


def test_the_latest_calibration(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home) as history:
        calibrated(history)
    found = written(capsys, "target", "calibrate", "local", "--last")
    assert found["self_test"] is None
    assert found["sessions"] == 4 and found["shared"]["deviation"] == pytest.approx(0.0514, abs=0.0001)
    assert found["shared"]["low"] < found["shared"]["deviation"] < found["shared"]["high"]
    first = found["smallest_differences"][0]
    assert first["minutes"] == 10 and first["shared"] > first["own"] > 0
    with History(dyno_home) as history:
        keep(history, plan(number=2))
    tested = written(capsys, "target", "calibrate", "local", "--last")["self_test"]
    assert tested["in_slices"] and [each["pct"] for each in tested["differences"]] == [3, 10]
    assert [each["found_after"] for each in tested["differences"]] == [3, 3]
