"""`dyno follow` and its like up to the target: what is refused, and with which exit code they end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.cli import main
from app.cli.follow import exit_code_of_sessions, without_deleted
from app.cli.watch import MOST_WAITING, FollowerUpdateQueue, PlanEventPrinter
from app.core.errors import LinkError
from app.following.adoption import RemotePlan
from app.following.follower import FollowerLinkState, FollowerNews
from app.following.progress import PlanProgress
from app.history.lists import edits
from app.history.recorded.counting import unsteady_steps
from app.history.recorded.writing import JournalStorer, record_unlocked_journals
from app.history.store.decoding import Events, decode_events
from app.history.store.history import History
from app.protocol.answers import Queue, QueuedPlan, SessionJournalSize
from app.protocol.events import MAX_NOTE, Sample
from app.remote.target import Target
from tests import journals, sliced

PLAN = journals.plan([journals.contender("innodb"), journals.contender("rocksdb")])
FIRST, SECOND = (turn.session for turn in PLAN.turns)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a note needs a text"),
        (" \n", "a note needs a text"),
        ("x" * (MAX_NOTE + 1), "a note has 4000 characters at most, this one has 4001"),
    ],
)
def test_a_note_has_a_text_that_is_kept_whole(
    capsys: pytest.CaptureFixture[str], text: str, said: str
) -> None:
    assert main(["note", text]) == 2
    assert capsys.readouterr().err == f"dyno: {said}\n"


@pytest.mark.parametrize("words", [["stop"], ["skip"], ["note", "the fan came on"]])
def test_nothing_to_follow_or_steer_is_no_wrong_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    def find_plans(target: Target, ask: object) -> Iterator[RemotePlan]:
        yield RemotePlan(target, "/d", PLAN.id, "over", "sha", False, [])

    monkeypatch.setattr("app.following.adoption.find_plans", find_plans)
    assert main(words) == 1
    assert capsys.readouterr().err == "dyno: no plan runs on local\n"


@pytest.mark.parametrize(
    ("words", "code", "asked", "said"),
    [
        ([], 0, ["plan"], "works: the plan ends; plans that wait in the queue are held: dyno queue resume\n"),
        (["--session"], 0, ["session"], "works: the session ends\n"),
        (["--session", "NAME"], 0, ["session"], "works: the session ends\n"),
        (["--session", FIRST[-6:], "--after-step"], 0, ["step"], "works: the session ends after the current"),
        (["--session", SECOND], 2, [], f"dyno: {SECOND} does not run now; running: NAME\n"),
        (["--session", " "], 2, [], "the value is empty"),
        (["--after-step"], 2, [], "dyno: --after-step ends one session of the plan: add --session\n"),
    ],
)
def test_stop_ends_the_plan_or_the_session_that_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: list[str], code: int, asked: list[str], said: str,
) -> None:  # fmt: skip
    stopped: list[str] = []

    class OfPlan:
        def stop(self, plan: str, what: str) -> None:
            stopped.append(what)

    @contextmanager
    def reached(*_: object) -> Iterator[OfPlan]:
        yield OfPlan()

    def progress_now(*_: object) -> PlanProgress:
        found = PlanProgress(PLAN)
        found.take_all(FIRST, journals.Maker(PLAN, FIRST).begin().events)
        return found

    running = RemotePlan(Target("local"), "/d", PLAN.id, "works", "sha", True, [])
    monkeypatch.setattr("app.following.adoption.find_plans", lambda *_: [running])
    monkeypatch.setattr("app.cli.follow.reached", reached)
    monkeypatch.setattr("app.following.now.progress_now", progress_now)
    name = PLAN.turn_of(FIRST).name
    assert main(["stop", *(each.replace("NAME", name) for each in words)]) == code
    printed = capsys.readouterr()
    assert stopped == asked and said.replace("NAME", name) in printed.out + printed.err


@pytest.mark.parametrize("is_followed", [False, True])
def test_a_plan_that_ended_meanwhile_closes_with_sentences(
    dyno_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_followed: bool
) -> None:
    """Also where the window has fetched all of it, so that nothing is left to follow."""
    its_plan = sliced.plan(rounds=3)
    with History(dyno_home) as history:
        sliced.keep(history, its_plan, (1.0, 0.5))

    def find_plans(target: Target, ask: object) -> Iterator[RemotePlan]:
        yield RemotePlan(target, "/d", its_plan.id, "over", "sha", False, [])

    monkeypatch.setattr("app.following.adoption.find_plans", find_plans)
    monkeypatch.setattr("app.following.adoption.is_fully_fetched", lambda *_: is_followed)
    monkeypatch.setattr("app.cli.follow.watch_sessions", lambda *_: 0)
    assert main(["follow"]) == 0
    told = capsys.readouterr().out
    assert "MyRocks at 0.50 of InnoDB's rate (" in told
    again, why = told.splitlines()[-2:]
    assert again == f"look at it again: dyno compare {its_plan.id[-6:]}"
    assert why.startswith(f"what may explain it: dyno compare {its_plan.id[-6:]} --why ")
    assert told.startswith("everything of local is in the history") is is_followed


@pytest.mark.parametrize(("until_decided", "said"), [(False, "1 of 2 ended"), (True, "1 of at most 2 ended")])
def test_status_tells_that_a_plan_may_be_decided_before_its_last_session(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], until_decided: bool, said: str
) -> None:
    summaries = [SessionJournalSize(FIRST, 100, True), SessionJournalSize(SECOND, 100, False)]

    def find_plans(target: Target, ask: object) -> Iterator[RemotePlan]:
        yield RemotePlan(target, "/d", PLAN.id, "works", "sha", True, summaries, until_decided)

    monkeypatch.setattr("app.following.adoption.find_plans", find_plans)
    monkeypatch.setattr("app.cli.status._progress", lambda _: PlanProgress(PLAN))
    waiting = Queue([QueuedPlan("A" * 26, "night", "0" * 64, "f", 2)])
    monkeypatch.setattr("app.targets.queue.queue_of", lambda *_: waiting)
    assert main(["status"]) == 0
    told = capsys.readouterr().out
    assert said in told and "waiting, about" in told and "1 plan in the queue" in told
    assert main(["status", "--json"]) == 0
    entry = json.loads(capsys.readouterr().out)[0]
    assert entry["until_decided"] is until_decided and entry["problem"] is None
    assert entry["now"]["line"].startswith("waiting") and entry["queue"]["plans"][0]["name"] == "night"


def test_status_is_watched_until_no_plan_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    looks = [True, True, False]

    def find_plans(target: Target, ask: object) -> Iterator[RemotePlan]:
        yield RemotePlan(target, "/d", PLAN.id, "works", "sha", looks.pop(0), [])

    def unreachable(found: RemotePlan) -> LinkError:
        return LinkError("the link broke")

    monkeypatch.setattr("app.following.adoption.find_plans", find_plans)
    monkeypatch.setattr("app.cli.status._progress", unreachable)
    monkeypatch.setattr("app.targets.queue.queue_of", lambda *_: Queue([]))
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    assert main(["status", "--watch", "7"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert waits == [7, 7] and told.count("how far it is: the link broke") == 2
    assert told[-1] == "no plan runs on local; plans stored there: 1"


def test_status_names_what_the_queue_waits_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    queue = Queue(
        [QueuedPlan("A" * 26, "night", "0" * 64, "f", 2)], waits_for="the plan slices in /d (process 7)"
    )
    monkeypatch.setattr("app.following.adoption.find_plans", lambda *_: [])
    monkeypatch.setattr("app.targets.queue.queue_of", lambda *_: queue)
    assert main(["status"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "no plan runs on local; plans stored there: 0"
    assert told[1] == "local: waits for the plan slices in /d (process 7), 1 plan in the queue"


def store(home: Path, *makers: journals.Maker) -> None:
    with History(home) as history:
        for maker in makers:
            JournalStorer(history).append(PLAN.id, maker.session, 0, maker.raw)


def test_all_that_went_well_is_0(dyno_home: Path) -> None:
    store(dyno_home, journals.whole(PLAN, FIRST), journals.whole(PLAN, SECOND))
    assert exit_code_of_sessions([FIRST, SECOND]) == 0
    assert exit_code_of_sessions([]) == 0


def test_a_session_that_could_not_be_kept_is_1(dyno_home: Path) -> None:
    store(dyno_home, journals.whole(PLAN, FIRST))
    assert exit_code_of_sessions([FIRST, SECOND]) == 1


def test_an_attempt_that_did_not_come_is_not_missed(dyno_home: Path) -> None:
    plan = journals.plan(attempts=3)
    first, second, third = (turn.session for turn in plan.turns)
    with History(dyno_home) as history:
        JournalStorer(history).append(plan.id, first, 0, journals.whole(plan, first).raw)
        assert exit_code_of_sessions([first, second, third]) == 0
        JournalStorer(history).append(plan.id, second, 0, journals.whole(plan, second, failed=2).raw)
    assert exit_code_of_sessions([first, second, third]) == 1


def test_a_failed_step_and_a_lost_session_are_1(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(dyno_home, journals.whole(PLAN, FIRST, failed=2), journals.Maker(PLAN, SECOND).begin())
    with History(dyno_home) as history:
        record_unlocked_journals(history, [SECOND])
    assert exit_code_of_sessions([FIRST]) == 1
    assert exit_code_of_sessions([SECOND]) == 1
    assert "lost: its agent is gone" in capsys.readouterr().out


def test_a_session_that_is_going_on_is_not_deleted(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(dyno_home, journals.Maker(PLAN, FIRST).begin())
    assert main(["session", "delete", FIRST]) == 1
    assert "dyno stop" in capsys.readouterr().err


def test_a_file_that_a_list_cannot_read_is_a_failure(
    dyno_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (dyno_home / "sequences").mkdir(parents=True)
    (dyno_home / "sequences" / "broken.toml").write_text("steps =")
    assert main(["sequence", "list"]) == 1
    told = capsys.readouterr()
    assert "duel" in told.out and "broken.toml" in told.err


def test_a_step_that_was_not_steady_is_told_with_its_line(dyno_home: Path) -> None:
    its_plan = journals.plan(its_steps=journals.steps(seconds=30))
    maker = journals.Maker(its_plan).begin()
    for at, step in enumerate(its_plan.steps):
        maker.start_step(at)
        for s in range(step.seconds):
            qps = 0.0 if at == 1 and s in (7, 8, 9) else 1000.0
            maker.add(Sample, step=at, s=s, dt=1.0, values=[qps, 0, 1, 90, 10])
        maker.end_step(at, value=900.0)
    with History(dyno_home) as history:
        JournalStorer(history).append(its_plan.id, maker.session, 0, maker.end().raw)
        said: list[str] = []
        watch = PlanEventPrinter(said.append, lambda: unsteady_steps(history, its_plan.id))
        watch.take(FollowerNews(FollowerLinkState("up"), {maker.session: Events(decode_events(maker.raw))}))
    assert [line.partition(": ")[2] for line in said[1:3]] == [
        "point-query threads=1 900.0 queries/s; unsteady: 1 stall of 3 s",
        "point-query threads=2 900.0 queries/s",
    ]


def test_what_was_deleted_is_told_and_left(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store(dyno_home, journals.whole(PLAN, FIRST), journals.whole(PLAN, SECOND))
    with History(dyno_home) as history:
        edits.delete(history, FIRST)
    assert without_deleted([FIRST, SECOND]) == [SECOND]
    assert f"dyno session undelete {FIRST}" in capsys.readouterr().out


def test_a_target_that_is_faster_than_the_terminal_waits() -> None:
    """Else what it sends would pile up in memory."""
    updates, put = FollowerUpdateQueue(), []

    def tell() -> None:
        for number in range(100):
            updates.put(FollowerNews(FollowerLinkState(text=str(number))))
            put.append(number)

    thread = threading.Thread(target=tell)
    thread.start()
    first = updates.get()
    assert isinstance(first, FollowerNews) and first.link.text == "0"
    thread.join(0.2)
    assert thread.is_alive() and len(put) <= MOST_WAITING + 1
    updates.close()  # the person has detached
    thread.join(5)
    assert not thread.is_alive()
