"""Plans as the Live page shows them, and what can be asked of them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QPushButton

from app.core.errors import LinkError
from app.protocol.events import LogEvent, Note
from tests.journals import Maker, plan
from tests.ui.conftest import ShowLive as Show
from tests.ui.live_page import TWO, Follow, shown, started
from tests.ui.watched import WatchedPlans
from ui.core.context import WindowContext
from ui.pages.live import LivePage


def test_notes_and_log_lines_come_in(followed: WatchedPlans, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    maker.add(Note, text="the fan is loud", step=1)
    maker.add(LogEvent, source="server", level="error", text="page corruption")
    followed.bring(maker)
    lines = page.body.remarks.toPlainText().splitlines()
    assert [line.split("  ")[1] for line in lines[-2:]] == [
        "note: the fan is loud", "server error: page corruption",
    ]  # fmt: skip
    assert page.watching.loaded is not None
    assert page.watching.loaded.curves.marks[-1][1] == "the fan is loud"


def test_what_can_be_asked_of_a_plan(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    its_plan = plan(TWO)
    maker = started(Maker(its_plan), 1)
    page = follow(maker)
    steering = page.body.steering
    assert steering.isVisible()
    qtbot.keyClicks(steering.note, "the fan is loud")
    qtbot.keyClick(steering.note, Qt.Key.Key_Return)
    for each, agreed in ((steering.skip, "Skip step"), (steering.stop_after, "Stop after step")):
        asked = len(followed.asked)
        each.trigger()
        assert len(followed.asked) == asked
        answer(page, agreed)
    assert followed.asked == [
        ("note", its_plan.id, "the fan is loud"), ("skip", its_plan.id), ("stop", its_plan.id, "step"),
    ]  # fmt: skip
    steering.profile.trigger()  # without a question: nothing is lost
    assert followed.asked[-1] == ("profile", its_plan.id)
    steering.stop_session.trigger()
    assert answer(page, "Stop session") == {"Stop session", "Stop plan", "Keep running"}
    assert followed.asked[-1] == ("stop", its_plan.id, "session")
    assert steering.note.text() == ""


def answer(page: LivePage, text: str) -> set[str]:
    """With a click, to the question that is asked; all of its answers."""
    (box,) = (each for each in page.window().findChildren(QMessageBox) if each.isVisible())
    answers = {button.text().replace("&", ""): button for button in box.buttons()}
    answers[text].click()
    return set(answers)


def test_a_note_that_did_not_get_there_is_not_lost(
    followed: WatchedPlans, qtbot: Any, monkeypatch: pytest.MonkeyPatch, follow: Follow
) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    refused: list[Any] = []
    monkeypatch.setattr(followed, "note", lambda plan, text, owner, failed: refused.append(failed))
    note = page.body.steering.note
    qtbot.keyClicks(note, "the fan came on")
    qtbot.keyClick(note, Qt.Key.Key_Return)
    assert note.text() == ""
    refused[0](LinkError("nuc does not answer"))
    assert note.text() == "the fan came on" and page.body.message.text == "nuc does not answer"


def test_going_on_stops_nothing(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    page.body.steering.stop_plan.trigger()
    box = page.window().findChild(QMessageBox)
    box.reject()
    assert followed.asked == []
    maker.end("stopped")
    followed.bring(maker, "ended")
    qtbot.waitUntil(lambda: not page.body.steering.isVisible())


def test_several_plans_each_with_its_line(
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    makers = [
        started(Maker(plan(number=number, target=target)), 1) for number, target in ((1, "a"), (2, "b"))
    ]
    for maker, target in zip(makers, "ab", strict=True):
        followed.watch(maker.plan, target)
        followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == makers[1].session)
    lines = page.body.plans._lines
    assert [line.text.split("  ")[0] for line in lines.values()] == ["a plan on a", "a plan on b"]
    assert page.body.plans.isVisible()
    lines[makers[0].plan.id].clicked.emit()
    qtbot.waitUntil(lambda: shown(page) == makers[0].session)


def test_a_plan_that_cannot_be_followed_offers_to_connect_again(
    plans: tuple[WindowContext, WatchedPlans], show: Show, qtbot: Any
) -> None:
    context, followed = plans
    maker = started(Maker(plan()), 1)
    entry = followed.watch(maker.plan)
    followed.bring(maker)
    page = show(context)
    qtbot.waitUntil(lambda: shown(page) == maker.session)
    entry.problem = "nuc: the key needs its passphrase"
    qtbot.waitUntil(lambda: page.body.message.text == entry.problem)
    button = next(
        each for each in page.body.message.findChildren(QPushButton) if each.text() == "Connect again"
    )
    button.click()
    assert followed.asked == [("retry", maker.plan.id)]
    entry.problem = ""
    qtbot.waitUntil(lambda: page.body.message.text == "")


def test_skip_names_the_step(followed: WatchedPlans, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    page.body.steering.skip.trigger()
    box = next(each for each in page.window().findChildren(QMessageBox) if each.isVisible())
    step = maker.plan.steps[1].label
    assert box.text().startswith(f"Skip {step} of ") and box.text().endswith("?")
    box.close()


def test_a_note_is_confirmed(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    page = follow(started(Maker(plan()), 1))
    qtbot.keyClicks(page.body.steering.note, "the fan is loud")
    with qtbot.waitSignal(page.context.bus.said) as said:
        qtbot.keyClick(page.body.steering.note, Qt.Key.Key_Return)
    assert said.args == ["Note sent: the log and the charts show it in a moment"]


def test_a_note_that_comes_is_seen(followed: WatchedPlans, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    for number in range(200):
        maker.add(LogEvent, source="server", level="note", text=f"line {number}")
    followed.bring(maker)
    bar = page.body.remarks.verticalScrollBar()
    bar.setValue(0)
    maker.add(Note, text="the fan is loud", step=1)
    followed.bring(maker)
    assert bar.value() == bar.maximum() > 0


def test_a_note_that_was_begun_goes_with_its_plan(followed: WatchedPlans, qtbot: Any, follow: Follow) -> None:
    maker = started(Maker(plan()), 1)
    page = follow(maker)
    qtbot.keyClicks(page.body.steering.note, "the fan")
    followed.bring(maker.end("stopped", "a person"), "ended")
    qtbot.waitUntil(lambda: not page.body.steering.isVisible())
    assert page.body.steering.note.text() == ""
