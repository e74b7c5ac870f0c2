"""What released versions have left behind is read for ever: journals, exports and history files."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from app.history.exchange.importing import import_session
from app.history.lists.sessions import sessions
from app.history.recorded.rebuilding import rebuild
from app.history.steps.figures import session_details
from app.history.store.history import History
from app.history.store.schema import VERSION
from tests.plans import MARIADB

RELEASED = sorted((Path(__file__).parents[2] / "data").glob("[0-9]*"))


def check(home: Path) -> None:
    with History(home) as history:
        (entry,) = sessions(history)
        shown = session_details(history, entry["id"])
    assert (entry["state"], entry["name"]) == ("completed", f"recorded-{MARIADB}-rocksdb")
    values = {step["name"]: step["value"] for step in shown["steps"]}
    assert round(values["point-query"] or 0) == 19074
    words = [(step["steadiness"] or {}).get("word") for step in shown["steps"]]
    assert words == [None, None, None, "too short to tell", "too short to tell"]


@pytest.mark.parametrize("folder", RELEASED, ids=lambda folder: folder.name)
class TestReleased:
    def test_its_journal_is_read(self, folder: Path, dyno_home: Path) -> None:
        (dyno_home / "journals").mkdir(parents=True)
        with (folder / "journal.jsonl").open() as file:
            session = file.readline().split('"session":"')[1].split('"')[0]
        shutil.copy(folder / "journal.jsonl", dyno_home / "journals" / f"{session}.jsonl")
        assert rebuild(dyno_home).problems == []
        check(dyno_home)

    def test_its_export_is_imported(self, folder: Path, dyno_home: Path) -> None:
        with History(dyno_home) as history:
            assert import_session(history, folder / "session.zip").new
        check(dyno_home)

    def test_the_history_is_opened(self, folder: Path, dyno_home: Path) -> None:
        """One of this version stays as it is; others get the tables of a new one."""
        dyno_home.mkdir()
        before = Path(shutil.copy(folder / "history.sqlite", dyno_home)).read_bytes()
        check(dyno_home)
        is_same = (dyno_home / "history.sqlite").read_bytes() == before
        assert is_same == (int.from_bytes(before[60:64], "big") == VERSION)
        with History(dyno_home) as history, History(dyno_home / "new") as new:
            assert tables(history) == tables(new)


def tables(history: History) -> list[tuple[str, ...]]:
    """Without the comments in them."""
    rows = history.query("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
    return [(*each, "".join(re.sub(r"--.*", "", sql or "").split())) for *each, sql in rows]
