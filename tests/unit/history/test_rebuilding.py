"""Rebuilt from the kept journals, the history is what it was; what a person added stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.history.lists import edits
from app.history.lists.sessions import sessions
from app.history.recorded.rebuilding import history_file_fault, rebuild
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.steps import figures
from app.history.steps.series import series
from app.history.store.history import History, HistoryBusyError
from app.history.store.schema import DERIVED_TABLES, OWNED_TABLES
from tests import journals

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")])
IDS = [turn.session for turn in PLAN.turns]
OTHER = journals.plan(number=2)


def fill(home: Path) -> None:
    with History(home) as history:
        running = journals.Maker(OTHER).begin()
        running.step(0)
        running.start_step(1)
        running.samples(1, range(-2, 3))
        makers = [journals.whole(PLAN, IDS[0]), journals.whole(PLAN, IDS[1], failed=2), running]
        for maker in makers:
            JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.raw)
        edits.rename(history, IDS[0], "mine")
        edits.tag(history, IDS[1], "quiet")
        edits.note(history, IDS[1], "noted")
        edits.set_colour(history, sessions(history)[1]["contender_key"], 5)
        record_unlocked_journals(history, [running.session])


def everything(home: Path) -> object:
    with History(home) as history:
        shown = [figures.session_details(history, each["id"]) for each in sessions(history)]
        values = [
            series(history, each["id"], step["name"], threads=step["coordinates"].get("threads"))
            for each in shown
            for step in each["steps"]
        ]
        return shown, values, compare(history, IDS)


def test_rebuilt_it_is_what_it_was(tmp_path: Path) -> None:
    fill(tmp_path)
    before = everything(tmp_path)
    rebuilt = rebuild(tmp_path)
    assert (rebuilt.sessions, rebuilt.problems) == (3, [])
    assert everything(tmp_path) == before


def test_from_nothing_but_journals(tmp_path: Path) -> None:
    fill(tmp_path)
    for file in tmp_path.glob("history.sqlite*"):
        file.unlink()
    assert rebuild(tmp_path).sessions == 3
    with History(tmp_path) as history:
        assert [each["state"] for each in sessions(history)] == ["completed", "completed", "active"]


def test_a_damaged_file_is_set_aside_and_what_was_added_saved(tmp_path: Path) -> None:
    fill(tmp_path)
    before = everything(tmp_path)
    file = tmp_path / "history.sqlite"
    with History(tmp_path) as history:
        page = history.one("SELECT rootpage FROM sqlite_master WHERE name = 'step'")
    assert page is not None
    raw = bytearray(file.read_bytes())
    raw[(page[0] - 1) * 4096 : page[0] * 4096] = b"\x99" * 4096
    file.write_bytes(raw)
    assert history_file_fault(file) == "damaged"
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 3
    assert "history-damaged-1.sqlite" in rebuilt.problems[0] and len(rebuilt.problems) == 1
    assert everything(tmp_path) == before


@pytest.mark.parametrize("table", [*OWNED_TABLES, *DERIVED_TABLES])
def test_a_lost_table_is_told_and_a_rebuild_makes_every_table_anew(
    dyno_home: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    """Doctor called such a file sound, and the rebuild ended as a defect."""
    fill(dyno_home)
    before, file = everything(dyno_home), dyno_home / "history.sqlite"
    assert history_file_fault(file) == ""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"DROP TABLE {table}")
    assert main(["doctor"]) == 1
    assert f"{file}: damaged, it lacks" in (said := capsys.readouterr().out) and f"table {table}" in said
    for words in (["session", "list"], ["session", "show", "last"], ["session", "tag", IDS[0], "x"]):
        assert main(words) in (0, 1)
        error = capsys.readouterr().err
        assert "did not expect" not in error and error.count("\n") <= 1
    assert main(["doctor", "--rebuild"]) == 1
    said = capsys.readouterr().out
    assert "the history file was damaged, it lacks" in said and "history-damaged-1.sqlite" in said
    assert "rebuilt from the stored journals: 3 sessions" in said and main(["doctor"]) == 0
    if table in DERIVED_TABLES:
        with History(dyno_home) as history, suppress(InputError):
            edits.untag(history, IDS[0], "x")  # where it could be added
        assert everything(dyno_home) == before


def test_a_file_of_before_the_first_version_is_set_aside_and_what_was_added_saved(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dyno_home)
    before, file = everything(dyno_home), dyno_home / "history.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript("DROP TABLE deleted; DROP TABLE uncounted; PRAGMA user_version = 5")
    assert main(["session", "list"]) == 1
    assert capsys.readouterr().err == (
        f"dyno: {file} is of a Dyno before 0.1.0: rebuild it with `dyno doctor --rebuild`\n"
    )
    assert main(["doctor"]) == 1
    assert f"{file}: of a Dyno before 0.1.0: to rebuild it from the j" in capsys.readouterr().out
    assert main(["doctor", "--rebuild"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "rebuilt from the stored journals: 3 sessions",
        f"the history file was of a Dyno before 0.1.0; it is now {dyno_home / 'history-old-1.sqlite'}",
    ]
    assert everything(dyno_home) == before


def test_a_file_that_another_process_has_locked_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path)
    connect = sqlite3.connect
    with closing(connect(tmp_path / "history.sqlite", isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(sqlite3, "connect", lambda path: connect(path, timeout=0.1))
        with pytest.raises(HistoryBusyError, match="another process has locked it"):
            rebuild(tmp_path)
    assert not list(tmp_path.glob("history-damaged*"))


def test_what_only_the_damaged_file_has_is_named(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "journals" / f"{IDS[0]}.jsonl").unlink()
    with History(tmp_path) as history:
        history.connection.execute("DROP TABLE log")
    rebuilt = rebuild(tmp_path)
    damaged = tmp_path / "history-damaged-1.sqlite"
    assert rebuilt.problems == [
        f"the history file was damaged, it lacks table log; it is now {damaged}",
        f"session {IDS[0]} has no journal here: only {damaged} has what is left of it",
    ]


def test_a_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    fill(tmp_path)
    for ending in ("-wal", "-shm"):
        (tmp_path / f"history.sqlite{ending}").unlink(missing_ok=True)
    (tmp_path / "history.sqlite").write_bytes(b"nothing of use " * 1000)
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 3
    assert any("the damaged history could not be read" in problem for problem in rebuilt.problems)


def test_a_damaged_journal_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / "journals" / f"{IDS[0]}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    raw = b"".join([*lines[:20], b"\0" * 500 + b"\n", *lines[21:]])
    path.write_bytes(raw)
    rebuilt = rebuild(tmp_path)
    assert len(rebuilt.problems) == 1 and IDS[0] in rebuilt.problems[0]
    assert path.read_bytes() == raw, "what was kept is never thrown away"
    with History(tmp_path) as history:
        assert JournalStorer(history).seq(IDS[0]) == 20
        entry = sessions(history, ids=[IDS[0]])[0]
        assert entry["state"] == "lost" and entry["unread"]
        assert "cannot be read from event 21 on" in entry["reason"]


@pytest.mark.parametrize("damage", [b"\xff", b"\xed\xa0\x80", b"\x00", b"\n", b'"', b"\\ud800"])
def test_one_damaged_byte_costs_the_rest_of_one_journal(tmp_path: Path, damage: bytes) -> None:
    """A byte that is not UTF-8 once ended the rebuild of the whole history."""
    fill(tmp_path)
    path = tmp_path / "journals" / f"{IDS[0]}.jsonl"
    raw = path.read_bytes()
    at = raw.index(b"page cleaner took")
    path.write_bytes(raw[:at] + damage + raw[at:])
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 3
    assert all(str(path) in problem for problem in rebuilt.problems)
    with History(tmp_path) as history:
        states = {entry["id"]: entry["state"] for entry in sessions(history)}
    assert len(states) == 3 and states[IDS[1]] == "completed"


def test_a_session_whose_journal_is_gone_stays(tmp_path: Path) -> None:
    fill(tmp_path)
    before = everything(tmp_path)
    (tmp_path / "journals" / f"{IDS[0]}.jsonl").unlink()
    rebuilt = rebuild(tmp_path)
    assert rebuilt.problems == [f"session {IDS[0]} has no journal here: not rebuilt"]
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b'{"kind":"session_planned","seq":1,"protocol":"2.0"}\n', "protocol 2.0, this Dyno reads 1.4"),
        (b"", "is empty"),
        (
            journals.whole(PLAN).raw[:500],
            "last line is incomplete; 500 of its 500 bytes stay unread in the file",
        ),
        (b"\x00" * 4096 + b"\n", "cannot be read from event 1"),
        (b"x" * (3 << 20), "a line has more than"),
    ],
)
def test_a_journal_that_cannot_be_read_is_named_and_kept(tmp_path: Path, raw: bytes, said: str) -> None:
    (tmp_path / "journals").mkdir()
    path = tmp_path / "journals" / "SOMEBODYS-OWN.jsonl"
    path.write_bytes(raw)
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 0
    assert len(rebuilt.problems) == 1
    assert str(path) in rebuilt.problems[0] and said in rebuilt.problems[0]
    assert path.read_bytes() == raw


@pytest.mark.parametrize("name", ["a b.jsonl", "x.jsonl"])
def test_what_is_no_journal_hides_no_other(tmp_path: Path, name: str) -> None:
    fill(tmp_path)
    (tmp_path / "journals" / name).mkdir()
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 3
    assert len(rebuilt.problems) == 1 and name in rebuilt.problems[0]


@pytest.mark.parametrize("raw", [b"", b"nothing of a journal\n", b"torn"])
def test_what_its_journal_cannot_give_back_stays(tmp_path: Path, raw: bytes) -> None:
    fill(tmp_path)
    before = everything(tmp_path)
    (tmp_path / "journals" / f"{IDS[0]}.jsonl").write_bytes(raw)
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 2
    assert len(rebuilt.problems) == 1 and "the stored session is unchanged" in rebuilt.problems[0]
    assert everything(tmp_path) == before


def test_a_cut_journal_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    fill(tmp_path)
    path = tmp_path / "journals" / f"{IDS[0]}.jsonl"
    raw = path.read_bytes()[:-10]
    path.write_bytes(raw)
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 3
    assert len(rebuilt.problems) == 1 and "its last line is incomplete" in rebuilt.problems[0]
    assert path.read_bytes() == raw
    with History(tmp_path) as history:
        assert sessions(history, ids=[IDS[0]])[0]["state"] == "active"


def test_a_journal_of_a_deleted_session_is_left_where_it_is(tmp_path: Path) -> None:
    fill(tmp_path)
    raw = (tmp_path / "journals" / f"{IDS[0]}.jsonl").read_bytes()
    with History(tmp_path) as history:
        edits.delete(history, IDS[0])
    (tmp_path / "journals" / f"{IDS[0]}.jsonl").write_bytes(raw)
    rebuilt = rebuild(tmp_path)
    assert rebuilt.sessions == 2
    assert "dyno session undelete" in rebuilt.problems[0]


def test_an_empty_history_is_not_called_sound_where_journals_lie_beside_it(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(dyno_home)
    assert main(["doctor"]) == 0
    file = dyno_home / "history.sqlite"
    for ending in ("-wal", "-shm"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
    said = f"3 journals of {dyno_home / 'journals'}: dyno doctor --rebuild reads them"
    file.write_bytes(b"")
    assert main(["doctor"]) == 1
    file.unlink()
    assert main(["doctor"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith(str(file))] == [
        f"{file}: sound",
        f"{file}: incomplete, it lacks {said}",
        f"{file}: missing, there are {said}",
    ]
    assert main(["doctor", "--rebuild"]) == 0
    assert main(["doctor"]) == 0
