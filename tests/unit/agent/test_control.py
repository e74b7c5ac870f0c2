"""Requests are taken in once, in the order they came, and notes reach the journal at once."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from app.agent.main import main
from app.agent.system.control import ControlRequests, request
from app.agent.system.journal import Journal
from app.protocol.events import MAX_NOTE, Note, decode


def look(tmp_path: Path, *requests: dict[str, str]) -> tuple[ControlRequests, list[str]]:
    folder = tmp_path / "control"
    folder.mkdir()
    journal = Journal(str(tmp_path / "journal"))
    control = ControlRequests(str(folder))
    for each in requests:
        request(str(folder), **each)
    control.look(journal, 3)
    control.look(journal, 3)
    events = [decode(line) for line in (tmp_path / "journal").read_bytes().splitlines()]
    return control, [event.text for event in events if isinstance(event, Note)]


def test_nothing_asked(tmp_path: Path) -> None:
    control, notes = look(tmp_path)
    assert (control.interrupts, control.ends_session, notes) == ("", False, [])


def test_notes_are_written_once_and_in_order(tmp_path: Path) -> None:
    _, notes = look(tmp_path, {"verb": "note", "text": "first"}, {"verb": "note", "text": "second"})
    assert notes == ["first", "second"]


def test_a_step_is_profiled_once_however_often_it_is_asked_for_and_never_the_next_one(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "profile"}, {"verb": "profile"})
    assert control.takes_profile() and not control.takes_profile() and not control.interrupts
    request(str(tmp_path / "control"), "profile")
    control.look(Journal(str(tmp_path / "another")), 3)
    control.begin_step(4)
    assert not control.takes_profile()


def test_a_time_box_ends_the_plan_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    (tmp_path / "control").mkdir()
    control = ControlRequests(str(tmp_path / "control"), 60)
    now = 130.0
    twin, journal = control.twin(), Journal(str(tmp_path / "journal"))  # of a session that began later
    twin.look(journal)
    assert not control.ends_session and not twin.plan_stopped
    now = 161.0
    twin.look(journal)
    assert control.interrupts == "stopped" and control.plan_stopped and not control.got_signal
    assert control.why == twin.why == "the time box of the plan, 60 s, is over"


def test_the_reason_is_that_of_the_first_who_ended_it(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "stop", "what": "plan"})
    control.stop_plan()  # by a signal
    assert control.why == "asked for by a person" and control.got_signal


def test_a_signal_is_no_person(tmp_path: Path) -> None:
    control, _ = look(tmp_path)
    control.stop_plan()
    assert control.why == "the agent was asked to end by a signal, as when its machine shuts down"


def test_a_skipped_step_was_skipped_by_a_person(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "skip"})
    assert (control.interrupts, control.why) == ("skipped", "asked for by a person")


@pytest.mark.parametrize("text", ["", "\n", "x" * (MAX_NOTE + 1)])
def test_a_note_that_would_not_be_kept_whole_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / "DYNO-TARGET").touch()
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    monkeypatch.setattr("sys.argv", ["agent", "note", "--directory", str(tmp_path), "--plan", "P"])
    monkeypatch.setattr("os.umask", lambda _: 0)
    assert main() == 1
    assert "a note " in json.loads(capsys.readouterr().out)["error"]


def test_a_long_note_is_kept_whole(tmp_path: Path) -> None:
    text = "x" * MAX_NOTE
    assert look(tmp_path, {"verb": "note", "text": text})[1] == [text]


def test_who_is_admitted_is_so_for_the_whole_plan(tmp_path: Path) -> None:
    control, notes = look(tmp_path, {"verb": "admit", "text": "a" * 64})
    assert control.twin().admitted == {"a" * 64} and not notes
    control.begin_session()
    assert control.admitted == {"a" * 64}


def test_skip_ends_one_step_only(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "skip"})
    assert control.interrupts == "skipped"
    control.begin_step()
    assert (control.interrupts, control.ends_session) == ("", False)


def test_stop_after_the_step_lets_it_end(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "stop", "what": "step"})
    assert (control.interrupts, control.ends_session, control.plan_stopped) == ("", True, False)


def test_stop_of_a_session_ends_with_it(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "stop", "what": "session"})
    assert control.interrupts == "stopped"
    control.begin_session()
    assert not control.ends_session


def test_stop_of_a_plan_lasts(tmp_path: Path) -> None:
    control, _ = look(tmp_path, {"verb": "stop", "what": "plan"})
    control.begin_session()
    assert control.interrupts == "stopped"
    assert control.plan_stopped


def test_a_stop_is_meant_for_sessions_of_the_round_that_have_not_begun_yet(tmp_path: Path) -> None:
    (tmp_path / "control").mkdir()
    plan = ControlRequests(str(tmp_path / "control"))
    first, second = plan.twin(), plan.twin()
    first.begin_session()
    request(str(tmp_path / "control"), "stop", what="session")
    first.look(Journal(str(tmp_path / "journal")))
    second.begin_session()
    assert (first.interrupts, second.interrupts) == ("stopped", "stopped")
    later = plan.twin()  # of the next round
    later.begin_session()
    assert not later.ends_session


def test_a_skipped_step_is_skipped_by_all_sessions_of_the_round(tmp_path: Path) -> None:
    (tmp_path / "control").mkdir()
    plan = ControlRequests(str(tmp_path / "control"))
    first, second = plan.twin(), plan.twin()
    first.begin_session()
    first.begin_step(3)
    request(str(tmp_path / "control"), "skip")
    first.look(Journal(str(tmp_path / "journal")), 3)
    second.begin_session()
    asked = []
    for step in (2, 3, 4):
        second.begin_step(step)
        asked.append(second.interrupts)
    assert (first.interrupts, asked) == ("skipped", ["", "skipped", ""])
    first.begin_step(4)
    assert first.interrupts == ""
