"""A preset is written with what builds make of it beside it, asked about, kept, and not lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.catalog.own import copy_preset
from app.core.errors import TargetError
from app.planner.starting.choices import choices
from app.planner.starting.preset_check import BuildReply
from app.targets.store import Targets
from tests import plans as made_up
from tests.fakes import ScriptedAgent
from tests.plans import MARIADB
from ui.core.context import WindowContext
from ui.pages.bench.presets import dialog as preset_dialog
from ui.pages.bench.presets.dialog import PresetDialog, preset_check_summary

Opened = Callable[[str], PresetDialog]


@pytest.fixture
def open_preset(qtbot: QtBot, context: WindowContext, dyno_home: Path) -> Opened:
    """The dialog of a preset of InnoDB; `mine` is the person's own."""

    def open_(name: str) -> PresetDialog:
        catalog, survey = Catalog(), made_up.survey()
        copy_preset(catalog, "innodb", "baseline", "mine")
        target, preset = Targets(dyno_home).get("local"), catalog.preset("innodb", name)
        made = PresetDialog(context, target, choices(survey, catalog), survey, preset)
        qtbot.addWidget(made, before_close_func=lambda each: each.text.setPlainText(each._preset.text))
        made.open()
        qtbot.waitUntil(lambda: made.beside.text.toPlainText() != "")
        return made

    return open_


def answer_with(monkeypatch: pytest.MonkeyPatch, *answers: BuildReply | Exception) -> list[bool]:
    """What the builds will say; the list tells of each question whether they were to be started."""
    asked: list[bool] = []

    def tried(_agent: Any, _survey: Any, _preset: Any, start: bool) -> list[BuildReply]:
        asked.append(start)
        if isinstance(answers[0], Exception):
            raise answers[0]
        return [each for each in answers if isinstance(each, BuildReply)]

    monkeypatch.setattr(preset_dialog, "reached", ScriptedAgent().reached)
    monkeypatch.setattr(preset_dialog, "try_preset", tried)
    return asked


def test_what_a_build_would_get_stands_beside_it_as_it_is_typed(qtbot: QtBot, open_preset: Opened) -> None:
    dialog = open_preset("mine")
    assert dialog.beside.form.currentText() == f"rendered for {MARIADB}"
    assert dialog.beside.text.toPlainText().startswith("[mysqld]\n")
    dialog.text.go_to_line(9)
    dialog.text.insertPlainText("back_log={cores*3}\n")
    qtbot.waitUntil(lambda: "back_log=12\n" in dialog.beside.text.toPlainText())
    assert dialog.said.text() == "Changed, not saved yet"


def test_the_dialog_tells_the_first_thing_that_is_wrong_with_its_line(
    qtbot: QtBot, open_preset: Opened
) -> None:
    dialog = open_preset("mine")
    dialog.text.go_to_line(9)
    dialog.text.insertPlainText("port=3306\n")
    qtbot.waitUntil(lambda: dialog.said.text() == "line 9: Dyno sets port itself: remove the line")
    assert dialog.text._wrong == {9}


def test_the_lines_in_which_another_differs_stand_beside_it(qtbot: QtBot, open_preset: Opened) -> None:
    dialog = open_preset("mine")
    dialog.beside.form.setCurrentIndex(dialog.beside.form.findText("differs from optimized"))
    qtbot.waitUntil(
        lambda: dialog.beside.text.toPlainText().startswith("--- innodb/optimized\n+++ innodb/mine\n")
    )
    dialog.beside.form.setCurrentIndex(dialog.beside.form.findText("differs from baseline"))
    qtbot.waitUntil(lambda: dialog.beside.text.toPlainText() == "the files do not differ")


def test_many_builds_that_refuse_it_do_not_widen_the_dialog(
    qtbot: QtBot, open_preset: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{MARIADB}-{each}" for each in range(20)]
    answer_with(monkeypatch, *(BuildReply(name, "rejected", "x", "unknown variable", 12) for name in names))
    dialog = open_preset("mine")
    width = dialog.width()
    dialog.ask.trigger()
    qtbot.waitUntil(lambda: dialog.said.text().startswith("Refused by "))
    assert dialog.minimumSizeHint().width() <= width == dialog.width()
    assert dialog.said.toolTip() == dialog.said.text()


def test_builds_are_asked_and_their_answers_lead_to_the_lines(
    qtbot: QtBot, open_preset: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answer_with(
        monkeypatch,
        BuildReply("mysql-9.7.4", "rejected", "x", "unknown variable 'x=1'", 12),
        BuildReply("mysql-9.7.4", "ignored", "loose_ssl", "unknown variable 'loose_ssl=0'", 15),
        BuildReply(MARIADB, "accepted", "", "accepts every option"),
    )
    dialog = open_preset("mine")
    dialog.ask.trigger()
    qtbot.waitUntil(lambda: dialog.answers.count() == 3)
    assert dialog.answers.item(0).text() == "mysql-9.7.4 · rejected, line 12: unknown variable 'x=1'"
    assert dialog.said.text() == "Refused by mysql-9.7.4"
    assert (dialog.text._wrong, dialog.text._doubtful & {12, 15}) == ({12}, set())  # loose_: nothing to do
    marked = [each.cursor.blockNumber() + 1 for each in dialog.text.extraSelections()]
    assert marked == [12]
    assert dialog.answers.item(1).foreground().color() == dialog.text.theme.colour("muted")
    assert dialog.text._said[12] == "mysql-9.7.4: rejected: unknown variable 'x=1'"
    dialog.answers.itemActivated.emit(dialog.answers.item(1))
    assert dialog.text.textCursor().blockNumber() == 14
    dialog.start.trigger()
    qtbot.waitUntil(lambda: asked == [False, True] and dialog.start.isEnabled())


def test_names_are_completed_by_what_the_builds_know(qtbot: QtBot, open_preset: Opened) -> None:
    editor = open_preset("mine").text
    assert editor.completer.model().rowCount() > 0  # what presets set
    editor.go_to_line(editor.blockCount())
    editor.moveCursor(editor.textCursor().MoveOperation.End)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "loose_buffer-p")
    qtbot.waitUntil(editor.names.isVisible)
    assert editor.completer.currentCompletion() == "innodb_buffer_pool_dump_at_shutdown"
    qtbot.keyClicks(editor, "ool_s")
    assert editor.completer.currentCompletion() == "innodb_buffer_pool_size"
    qtbot.keyClick(editor.names, Qt.Key.Key_Down)
    qtbot.keyClick(editor.names, Qt.Key.Key_Return)
    assert editor.toPlainText().endswith("\nloose_innodb_buffer_pool_size")
    qtbot.keyClicks(editor, " = innodb_buf")
    assert not editor.names.isVisible()


def test_an_option_leads_to_its_line(open_preset: Opened) -> None:
    dialog = open_preset("mine")
    dialog.text.setPlainText("[mysqld]\nx=1\nloose-innodb-x=2\ny=1\n")
    dialog.go_to_option("innodb_x")
    assert dialog.text.textCursor().blockNumber() == 2


def test_what_is_taken_otherwise_is_counted_by_line() -> None:
    loose = BuildReply("b", "ignored", "loose_x", "it says", 5)
    assert preset_check_summary([loose]) == "Accepted by every build asked"
    fine = BuildReply("a", "accepted", "", "accepts every option")
    ignored, changed = (BuildReply("b", state, "x", "it says", 3) for state in ("ignored", "changed"))
    assert preset_check_summary([fine]) == "Accepted by every build asked"
    assert (
        preset_check_summary([fine, ignored, changed])
        == "Accepted by every build asked; 1 line not as written"
    )
    assert preset_check_summary([ignored, BuildReply("b", "rejected", "y", "unknown", 4)]) == "Refused by b"


def test_a_target_that_is_busy_is_told(
    qtbot: QtBot, open_preset: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_with(monkeypatch, TargetError("plan X is running: wait for it or stop it"))
    dialog = open_preset("mine")
    dialog.ask.trigger()
    qtbot.waitUntil(lambda: "plan X" in dialog.message.accessibleName())
    assert dialog.ask.isEnabled() and dialog.answers.count() == 0


def test_one_of_ones_own_is_kept(qtbot: QtBot, open_preset: Opened) -> None:
    dialog = open_preset("mine")
    dialog.text.go_to_line(9)
    dialog.text.insertPlainText("back_log=80\n")
    with qtbot.waitSignal(dialog.kept):
        dialog.save.trigger()
    assert "back_log=80\n" in Catalog().preset("innodb", "mine").text
    assert not dialog.is_changed


def test_a_shipped_one_is_only_read(open_preset: Opened) -> None:
    dialog = open_preset("optimized")
    assert dialog.text.isReadOnly() and not dialog.save.isEnabled()


def test_what_is_not_kept_is_asked_about(
    qtbot: QtBot, open_preset: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [QMessageBox.StandardButton.Cancel, QMessageBox.StandardButton.Discard]
    monkeypatch.setattr(QMessageBox, "exec", lambda *_: answers.pop(0))
    dialog = open_preset("mine")
    qtbot.keyClicks(dialog.text, "# mine ")
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_is_changed_is_saved_on_the_way_out(qtbot: QtBot, open_preset: Opened) -> None:
    dialog = open_preset("mine")
    qtbot.keyClicks(dialog.text, "# mine ")
    texts = answer_question(dialog, QMessageBox.StandardButton.Save)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert texts == ["&Save", "&Discard", "&Cancel"]
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert Catalog().preset("innodb", "mine").text.startswith("# mine ")


def answer_question(dialog: PresetDialog, answer: QMessageBox.StandardButton) -> list[str]:
    """The next question, with a click; its buttons, once it was asked."""
    texts: list[str] = []

    def click() -> None:
        box = dialog.findChild(QMessageBox)
        texts.extend(sorted((each.text() for each in box.buttons()), key="&Save &Discard &Cancel".index))
        box.button(answer).click()

    QTimer.singleShot(0, click)
    return texts


def test_the_buttons_of_the_editor_have_keys(open_preset: Opened) -> None:
    dialog = open_preset("baseline")
    texts = [each.text() for each in dialog.findChildren(QPushButton) if each.isVisible()]
    letters = [text[text.index("&") + 1].lower() for text in texts if "&" in text]
    assert {"&Ask the builds", "S&tart them once", "&Save"} <= set(texts)
    assert len(letters) == len(set(letters))
