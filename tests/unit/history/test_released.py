"""What released versions have left behind is read for ever: journals, exports and history files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from app.history.exchange.importing import import_session
from app.history.lists.sessions import sessions
from app.history.recorded.rebuilding import rebuild
from app.history.steps.figures import show
from app.history.store.history import History
from app.history.store.schema import VERSION

DATA = Path(__file__).parents[2] / "data"
RELEASED = sorted(DATA.glob("[0-9]*"))
HISTORIES = sorted(DATA.glob("history-*.sqlite"))  # one of every version that ever was, but this one


def check(home: Path) -> None:
    with History(home) as history:
        (entry,) = sessions(history)
        shown = show(history, entry["id"])
    assert (entry["state"], entry["name"]) == ("completed", "recorded-rocksdb")
    values = {step["name"]: step["value"] for step in shown["steps"]}
    assert round(values["point-query"] or 0) == 19074


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


@pytest.mark.parametrize("file", HISTORIES, ids=lambda file: file.stem)
def test_a_history_of_an_older_version_is_opened(file: Path, dyno_home: Path) -> None:
    dyno_home.mkdir()
    shutil.copy(file, dyno_home / "history.sqlite")
    check(dyno_home)
    with History(dyno_home) as history:
        words = [(step["steadiness"] or {}).get("word") for step in show(history, "last")["steps"]]
    assert words == [None, None, None, "too short to tell", "too short to tell"]


def test_the_version_before_this_one_is_kept() -> None:
    assert DATA / f"history-{VERSION - 1}.sqlite" in HISTORIES
