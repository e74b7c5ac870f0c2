"""Checks before a run; plans that are saved, opened, set up again."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QMenu,
)
from pytestqt.qtbot import QtBot

from app.catalog.plans import shipped_plans
from app.history.exchange.publishing import import_shipped
from app.history.lists.edits import delete
from app.history.lists.sessions import find
from app.history.store.history import History
from app.planner.request.plan_file import plan_file_text, plan_request_of_file
from app.protocol.answers import INFO, PASS, WARN, Check, OptionReply
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from tests import comparable
from tests.plans import MARIADB, build, plan, write
from tests.ui.bench.set_up import (
    OLD,
    OpenPage,
    checks_of,
    reason,
    request_of,
    retype,
    settle,
    surveyed,
)
from ui.core.bus import ShowPageRequest
from ui.pages.bench import BenchPage
from ui.pages.bench.presets.dialog import PresetDialog


def test_the_worst_comes_first_and_says_what_to_do(open_page: OpenPage) -> None:
    page = open_page(sysbench=None, governor="powersave")
    texts = [page.run_panel.checks.item(row).text() for row in range(page.run_panel.checks.count())]
    assert texts[0].startswith("Fail · sysbench") and "→ install sysbench" in texts[0]
    assert texts[1].startswith("Warn · governor") and "→ set it to performance" in texts[1]
    assert re.fullmatch(r"▸ \d+ passed, 2 for information, nothing to do", texts[-1])
    assert not page.run_panel.run_bar.run.isEnabled()
    assert "sysbench is missing" in reason(page)


def test_a_refused_option_leads_to_its_line_in_the_preset(qtbot: QtBot, page: BenchPage) -> None:
    text = "unknown variable 'back_logg=7': did you mean back_log?"
    reply = OptionReply("rejected", "sync_binlog", text)
    page.run_panel.checks.show_checks([Check("options", "fail", text, "", f"{MARIADB}-rocksdb", (reply,))])
    page.run_panel.checks.setCurrentRow(0)
    qtbot.keyClick(page.run_panel.checks, Qt.Key.Key_Return)
    (dialog,) = page.findChildren(PresetDialog)
    assert dialog.windowTitle() == "my.cnf MyRocks baseline"
    assert dialog.text.textCursor().block().text().startswith("sync_binlog=")
    dialog.reject()


def test_what_there_is_nothing_to_do_about_is_folded(qtbot: QtBot, page: BenchPage) -> None:
    found = page.run_panel.checks
    loose = Check("options", INFO, "mariadb ignores loose_ssl", "", "innodb")
    found.show_checks([loose, Check("disk", PASS, "enough"), Check("load", WARN, "busy", "wait")])
    assert checks_of(page).splitlines()[-1] == "▸ 1 passed, 1 for information, nothing to do"
    assert "loose_ssl" not in checks_of(page) and "Warn · load" in checks_of(page)
    last = found.item(found.count() - 1)
    qtbot.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=found.visualItemRect(last).center())
    assert "Info · options: innodb: mariadb ignores loose_ssl" in checks_of(page)
    assert checks_of(page).splitlines()[-1] == "Pass · disk: enough"
    assert found.item(found.count() - 1).foreground().color() == page.context.theme.colour("muted")
    found.setFocus()
    qtbot.keyClick(found, Qt.Key.Key_Return)
    assert "loose_ssl" not in checks_of(page)


def test_lua_of_ones_own_is_read_and_approved(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    write(
        dyno_home / "workloads/mine.toml",
        'name = "mine"\ntitle = "Mine"\nkind = "drive"\nlua = "mine.lua"\nneeds = ["tables"]\n',
    )
    write(dyno_home / "workloads/mine.lua", "-- all mine\n")
    steps_text = '[[step]]\nworkload = "load"\n[[step]]\nworkload = "mine"\n'
    write(dyno_home / "sequences/own.toml", f'name = "own"\ntitle = "Own"\n{steps_text}')
    page = open_page()
    page.sequence.sequence_chosen.emit("own")
    settle(qtbot, page)
    view = page.run_panel.approval
    assert page.run_panel.tabs.currentWidget() is view
    assert "-- all mine" in view.text.toPlainText()
    assert not page.run_panel.run_bar.run.isEnabled()
    view.approve.trigger()
    qtbot.waitUntil(page.run_panel.run_bar.run.isEnabled)
    assert not page.run_panel.tabs.isTabVisible(page.run_panel.tabs.indexOf(view))


def test_a_plan_is_saved_and_opened(qtbot: QtBot, page: BenchPage, tmp_path: Path) -> None:
    retype(qtbot, page.sequence.fields.edits["tables"], "9")
    settle(qtbot, page)
    saved: list[Path] = []
    page.context.bus.saved.connect(lambda path, _: saved.append(path))
    file = tmp_path / "plan.toml"
    page.run_panel.plan.save_wanted.emit(str(file), page.run_panel.plan.text.toPlainText())
    qtbot.waitUntil(lambda: saved == [file])
    assert plan_request_of_file(file) == request_of(page)
    write(file, file.read_text().replace("tables = 9", "tables = 5"))
    page.run_panel.plan.open_wanted.emit(str(file))
    qtbot.waitUntil(lambda: page.controller.draft.request.tables == 5)
    settle(qtbot, page)
    assert page.sequence.fields.edits["tables"].text() == "5"  # though it has the keyboard


def test_a_plan_for_another_target_goes_there(
    qtbot: QtBot, page: BenchPage, dyno_home: Path, tmp_path: Path
) -> None:
    Targets(dyno_home).add(Target("nuc", host="nuc.invalid", directories=["/data/dyno"]))
    surveyed(dyno_home, "nuc", builds=[build(OLD, "MySQL", "5.6.24", ["innodb"])])
    page.targets.reload()
    text = plan_file_text(request_of(page)).replace('target = "local"', 'target = "nuc"')
    file = write(tmp_path / "plan.toml", text.replace(MARIADB, OLD))
    page.run_panel.plan.open_wanted.emit(str(file))
    qtbot.waitUntil(lambda: page.targets.chosen.name == "nuc")
    settle(qtbot, page)
    assert page.controller.draft.request.target == "nuc"
    assert "lacks the engine rocksdb" in reason(page)
    page.targets.choose(LOCAL)
    settle(qtbot, page)
    assert request_of(page).contenders[0].build == MARIADB


def test_sessions_are_set_up_again_in_turn(qtbot: QtBot, page: BenchPage, dyno_home: Path) -> None:
    ids = []
    for engine in ("innodb", "myisam"):
        before = plan(f"{MARIADB}:{engine}", rows=5000, repeats=4, name=f"only {engine}")
        ids += comparable.keep(dyno_home, before)
    page.open(ShowPageRequest("bench", tuple(ids)))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    asked = request_of(page)
    assert [each.engine for each in asked.contenders] == ["innodb", "myisam"]
    assert (asked.order, asked.repeats, asked.name) == ("interleaved", 4, "only innodb")
    page.open(ShowPageRequest("bench", (comparable.keep(dyno_home, comparable.plan(1))[0],)))
    qtbot.waitUntil(lambda: "there is no plan to repeat" in page.message.text)
    assert request_of(page) == asked


def test_sessions_of_an_unknown_target_are_set_up_here_and_what_is_lacking_is_named(
    qtbot: QtBot, page: BenchPage, dyno_home: Path
) -> None:
    foreign = plan(f"{MARIADB}:innodb", rows=5000, target="far")
    lacks = [replace(foreign.contenders[0], build="mysql-1.2.3", preset="theirs")]
    ids = comparable.keep(dyno_home, replace(foreign, contenders=lacks))
    page.open(ShowPageRequest("bench", ids, is_run=True))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    assert page.controller.draft.request.target == LOCAL
    assert page.message.text.startswith("There is no target far here: the plan is set up for local.")
    assert "there is no build mysql-1.2.3 on this target" in checks_of(page)
    assert "theirs" in checks_of(page), "the preset is named too"


def open_recent(qtbot: QtBot, page: BenchPage) -> QMenu:
    """As a person would, with its key."""
    page.targets.list.setFocus()
    qtbot.keyClick(
        page.targets.list, "O", Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    found = QApplication.activePopupWidget()
    assert isinstance(found, QMenu)
    return found


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_recent_plan_is_set_up_again(qtbot: QtBot, page: BenchPage, dyno_home: Path) -> None:
    both = plan(f"{MARIADB}:innodb", f"{MARIADB}:myisam", rows=5000, name="R&D " + "x" * 50)
    comparable.keep(dyno_home, both)
    comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=7000))
    menu = open_recent(qtbot, page)
    actions = {re.sub(r"[\d-]+ [\d:]+$", "DATE", each.text()): each for each in menu.actions()[:2]}
    long = f"R&&D {'x' * 35}…: innodb, myisam x 1\tlocal, DATE"
    assert sorted(actions) == [long, f"duel: {MARIADB}-innodb x 1\tlocal, DATE"]
    menu.setActiveAction(actions[long])
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 5000)
    settle(qtbot, page)
    assert [each.engine for each in request_of(page).contenders] == ["innodb", "myisam"]
    assert page.message.isHidden() and reason(page) == ""


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_recent_plan_that_was_deleted_meanwhile_is_told(
    qtbot: QtBot, page: BenchPage, dyno_home: Path
) -> None:
    (id_,) = comparable.keep(dyno_home, plan(f"{MARIADB}:innodb", rows=5000))
    menu = open_recent(qtbot, page)
    with History(dyno_home) as history:
        delete(history, id_)
    menu.actions()[0].trigger()
    qtbot.waitUntil(lambda: page.message.isVisible())
    assert "no session" in page.message.text
    menu.close()
    assert open_recent(qtbot, page).actions()[0].text() == "No plans yet"


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_plan_of_dyno_is_set_up_and_says_what_it_scales(qtbot: QtBot, page: BenchPage) -> None:
    menu = open_recent(qtbot, page)
    files = {each.text().partition("\t")[0]: each for each in menu.actions()[2:]}
    assert list(files) == list(shipped_plans())
    files["percona-2026.toml"].trigger()
    qtbot.waitUntil(lambda: page.controller.draft.request.sequence == "percona-2026")
    settle(qtbot, page)
    menu.close()
    (text,) = (each for each in page.run_panel.plan.text.toPlainText().split("\n\n")[:1])
    scaled = [line for line in text.splitlines() if line.startswith("# scaled: ")]
    assert len(scaled) >= 4 and not any("{" in line for line in scaled)
    assert {each.preset for each in request_of(page).contenders} == {
        "percona-32g",
        "percona-12g",
        "percona-2g",
    }
    survey = page.controller.survey
    there = [each.name for each in (survey.builds if survey else []) if each.has("innodb")]
    assert {each.build for each in request_of(page).contenders} == set(there) and len(there) > 1
    page.controller.change(page.controller.draft.tick(there[0], "innodb", "percona-2g", False))
    settle(qtbot, page)
    assert len(request_of(page).contenders) == 3 * len(there) - 1, "one build of each can be left out"
    page.controller.change(page.controller.draft.with_sequence("quick"))
    settle(qtbot, page)
    assert "# scaled" not in page.run_panel.plan.text.toPlainText()


@pytest.mark.qt_log_ignore("^This plugin does not support")
def test_a_preset_of_a_plan_file_is_shown_as_it_is_sent(qtbot: QtBot, page: BenchPage) -> None:
    page.controller.open_plan(str(shipped_plans()["power-cut-settings.toml"]))
    qtbot.waitUntil(lambda: page.controller.draft.request.sequence == "power-cut")
    settle(qtbot, page)
    presets = [each.preset for each in request_of(page).contenders]
    assert "flush-1-sync-1" in presets and "settings = " in page.run_panel.plan.text.toPlainText()


def test_published_sessions_are_set_up_here_scaled_and_never_started(
    qtbot: QtBot, page: BenchPage, to_follow: list[Any], dyno_home: Path
) -> None:
    with History(dyno_home) as history:
        ids = [each.session for each in import_shipped(history)]
        names = ("innodb-5.6.35-default", "myrocks-5.6.35-default")
        wanted = tuple(find(history, name) for name in names)
    page.open(ShowPageRequest("bench", wanted, is_run=True))
    qtbot.waitUntil(lambda: page.controller.draft.request.rows == 80_000_000)
    settle(qtbot, page)
    assert page.message.text.splitlines() == [
        "Set up for local as published, but for:",
        "80,000,000 rows of each table for 16.0 GiB of memory, 40,000,000 there for 8.0 GiB",
        "build mysql-5.6.24 in place of mysql-5.6.35",
        f"build {MARIADB} in place of fb-mysql-5.6.35",
        "Review the checks, then press Run.",
    ]
    assert [each.build for each in request_of(page).contenders] == ["mysql-5.6.24", MARIADB]
    assert not to_follow
    page.open(ShowPageRequest("bench", tuple(ids)))
    qtbot.waitUntil(lambda: "choose sessions of one sequence" in page.message.text)


def test_published_sessions_wait_for_a_survey(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    with History(dyno_home) as history:
        session = import_shipped(history)[0].session
    page = open_page(nothing=True)
    page.open(ShowPageRequest("bench", (session,)))
    qtbot.waitUntil(lambda: "survey local first" in page.message.text)


@pytest.mark.parametrize(
    ("text", "why"),
    [("tables = 0\n", "line 1: tables must be between"), ('target = "gone"\n', "no target 'gone'")],
)
def test_a_plan_file_that_cannot_be_is_told(
    qtbot: QtBot, page: BenchPage, tmp_path: Path, text: str, why: str
) -> None:
    page.run_panel.plan.open_wanted.emit(str(write(tmp_path / "plan.toml", text)))
    qtbot.waitUntil(lambda: why in page.message.text)
    good = write(tmp_path / "good.toml", page.run_panel.plan.text.toPlainText())
    page.run_panel.plan.open_wanted.emit(str(good))
    assert not page.message.isVisible()


def test_the_command_line_is_taken_along(qtbot: QtBot, page: BenchPage) -> None:
    page.run_panel.plan.copy.trigger()
    assert QGuiApplication.clipboard().text() == (
        f"dyno run --contender {MARIADB}:innodb:baseline --contender {MARIADB}:rocksdb:baseline"
        " --sequence duel"
        " --steps point-query,read-only,update-index,insert --repeats 6 --seconds 4 --order slices"
        " --start-state snapshot"
    )
