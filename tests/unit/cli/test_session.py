"""`dyno session` as people read it: what is shown, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.cli import main
from app.history.lists import edits
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact, LogEvent, MomentEvent
from tests import journals
from tests.unit.cli.words import refused, said

PLAN = journals.plan()
ID = PLAN.turns[0].session


@pytest.fixture
def told_session(dyno_home: Path) -> None:
    """A session with everything that can be said of one."""
    maker = journals.Maker(PLAN).begin()
    maker.add(Fact, name="disk", value={"model": None, "disks": ["sda", "sdb"], "parts": [{"n": 1}]})
    start = {"load": "snapshot 06e6, copied", "start": "snapshot", "pause_s": 3}
    maker.add(Fact, name="start_state", value=start)
    for level, text in (("warning", "it begins on \x1b[2Ja busy machine"), ("info", "it waits")):
        maker.add(LogEvent, source="agent", level=level, text=text)
    maker.add(LogEvent, source="agent", level="warning", text="disturbed: other programs took 5%")
    maker.add(MomentEvent, name="crash", text="the server crashed by signal 9", value=None)
    for at in range(len(PLAN.steps)):
        maker.step(at, *(("failed", "error 1205") if at == 3 else ()))
    maker.events[-1].marks.append("after-a-crash")
    with History(dyno_home) as history:
        JournalStorer(history).append(PLAN.id, ID, 0, maker.end().raw)
        edits.tag(history, ID, "quiet")
        edits.note(history, ID, "the window\nwas open \x1b[2J")


@pytest.mark.usefixtures("told_session")
def test_what_was_said_of_a_session_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "session", "show", "last")
    assert "start: from snapshot 06e6, copied, 3 s of pause before" in shown
    assert "tags: quiet" in shown
    assert "after-a-crash" in shown
    assert "too short to tell: a step needs 25 measured seconds or more to be called steady" in shown
    assert "crash the server crashed by signal 9" in shown
    assert "\nwarnings\nsecond 0: it begins on \\x1b[2Ja busy machine\n\nmarks" in shown
    assert "the window\n    was open \\x1b[2J" in shown
    assert "\x1b" not in shown


@pytest.mark.usefixtures("told_session")
def test_settings_are_a_line_for_each_value(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "session", "settings", "last")
    assert "innodb_buffer_pool_size = 1073741824" in shown
    assert "model = unknown\ndisks = sda sdb\nparts:\n  n = 1\n" in shown
    assert "cpu:\n  model = a CPU\n" in shown
    assert not any(python in shown for python in ("{'", "None", "['"))


@pytest.mark.usefixtures("told_session")
def test_one_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "completed, 1 failed step " in said(capsys, "session", "list")
    assert "rebuilt from the stored journals: 1 session\n" in said(capsys, "doctor", "--rebuild")


@pytest.mark.parametrize("limit", ["0", "-1", "9" * 30, "x", "1_0", ""])
def test_a_limit_is_a_number_of_sessions(capsys: pytest.CaptureFixture[str], limit: str) -> None:
    assert "--limit" in refused(capsys, "session", "list", "--limit", limit)


@pytest.mark.parametrize(
    "words",
    [
        ("session", "show", "\udcff"),
        ("session", "list", "--tag", "\udcff"),
        ("session", "tag", "last", "\udcff"),
        ("import", "\udcff.zip"),
        ("run", "\udcff.toml"),
        ("note", "\udcff"),
    ],
)
def test_words_that_are_no_text_are_refused(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert "not UTF-8" in refused(capsys, *words)


@pytest.mark.usefixtures("told_session")
def test_deleted_and_brought_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"dyno session undelete {ID}" in said(capsys, "session", "delete", "last")
    assert ID[-6:] not in said(capsys, "session", "list")
    assert "nothing" in refused(capsys, "session", "undelete", "nothing")
    assert f"{ID}: is back" in said(capsys, "session", "undelete", ID[-6:])
    assert ID[-6:] in said(capsys, "session", "list")


@pytest.mark.usefixtures("told_session")
def test_a_file_without_a_name_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert "the file name is empty" in refused(capsys, "session", "export", "last", "")
    assert list((tmp_path / "here").iterdir()) == []


def test_what_was_typed_is_not_repeated_for_pages(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(refused(capsys, "target", "add", "x", "--port", "9" * 5000)) < 600


@pytest.fixture
def stepped(dyno_home: Path) -> None:
    """A session whose writes fall to three fifths after 20 of their 60 seconds."""
    its_plan = journals.plan(its_steps=journals.steps(threads=(1,), seconds=60))
    maker = journals.Maker(its_plan).begin()
    maker.value = lambda position, s: 1.0 if position else 30_000.0 if s >= 20 else 50_000.0  # type: ignore[method-assign]
    for at in range(2):
        maker.step(at, value=36_666.0)
    with History(dyno_home) as history:
        JournalStorer(history).append(its_plan.id, ID, 0, maker.raw)


@pytest.mark.usefixtures("stepped")
def test_which_seconds_count_is_said_and_taken_back(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "session", "show", "last")
    assert "two levels: from about second 21 on throughput is 40% lower" in shown
    told = said(capsys, "session", "cut", "last", "point-query", "20", "60", "--reason", "a backup ran")
    assert told == (
        "point-query threads=1: 30,000 queries/s, seconds 20 to 60 of 60 (a backup ran);"
        " steady: no trend of 5% or more, no two levels, no stall in 40 seconds\n"
    )
    shown = said(capsys, "session", "show", "last")
    assert "two levels" not in shown and "  cut\n" in shown
    assert (
        "point-query threads=1: seconds 20 to 60 of 60 (a backup ran); of all 60 it is 36,666 queries/s;"
        " latency and costs cover the whole step\n"
    ) in shown
    told = said(capsys, "session", "cut", "last", "point-query threads=1", "--undo")
    assert told.startswith("point-query threads=1: 36,666 queries/s, all of its seconds count; unsteady: two")


@pytest.mark.usefixtures("stepped")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("point-query", "40", "40"), "the end must be after the start"),
        (("point-query", "20", "61"), "the step only has seconds 0 to 60"),
        (("point-query", "20", "25"), "at least 10 are needed"),
        (("point-query", "20"), "the first and the last second that count"),
        (("point-query",), "the first and the last second that count"),
        (("point-query", "20", "60", "--undo"), "or --undo"),
        (("point-query", "--undo"), "all seconds of this step count already"),
        (("nothing", "20", "60"), "no step 'nothing'"),
        (("load", "20", "60"), "seconds can be chosen only for a timed step"),
        (("point-query", "20", "60", "--reason", "two\nlines"), "a reason must be one line"),
    ],
)
def test_seconds_that_cannot_stand_for_a_step(
    words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert why in refused(capsys, "session", "cut", "last", *words)


def test_published_sessions_are_marked(capsys: pytest.CaptureFixture[str], dyno_home: Path) -> None:
    said(capsys, "import", "--published")
    lines = said(capsys, "session", "list").splitlines()[1:]
    assert len(lines) == 21 and all("  published  " in line for line in lines)
    shown = said(capsys, "session", "show", "innodb-8.0.3-i5")
    assert "published, n = 1" in shown and "published by Mark Callaghan, 2017-11" in shown


def test_an_attempt_says_that_others_disturbed_those_before(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = journals.plan(attempts=3)
    with History(dyno_home) as history:
        for turn in plan.turns[:2]:
            JournalStorer(history).append(plan.id, turn.session, 0, journals.whole(plan, turn.session).raw)
    said = []
    for turn in plan.turns[:2]:
        assert main(["session", "show", turn.session]) == 0
        said.append("attempt 2: the attempt before was disturbed" in capsys.readouterr().out)
    assert said == [False, True]
