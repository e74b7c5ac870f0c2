"""What was deleted stays away, and comes back as it was where a person wants it."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import InputError
from app.following.adoption import RemotePlan, is_fully_fetched
from app.history.exchange.exporting import export
from app.history.exchange.importing import import_session
from app.history.lists import edits
from app.history.lists.sessions import session, sessions
from app.history.recorded.counting import Cut
from app.history.recorded.rebuilding import rebuild
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.steps import figures
from app.history.store.history import History
from app.protocol.answers import SessionJournalSize
from app.remote.target import Target
from tests import journals
from tests.journals import store

PLAN = journals.plan(
    [journals.contender("innodb"), journals.contender("rocksdb")], its_steps=journals.steps(seconds=12)
)
FIRST, SECOND = (turn.session for turn in PLAN.turns)
WHOLE = journals.whole(PLAN, FIRST, failed=3)


@pytest.fixture
def edited(history: History) -> History:
    """Two sessions; to the first one a person has added something of everything."""
    store(history, WHOLE, journals.whole(PLAN, SECOND))
    edits.rename(history, FIRST, "mine")
    edits.tag(history, FIRST, "quiet")
    edits.note(history, FIRST, "the window was open")
    edits.note(history, FIRST, "and the door")
    edits.count_only_seconds(history, FIRST, 1, Cut(0, 10, "a backup ran"))
    return history


def test_undone_it_is_what_it_was(edited: History) -> None:
    before = figures.session_details(edited, FIRST), edits.session_annotations(edited, FIRST)
    assert edits.delete(edited, "mine") == FIRST
    edits.note(edited, SECOND, "written meanwhile")
    assert edits.undelete(edited, FIRST)
    assert (figures.session_details(edited, FIRST), edits.session_annotations(edited, FIRST)) == before
    assert (edited.journals / f"{FIRST}.jsonl").read_bytes() == WHOLE.raw
    assert list(edited.trash.iterdir()) == []
    assert edited.query("SELECT * FROM deleted") == []


def test_a_lost_session_is_lost_when_it_is_back(history: History) -> None:
    store(history, journals.Maker(PLAN, FIRST).begin())
    record_unlocked_journals(history, [FIRST])
    edits.delete(history, FIRST)
    edits.undelete(history, FIRST)
    assert session(history, FIRST)["state"] == "lost"


def test_its_journal_does_not_bring_it_back(edited: History) -> None:
    edits.delete(edited, FIRST)
    writer = JournalStorer(edited)
    writer.recover(PLAN.id, FIRST)
    assert len(writer.append(PLAN.id, FIRST, 0, WHOLE.raw)) == 0
    lines = WHOLE.raw.splitlines(keepends=True)
    assert len(writer.append(PLAN.id, FIRST, len(WHOLE.raw) - len(lines[-1]), lines[-1])) == 0
    assert [each["id"] for each in sessions(edited)] == [SECOND]
    assert not (edited.journals / f"{FIRST}.jsonl").exists()


def test_it_is_not_fetched_again(edited: History) -> None:
    there = [SessionJournalSize(each, len(WHOLE.raw), True) for each in (FIRST, SECOND)]
    found = RemotePlan(Target("local"), "/d", PLAN.id, "a plan", "sha", False, there[:1])
    edits.delete(edited, FIRST)
    assert is_fully_fetched(found, edited.directory)
    edits.undelete(edited, FIRST)
    assert is_fully_fetched(found, edited.directory)


def test_a_rebuild_leaves_it_away(edited: History) -> None:
    edits.delete(edited, FIRST)
    assert rebuild(edited.directory).sessions == 1
    assert [each["id"] for each in sessions(edited)] == [SECOND]
    assert edits.undelete(edited, FIRST)


def test_imported_on_purpose_it_is_there_again(edited: History, tmp_path: Path) -> None:
    file = export(edited, FIRST, tmp_path / "session.zip")
    edits.delete(edited, FIRST)
    assert import_session(edited, file).new
    assert session(edited, "mine")["tags"] == ["quiet"]
    assert list(edited.trash.iterdir()) == []
    assert not JournalStorer(edited).is_deleted(FIRST)
    with pytest.raises(InputError, match="is not deleted"):
        edits.undelete(edited, FIRST)


def test_an_import_that_fails_leaves_it_deleted(edited: History, tmp_path: Path) -> None:
    file = export(edited, FIRST, tmp_path / "session.zip")
    edits.delete(edited, FIRST)
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(InputError):
        import_session(edited, file)
    assert edits.undelete(edited, FIRST)


def test_after_a_week_only_the_way_back_is_open(edited: History, monkeypatch: pytest.MonkeyPatch) -> None:
    edits.delete(edited, FIRST)
    monkeypatch.setattr("app.history.lists.edits.UNDO_S", 0.0)
    edits.delete(edited, SECOND)
    assert [path.stem for path in edited.trash.iterdir()] == [SECOND]
    assert JournalStorer(edited).is_deleted(FIRST)
    assert not edits.undelete(edited, FIRST)
    store(edited, WHOLE)
    assert [each["id"] for each in sessions(edited)] == [FIRST]


def test_it_is_named_by_its_id_or_the_end_of_it(edited: History) -> None:
    edits.delete(edited, FIRST)
    assert edits.find_deleted(edited, FIRST) == edits.find_deleted(edited, FIRST[-6:]) == FIRST
    with pytest.raises(InputError, match=f"the latest are: {FIRST}"):
        edits.find_deleted(edited, "mine")
