"""The Bench page: as it opens, and for everybody."""

from __future__ import annotations

import re
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.planner.starting.launch import LaunchStage
from app.targets.surveys import DatedSurvey
from tests.plans import MARIADB, VERSION, build, survey
from tests.ui.bench.set_up import (
    OLD,
    OpenPage,
    cell,
    checks_of,
    click_cell,
    reason,
    request_of,
    retype,
    settle,
)
from tests.ui.find import find
from ui.core.context import WindowContext
from ui.pages.bench import BenchPage
from ui.widgets.message import MessageBar


def test_the_duel_is_ready_on_this_computer(page: BenchPage) -> None:
    assert page.run_panel.run_bar.run.isEnabled()
    assert [(c.build, c.engine) for c in request_of(page).contenders] == [
        (MARIADB, "innodb"),
        (MARIADB, "rocksdb"),
    ]
    assert page.sequence.box.currentText() == "duel"
    assert re.fullmatch(r"about \d min \d\d s", page.run_panel.estimate.time.text())
    assert re.match(r"until \d\d:\d\d, about .* of disk", page.run_panel.estimate.disk.text())
    assert "of disk" in page.run_panel.estimate.disk.text()
    names = [page.contenders.contenders.index(row, 0).data() for row in range(2)]
    assert names == [f"{MARIADB}-innodb", f"{MARIADB}-rocksdb"]


def test_before_the_target_was_looked_at_nothing_can_be_run(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 10_000_000)
    page = open_page(nothing=True)
    assert not page.run_panel.run_bar.run.isEnabled()
    assert reason(page).startswith("survey the target first")
    assert page.run_panel.run_bar.run.toolTip() == reason(page)
    assert page.sequence.box.currentText() == "duel"
    checks, bad = page.run_panel.checks, page.context.theme.colour("bad")
    assert checks_of(page).startswith("Wait · plan: survey the target first")
    assert all(checks.item(row).foreground().color() != bad for row in range(checks.count()))
    labels = [each for each in page.findChildren(QLabel) if each.isVisible() and each.text()]
    assert [each.text() for each in labels if each.property("role") == "bad"] == []


def test_the_keyboard_stays_at_the_button_while_a_plan_starts(qtbot: QtBot, page: BenchPage) -> None:
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    bar = page.run_panel.run_bar
    cancel = find(bar, QPushButton, "Cancel")
    bar.button.setFocus()
    bar.show_stage(LaunchStage())
    assert cancel.hasFocus()
    bar.show_stage(None)
    assert bar.button.hasFocus() and not cancel.isVisible()


def test_the_first_survey_brings_the_duel(
    qtbot: QtBot, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 10_000_000)
    page = open_page(nothing=True)
    page.targets.known.take(page.targets.chosen, DatedSurvey(time.time(), survey(clock_utc=time.time())))
    qtbot.waitUntil(page.run_panel.run_bar.run.isEnabled)
    assert len(request_of(page).contenders) == 2


def test_what_was_set_up_last_is_there_again(qtbot: QtBot, page: BenchPage, open_page: OpenPage) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "3x memory")
    click_cell(qtbot, page.contenders.grid, cell(page, OLD, "innodb"))
    settle(qtbot, page)
    again = open_page()
    assert request_of(again) == request_of(page)
    assert again.sequence.fields.edits["rows"].text() == "3x memory"


def test_a_contender_that_cannot_be_does_not_lose_the_rest(
    qtbot: QtBot, page: BenchPage, open_page: OpenPage
) -> None:
    retype(qtbot, page.sequence.fields.edits["rows"], "3x memory")
    page.contenders.contenders.edited.emit(0, "name", "no & name")
    settle(qtbot, page)
    assert "name must be" in reason(page)
    assert open_page().sequence.fields.edits["rows"].text() == "3x memory"


def test_every_control_has_a_name_and_every_action_its_words(page: BenchPage) -> None:
    kinds = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit)
    for kind in kinds:
        for control in page.findChildren(kind):
            if control.focusPolicy() != Qt.FocusPolicy.NoFocus and _is_own(control):
                found = QAccessible.queryAccessibleInterface(control)
                assert found.text(QAccessible.Text.Name), f"{control} has no name"
    actions = [each for each in page.page_actions() if each is not None]
    shortcuts = [each.shortcut().toString() for each in actions if each.shortcut().toString()]
    assert len(shortcuts) == len(set(shortcuts))
    assert all(each.text() and each.toolTip() and each.statusTip() for each in actions)


def _is_own(widget: QWidget) -> bool:
    """Not a part that Qt put into another control, nor of a message that is not there."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QComboBox | MessageBar):
            return False
        above = above.parentWidget()
    return not widget.objectName().startswith("qt_")


@pytest.mark.parametrize("appearance", ["light", "dark"])
@pytest.mark.parametrize("size", [(1248, 690), (1888, 970)])
def test_eight_contenders_with_long_names_fit(
    qtbot: QtBot, open_page: OpenPage, context: WindowContext, size: tuple[int, int], appearance: str
) -> None:
    context.theme.set_appearance(appearance)
    long = "percona-server-8.0.36-28-built-with-everything"
    builds = [
        build(MARIADB, "MariaDB", VERSION, ["innodb", "rocksdb", "myisam"]),
        build(long, "Percona", "8.0.36", ["innodb", "rocksdb", "myisam"]),
        *(build(f"mysql-8.4.{at}", "MySQL", f"8.4.{at}", ["innodb", "myisam"]) for at in range(6)),
    ]
    page = open_page(*size, builds=builds)
    for at in range(6):
        page.controller.change(page.controller.draft.tick(f"mysql-8.4.{at}", "innodb", "baseline", True))
    page.controller.change(
        page.controller.draft.with_contender(0, name="a name of nearly sixty letters, as long as it may be")
    )
    settle(qtbot, page)
    assert page.contenders.contenders.rowCount() == 8
    assert (page.width(), page.height()) == size
    for widget in page.findChildren(QWidget):
        if widget.isVisible() and widget.parentWidget() and isinstance(widget, QAbstractButton | QLineEdit):
            assert widget.parentWidget().rect().contains(widget.geometry()), widget
    assert page.contenders.table.height() >= 4 * 26
