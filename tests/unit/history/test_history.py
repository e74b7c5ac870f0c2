"""The file itself: made, migrated, refused, shared."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from app.history.lists import edits
from app.history.recorded.rebuilding import rebuild
from app.history.steps.figures import session_details
from app.history.store import schema
from app.history.store.history import History, HistoryBusyError, HistoryError
from tests import journals
from tests.journals import store

NEXT = schema.VERSION + 1


def test_it_is_made_where_it_is_not(tmp_path: Path) -> None:
    with History(tmp_path / "a" / "b") as history:
        assert history.one("PRAGMA journal_mode") == ("wal",)
        assert history.one("PRAGMA foreign_keys") == (1,)
        assert history.one("PRAGMA user_version") == (schema.VERSION,)
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_newer_one_is_refused(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        history.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(HistoryError, match=r"version 99, this Dyno reads up to \d+: update Dyno"):
        History(tmp_path)


@pytest.mark.parametrize("version", [1, schema.FIRST - 1])
def test_one_of_before_the_first_version_is_refused(tmp_path: Path, version: int) -> None:
    with History(tmp_path) as history:
        history.connection.execute(f"PRAGMA user_version = {version}")
    before = (tmp_path / "history.sqlite").read_bytes()
    with pytest.raises(HistoryError, match=r"is of a Dyno before 0\.1\.0: rebuild it with"):
        History(tmp_path)
    assert (tmp_path / "history.sqlite").read_bytes() == before


def test_what_no_journal_could_give_back_is_copied_before_it_is_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with History(tmp_path) as history:
        session = journals.plan().turns[0].session
        store(history, journals.whole(journals.plan()))
        edits.tag(history, session, "quiet")
        before = session_details(history, session)

    copy = tmp_path / f"history-{schema.VERSION}.sqlite"
    copy.write_bytes(b"half a copy")
    with monkeypatch.context() as patched:
        patched.setattr(
            "app.history.store.history.MIGRATIONS",
            {**schema.MIGRATIONS, NEXT: "ALTER TABLE session ADD COLUMN mood TEXT"},
        )
        patched.setattr("app.history.store.history.VERSION", NEXT)
        with History(tmp_path) as history:
            assert history.query("SELECT mood FROM session") == [(None,)]
    for part in tmp_path.glob("history.sqlite*"):
        part.unlink()
    copy.rename(tmp_path / "history.sqlite")
    assert rebuild(tmp_path).problems == []
    with History(tmp_path) as history:
        assert session_details(history, session) == before


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    History(tmp_path).close()

    fails = "ALTER TABLE session ADD COLUMN mood TEXT;\nDROP TABLE nowhere"
    with monkeypatch.context() as patched:
        patched.setattr("app.history.store.history.MIGRATIONS", {**schema.MIGRATIONS, NEXT: fails})
        patched.setattr("app.history.store.history.VERSION", NEXT)
        with pytest.raises(sqlite3.OperationalError):
            History(tmp_path)
    with History(tmp_path) as history:
        assert "mood" not in [row[1] for row in history.query("PRAGMA table_info(session)")]


def test_a_file_that_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite").write_bytes(b"no database at all, " * 100)
    with pytest.raises(HistoryError, match="dyno doctor --rebuild") as caught:
        History(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(HistoryError, match="file"):
        History(tmp_path / "file" / "home")


def test_several_may_make_it_at_once(tmp_path: Path) -> None:
    failures: list[Exception] = []

    def make() -> None:
        try:
            History(tmp_path).close()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert failures == []


def test_the_tables_are_all_named(tmp_path: Path) -> None:
    """A rebuild would forget a derived one that is not listed, and lose an owned one."""
    with History(tmp_path) as history:
        tables = {name for (name,) in history.query("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {*schema.DERIVED_TABLES, *schema.OWNED_TABLES}


def test_a_busy_file_is_told_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.history.store.history.BUSY_S", 0.01)
    with (
        History(tmp_path) as one,
        History(tmp_path) as other,
        one.transaction(),
        pytest.raises(HistoryBusyError, match="try again"),
        other.transaction(),
    ):
        pass


def test_the_switch_to_writing_ahead_waits_for_others(tmp_path: Path) -> None:
    """SQLite itself does not, with a file that somebody else is just making."""
    other = sqlite3.connect(tmp_path / "history.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE t (x)")
    timer = threading.Timer(0.2, other.execute, ["ROLLBACK"])
    timer.start()
    with History(tmp_path) as history:
        assert history.one("PRAGMA journal_mode") == ("wal",)
    timer.join()
    other.close()


def test_who_comes_second_migrates_and_copies_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy of the file as it was stays so: another process has been faster between two looks."""
    History(tmp_path).close()
    monkeypatch.setattr("app.history.store.history.VERSION", NEXT)
    monkeypatch.setattr("app.history.store.history.MIGRATIONS", {**schema.MIGRATIONS, NEXT: ""})
    seen = iter([schema.VERSION, NEXT])
    monkeypatch.setattr(History, "_version", lambda _: next(seen))
    History(tmp_path).close()
    assert not list(tmp_path.glob("history-*.sqlite"))
