"""From Run to a plan that is followed, queued, given up or refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.comparison.answers.self_test import PlantedDifference, SelfTest
from app.core.errors import LinkError
from app.history.machines.calibration import Calibration
from app.history.machines.self_test import planted_pct
from app.planner.starting.launch import QueueInstead
from app.protocol.plan import Plan
from app.remote.hostkeys import HostKey, HostKeyUnknownError, OfferedHostKey
from app.remote.target import LOCAL
from app.stats.noise import Noise
from tests import comparable
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB, build, plan
from tests.ui.bench.set_up import (
    OpenPage,
    checks_of,
    dialogs,
    now,
    reason,
    request_of,
    retype,
    settle,
)
from ui.core.bus import PartsToReload, ShowPageRequest
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.run_dialogs import QueueingDialog
from ui.pages.bench.targets.surveying import HostKeyDialog
from ui.widgets.actions import text_without_mnemonic


def test_run_starts_and_shows_it_live(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], to_follow: list[Any]
) -> None:
    agent = ScriptedAgent(found=now())
    reach(agent)
    page.setFocus()
    with qtbot.waitSignal(page.context.bus.wanted) as wanted:
        qtbot.keyClick(page, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert agent.asked[-2:] == ["start", "close"]
    ((target, directory, _plan, sha, sessions),) = to_follow
    assert (target.name, directory, sha) == (LOCAL, "/target", "f00")
    assert wanted.args == [ShowPageRequest("live", sessions, is_of_start=True)]
    assert len(sessions) == 12


@pytest.fixture
def looked(page: BenchPage, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets at which plans were looked for."""
    names: list[str] = []
    monkeypatch.setattr(page.context.plans, "adopt_from", lambda target: names.append(target.name))
    return names


def test_a_busy_machine_is_answered_by_the_controls_of_the_page(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], looked: list[str]
) -> None:
    reach(ScriptedAgent(found=now(), elsewhere="the plan first is running on this machine"))
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(page.message.isVisible)
    assert "press Queue plan…, or tick Allow a busy target" in page.message.text
    assert page.run_panel.run_bar.ticks["allow_busy"].text() == "Allow a busy target"


@pytest.fixture
def refused(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], looked: list[str]
) -> BenchPage:
    """Run was pressed while the target was at work; the checks say so."""
    reach(ScriptedAgent(found=now(), taken="/target is in use by plan first (process 7)"))
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(page.message.isVisible)
    assert looked == [LOCAL], "the plan that is at work there is looked for"
    qtbot.waitUntil(lambda: checks_of(page).startswith("Fail · busy: /target is in use by plan first"))
    assert "→ wait for it, stop it on Live, or press Queue plan…" in checks_of(page)
    assert page.run_panel.run_bar.run.isEnabled()
    return page


def test_a_refusal_goes_when_the_draft_changes(qtbot: QtBot, refused: BenchPage) -> None:
    refused.run_panel.run_bar.ticks["allow_busy"].click()
    assert not refused.message.isVisible()
    settle(qtbot, refused)
    assert "busy" not in checks_of(refused)


def test_a_refusal_goes_when_the_plan_at_work_ends(
    qtbot: QtBot, refused: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans = refused.context.plans
    for target in ("other", LOCAL):
        assert refused.message.isVisible() and "Fail · busy" in checks_of(refused)
        of_target = SimpleNamespace(target=SimpleNamespace(name=target))
        monkeypatch.setattr(plans, "get", lambda _, found=of_target: found)
        refused.starting._on_plan_ended("P" * 26)
    assert not refused.message.isVisible()
    qtbot.waitUntil(lambda: "busy" not in checks_of(refused))


def test_what_is_queued_goes_from_the_message_when_it_begins(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], looked: list[str]
) -> None:
    reach(ScriptedAgent(found=now()))
    with qtbot.waitSignal(page.context.queues.changed):
        page._start(later=QueueInstead(page.controller.survey))
    qtbot.waitUntil(lambda: "is number 1 in the queue of local" in page.message.text)
    found = page.context.queues.of(page.targets.chosen)
    assert found is not None
    target, queue = found
    before = replace(queue.plans[0], plan="B" * 26)
    page.context.queues.take(target, replace(queue, plans=[before, *queue.plans]))
    assert "is number 2 in the queue of local" in page.message.text
    page.context.queues.take(target, replace(queue, plans=[before]))
    assert not page.message.isVisible()


def test_queue_plan_is_always_next_to_run(qtbot: QtBot, page: BenchPage) -> None:
    """Where it came and went with the plan at work, Run grew over its place."""
    bar = page.run_panel.run_bar
    (queue,) = (
        each for each in bar.findChildren(QPushButton) if each.text() == text_without_mnemonic(bar.queue)
    )
    assert queue.isVisible() and queue.isEnabled() and not page.context.plans.active()


def test_a_target_at_work_offers_its_queue(
    qtbot: QtBot,
    page: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    to_follow: list[Any],
    looked: list[str],
) -> None:
    agent = ScriptedAgent(found=now(), taken="/target is in use by plan first (process 7)")
    reach(agent)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(page.message.isVisible)
    assert page.message.text == (
        "Nothing was started: /target is in use by plan first (process 7)"
        " (wait for it, stop it on Live, or press Queue plan…)"
    )
    assert agent.asked == ["reach", "close"]
    qtbot.mouseClick(page.message.buttons[0], Qt.MouseButton.LeftButton)
    (dialog,) = page.findChildren(QueueingDialog)
    qtbot.mouseClick(dialog.later, Qt.MouseButton.LeftButton)
    with qtbot.waitSignal(page.context.queues.changed):
        qtbot.mouseClick(dialog.queue, Qt.MouseButton.LeftButton)
    assert agent.asked[2:] == ["reach", "upload", "queue", "close"]
    assert agent.change.in_s is not None and 0 < agent.change.in_s <= 24 * 3600
    assert "is number 1 in the queue of local" in page.message.text and not to_follow


def test_what_is_run_again_starts_once_it_is_checked(
    qtbot: QtBot,
    page: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    to_follow: list[Any],
    dyno_home: Path,
) -> None:
    reach(ScriptedAgent(found=now()))
    ids = comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=5000, name="before"))
    with qtbot.waitSignal(page.context.bus.wanted) as wanted:
        page.open(ShowPageRequest("bench", ids, is_run=True))
    ((*_, sessions),) = to_follow
    assert wanted.args == [ShowPageRequest("live", sessions, is_of_start=True)] and len(sessions) == 1
    page.open(ShowPageRequest("bench", ids))
    settle(qtbot, page)
    assert len(to_follow) == 1, "to be edited it is only set up"


def test_what_cannot_be_run_again_says_why(
    qtbot: QtBot, page: BenchPage, to_follow: list[Any], dyno_home: Path
) -> None:
    before = plan(f"{MARIADB}:innodb", rows=5000)
    gone = [replace(before.contenders[0], build="mysql-1.2.3")]
    page.open(
        ShowPageRequest("bench", comparable.keep(dyno_home, replace(before, contenders=gone)), is_run=True)
    )
    qtbot.waitUntil(lambda: page.message.text.startswith("Not started: there is no build mysql-1.2.3"))
    assert not to_follow


def test_a_start_can_be_given_up(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], to_follow: list[Any]
) -> None:
    there, go_on = threading.Event(), threading.Event()

    def wait(what: str) -> None:
        if what == "rehearse innodb":
            there.set()
            go_on.wait(30)

    agent = ScriptedAgent(meanwhile=wait, found=now())
    reach(agent)
    bar = page.run_panel.run_bar
    qtbot.mouseClick(bar.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bar.reason.text() == f"starting {MARIADB}-innodb once…")
    assert there.is_set() and bar.progress.isVisible() and not bar.run.isEnabled()
    bar.cancel.trigger()
    assert page.message.text == "Cancelled: nothing was started."
    assert not bar.progress.isVisible() and bar.run.isEnabled()
    go_on.set()
    page.context.tasks.close()
    assert "start" not in agent.asked and not to_follow


def test_a_rehearsal_that_fails_says_what(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], to_follow: list[Any]
) -> None:
    reach(ScriptedAgent(wrong=["rehearse rocksdb"], found=now()))
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: "it does not start" in page.message.text)
    assert page.run_panel.checks.item(0).text().startswith("Fail · rehearsal")
    retype(qtbot, page.sequence.fields.edits["rows"], "7k")  # the contender is the same
    settle(qtbot, page)
    assert page.run_panel.checks.item(0).text().startswith(f"Fail · rehearsal: {MARIADB}-rocksdb")
    assert page.run_panel.run_bar.run.isEnabled()
    page.controller.change(page.controller.draft.with_contender(1, table_options="ROW_FORMAT=DYNAMIC"))
    settle(qtbot, page)
    assert "Fail" not in checks_of(page)
    page.controller.change(page.controller.draft.with_contender(1, table_options=""))
    settle(qtbot, page)
    assert page.run_panel.checks.item(0).text().startswith(f"Fail · rehearsal: {MARIADB}-rocksdb")
    reach(ScriptedAgent(found=now()))
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    assert not to_follow


def test_repeats_are_chosen_or_typed(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.change(page.controller.draft.with_sequence("quick"))
    settle(qtbot, page)
    fields, card = page.sequence.fields, page.run_panel.estimate
    repeats, limit = fields.edits["repeats"], fields.edits["time_limit"]
    assert (repeats.text(), request_of(page).repeats) == ("until decided", "until decided")
    assert " to " in card.time.text() and re.match(
        r"until (\w{3} )?\d\d:\d\d at most, about", card.disk.text()
    )
    assert card.work.text().startswith("13 steps, 3 to 8 repeats, ")
    retype(qtbot, limit, "15min")
    settle(qtbot, page)
    assert request_of(page).time_limit == 900
    retype(qtbot, repeats, "1")
    settle(qtbot, page)
    assert (request_of(page).repeats, request_of(page).time_limit, limit.text()) == (1, 0, "")
    assert (
        "1 repeat, " in card.work.text()
        and "one repeat gives no verdict" in card.work.text()
        and "1 of each gives no verdict" in checks_of(page)
    )
    retype(qtbot, repeats, "until")
    settle(qtbot, page)
    assert fields.repeats.property("wrong") and "or until-decided" in reason(page)
    qtbot.keyClicks(repeats, " decided")
    settle(qtbot, page)
    assert request_of(page).repeats == "until decided" and not fields.repeats.property("wrong")
    fields.repeats.setCurrentIndex(2)
    fields.repeats.activated.emit(2)
    settle(qtbot, page)
    assert (request_of(page).repeats, repeats.text()) == (3, "3")


@pytest.mark.parametrize("is_open", [False, True])
def test_all_fields_can_be_read_in_a_small_window(open_page: OpenPage, qtbot: QtBot, is_open: bool) -> None:
    page = open_page()
    page.controller.change(page.controller.draft.with_sequence("quick"))
    settle(qtbot, page)
    page.sequence.more.setChecked(is_open)
    fields = page.sequence.fields
    in_boxes = ("repeats",)
    more = [edit for name, edit in fields.edits.items() if name not in in_boxes]
    more += [*fields.boxes.values(), fields.name]
    in_view = [fields.edits["rows"], fields.edits["threads"], fields.repeats, fields.length.edit]
    shown = more if is_open else in_view
    qtbot.waitUntil(lambda: all(each.isVisible() for each in shown))
    for widget in shown:
        place = widget.mapTo(page, QPoint(0, widget.height()))
        assert place.y() <= page.height() and widget.height() >= 20


def test_eight_builds_and_four_contenders_are_in_view(open_page: OpenPage, qtbot: QtBot) -> None:
    builds = [build(f"mysql-8.4.{at}", "MySQL", f"8.4.{at}", ["innodb", "myisam"]) for at in range(8)]
    page = open_page(builds=builds)
    for at in range(4):
        page.controller.change(page.controller.draft.tick(f"mysql-8.4.{at}", "innodb", "baseline", True))
    settle(qtbot, page)
    for view, rows in ((page.contenders.grid, 8), (page.contenders.table, 4)):
        last = view.visualRect(view.model().index(rows - 1, 0))
        is_seen = view.viewport().rect().contains(last)
        assert view.model().rowCount() >= rows and is_seen, view.accessibleName()


def test_that_the_target_is_busy_is_known_before_run(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work = ScriptedAgent(taken="/target is in use by plan first (process 7)")
    monkeypatch.setattr("ui.pages.bench.busy.reached", at_work.reached)
    page.context.plans.looked.emit(page.targets.chosen)
    qtbot.waitUntil(lambda: checks_of(page).startswith("Fail · busy: /target is in use by plan first"))
    assert "press Queue plan…" in reason(page) and page.run_panel.run_bar.queue.isEnabled()
    assert page.run_panel.run_bar.run.isEnabled(), "the target is asked again then"
    monkeypatch.setattr("ui.pages.bench.busy.reached", ScriptedAgent().reached)
    page.context.plans.looked.emit(page.targets.chosen)
    qtbot.waitUntil(lambda: "busy" not in checks_of(page))
    assert reason(page) == ""


def test_another_directory_at_work_is_no_obstacle_where_it_is_allowed(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_work = ScriptedAgent(elsewhere="the plan first is running on this machine")
    monkeypatch.setattr("ui.pages.bench.busy.reached", at_work.reached)
    page.context.plans.looked.emit(page.targets.chosen)
    qtbot.waitUntil(lambda: "tick Allow a busy target" in reason(page))
    page.run_panel.run_bar.ticks["allow_busy"].click()
    settle(qtbot, page)
    assert reason(page) == ""


def test_a_calibration_gives_the_plan_back(
    qtbot: QtBot,
    page: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    to_follow: list[Any],
    open_page: OpenPage,
) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "7k")
    settle(qtbot, page)
    mine = page.controller.draft
    page.targets.machine.calibrate.trigger()
    settle(qtbot, page)
    assert request_of(page).sequence == "calibration" and "press Run" in page.message.text
    assert open_page().controller.draft.request == mine.request, "a new window has it too"
    page.give_back.trigger()
    assert page.controller.draft == mine and not page.message.isVisible()
    page.targets.machine.calibrate.trigger()
    settle(qtbot, page)
    reach(ScriptedAgent(found=now()))
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(to_follow))
    assert page.controller.draft == mine


def test_a_self_test_gives_the_plan_back(qtbot: QtBot, page: BenchPage, open_page: OpenPage) -> None:
    mine = page.controller.draft
    page.targets.machine.self_test.trigger()
    settle(qtbot, page)
    plan = page.outcome.plan if page.outcome else None
    assert plan and [planted_pct(each.cnf) for each in plan.contenders] == [0, 3, 10]
    assert request_of(page).sequence == "self-test" and "press Run" in page.message.text
    assert open_page().controller.draft.request == mine.request, "a new window has it too"
    page.give_back.trigger()
    assert page.controller.draft == mine and not page.message.isVisible()


def test_what_the_self_test_found_is_shown_in_place_of_what_is_computed(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    retype(qtbot, page.sequence.fields.edits["repeats"], "4")
    settle(qtbot, page)
    found = SelfTest(0.0, True, False, (PlantedDifference(10, 5, 5, 3, 0.91, 0.9, 0.92, ""),))
    monkeypatch.setattr("app.comparison.answers.self_test.self_test", lambda _history, _machine: found)
    page.context.bus.changed.emit(PartsToReload(sessions=True))  # it is a session like others
    page.controller.check()
    said = "self test of point queries in slices: planted 10% found after 3 of 5 repeats"
    qtbot.waitUntil(lambda: page.run_panel.estimate.work.text().endswith(said))


def test_a_sequence_chosen_in_place_of_a_calibration_is_of_the_plan_before(
    qtbot: QtBot, page: BenchPage
) -> None:
    mine = page.controller.draft
    page.targets.machine.calibrate.trigger()
    settle(qtbot, page)
    page.sequence.sequence_chosen.emit("quick")
    assert page.controller.draft == mine.with_sequence("quick") and page.message.text == ""


def test_what_is_started_has_what_was_chosen_for_its_time(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], to_follow: list[Any]
) -> None:
    page.controller.change(page.controller.draft.with_sequence("quick").typed("time_limit", "20 min"))
    settle(qtbot, page)
    shown = page.outcome.plan if page.outcome else None
    found: list[Plan] = []
    agent = ScriptedAgent(found=now())
    monitored = agent.upload_plan
    agent.upload_plan = lambda plan: (found.append(plan), monitored(plan))[1]  # type: ignore[method-assign]
    reach(agent)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(to_follow))
    assert shown and [step.seconds for step in found[0].steps] == [step.seconds for step in shown.steps]
    assert found[0].time_limit == 1200


def test_the_check_of_repeats_goes_by_the_calibration_to_the_start(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = Calibration(0.0, 6, 60.0, Noise(0.123, 12), None, {}, 0)
    monkeypatch.setattr("app.history.machines.calibration.calibration", lambda _history, _machine: known)
    page.context.bus.changed.emit(PartsToReload(sessions=True))
    reach(ScriptedAgent(found=now()))
    retype(qtbot, page.sequence.fields.edits["repeats"], "4")
    settle(qtbot, page)
    checks = page.run_panel.checks
    checks.setCurrentRow(checks.count() - 1)  # the fold of what passed
    qtbot.keyClick(checks, Qt.Key.Key_Return)
    assert "repeats vary by 12.3%, as its calibration says" in checks_of(page)
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    assert "repeats vary by 12.3%, as its calibration says" in checks_of(page)


def test_what_servers_have_in_force_is_compared_after_the_rehearsal(
    qtbot: QtBot, page: BenchPage, reach: Callable[[ScriptedAgent], None]
) -> None:
    agent = ScriptedAgent(found=now())
    agent.in_force = {
        "innodb": {"gtid_mode": "ON", "table_open_cache": "1"},
        "rocksdb": {"gtid_mode": "OFF", "table_open_cache": "2"},
    }
    reach(agent)
    page.run_panel.run_bar.rehearse.trigger()
    qtbot.waitUntil(lambda: page.message.text.startswith("The rehearsal passed"))
    items = [page.run_panel.checks.item(row) for row in range(page.run_panel.checks.count())]
    (gtid,) = (
        each
        for each in items
        if f"GTID: {MARIADB}-innodb: on; {MARIADB}-rocksdb: off (each transaction" in each.text()
    )
    assert gtid.text().startswith("Warn · settings") and "→ set gtid_mode" in gtid.text()


def test_a_target_that_cannot_be_reached_is_told(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise LinkError("nobody answers")

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: page.message.text == "nobody answers")
    assert page.run_panel.run_bar.run.isEnabled()


def test_a_host_key_that_is_met_at_run_is_looked_at(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = HostKeyUnknownError(OfferedHostKey("local", "far.invalid", 22, HostKey("ssh-ed25519", b"key")))

    def fail(*_: Any) -> Any:
        raise refused

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(dialogs(HostKeyDialog)))
    assert "press Run again" in page.message.text and "dyno target" not in page.targets.view.message.text
    dialogs(HostKeyDialog)[0].reject()
    assert page.run_panel.run_bar.run.isEnabled() and "is unknown" in page.targets.view.message.text


def test_what_a_lost_link_may_have_started_is_looked_for(
    qtbot: QtBot, page: BenchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr(page.context.plans, "adopt_from", lambda target: looked.append(target.name))

    def fail(*_: Any) -> Any:
        raise LinkError("the link is lost")

    monkeypatch.setattr("app.remote.reach.connect", fail)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: looked == [LOCAL])
