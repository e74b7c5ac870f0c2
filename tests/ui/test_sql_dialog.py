"""Custom SQL is written: checked while it is typed, kept, and not lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox
from pytestqt.qtbot import QtBot

from app.catalog import Catalog
from app.catalog.own_sql import OwnSql, sql_workloads, write_sql
from ui.core.context import WindowContext
from ui.pages.bench.sql import CustomSqlDialog

MINE = OwnSql("people", "Reading one of my people")


@pytest.fixture
def dialog(qtbot: QtBot, context: WindowContext) -> CustomSqlDialog:
    write_sql(Catalog(), MINE)
    made = CustomSqlDialog(context)
    qtbot.addWidget(made, before_close_func=lambda each: each.form.show_sql(each._kept, is_new=False))
    made.open()
    qtbot.waitUntil(lambda: made.box.count() > 1 and made.said.text() != "")
    return made


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the person says to the questions that are asked."""
    said: list[Any] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda *_: said.pop(0))
    return said


def choose(dialog: CustomSqlDialog, name: str) -> None:
    at = next(at for at in range(dialog.box.count()) if dialog.box.itemText(at).startswith(name))
    dialog.box.setCurrentIndex(at)
    dialog.box.activated.emit(at)


def test_what_is_wrong_stands_there_by_line_while_it_is_typed(qtbot: QtBot, dialog: CustomSqlDialog) -> None:
    assert dialog.said.text() == "No errors"
    dialog.form.text.go_to_line(11)
    qtbot.keyClicks(dialog.form.text, "drop table people;")
    qtbot.waitUntil(lambda: dialog.form.problems.count() == 1)
    item = dialog.form.problems.item(0)
    assert item.text().startswith("line 11: DROP is not allowed")
    assert dialog.form.text._wrong == {11}
    dialog.form.text.go_to_line(1)
    dialog.form.problems.itemActivated.emit(item)
    assert dialog.form.text.textCursor().blockNumber() == 10


def test_a_new_one_is_kept(qtbot: QtBot, dialog: CustomSqlDialog) -> None:
    dialog.save.trigger()
    qtbot.waitUntil(lambda: "the name of a workload may have" in dialog.message.accessibleName())
    qtbot.keyClicks(dialog.form.name, "another")
    qtbot.keyClicks(dialog.form.title, "Another way")
    with qtbot.waitSignal(dialog.kept) as told:
        dialog.save.trigger()
    assert told.args == ["another", True]
    assert not dialog.is_changed and dialog.form.name.isReadOnly()
    assert [step.workload for step in Catalog().sequence("another").steps] == ["another-load", "another"]
    dialog.form.title.setText("Another title")
    with qtbot.waitSignal(dialog.kept) as told:
        dialog.save.trigger()
    assert told.args == ["another", False]
    assert Catalog().workload("another").title == "Another title"


def test_sql_that_is_not_kept_is_asked_about(
    qtbot: QtBot, dialog: CustomSqlDialog, answers: list[Any]
) -> None:
    qtbot.keyClicks(dialog.form.text, "# mine ")
    answers.append(QMessageBox.StandardButton.Cancel)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible() and not answers
    answers.append(QMessageBox.StandardButton.Cancel)
    choose(dialog, "people")
    assert dialog.form.text.toPlainText().startswith("# mine") and not answers
    answers.append(QMessageBox.StandardButton.Cancel)
    assert not dialog.close() and dialog.isVisible()
    answers.append(QMessageBox.StandardButton.Discard)
    choose(dialog, "people")
    assert (dialog.form.name.text(), dialog.form.title.text()) == ("people", MINE.title)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)  # nothing to be asked
    assert not dialog.isVisible()


def test_another_is_chosen_once_this_one_is_saved(
    qtbot: QtBot, dialog: CustomSqlDialog, answers: list[Any]
) -> None:
    choose(dialog, "people")
    qtbot.keyClicks(dialog.form.text, "# mine ")
    answers.append(QMessageBox.StandardButton.Save)
    with qtbot.waitSignal(dialog.kept):
        choose(dialog, "new")
    assert not answers and dialog.form.name.text() == "" and not dialog.is_changed
    saved = next(each for each in sql_workloads(Catalog()) if each.name == "people")
    assert saved.text.startswith("# mine ")


def test_shipped_ones_are_read_and_copied(qtbot: QtBot, dialog: CustomSqlDialog, dyno_home: Path) -> None:
    shipped = [at for at in range(dialog.box.count()) if dialog.box.itemText(at).endswith("(shipped)")]
    if not shipped:
        dialog._show(OwnSql("theirs", "Theirs", shipped=True), is_new=False)
    else:
        choose(dialog, dialog.box.itemText(shipped[0]))
    assert dialog.form.text.isReadOnly() and not dialog.save.isEnabled()
    name = dialog.form.name.text()
    dialog.copy.trigger()
    assert dialog.form.name.text() == f"{name}-mine" and not dialog.form.text.isReadOnly()
    with qtbot.waitSignal(dialog.kept):
        dialog.save.trigger()
    assert Catalog().workload(f"{name}-mine").sql == f"{name}-mine.sql"
    assert (dyno_home / f"workloads/{name}-mine.sql").is_file()


def test_a_file_is_opened(
    qtbot: QtBot, dialog: CustomSqlDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "Point Read.txt"
    file.write_text(
        "option\n  name x\ndeclare\n  id int 1 100\nbegin\n  select c from sbtest1 where id = :id ;\nend\n"
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    dialog.open_file.trigger()
    qtbot.waitUntil(lambda: dialog.form.name.text() == "point-read")
    assert "select c from sbtest1 where id = :id" in dialog.form.text.toPlainText()
    assert dialog.is_changed and dialog.save.isEnabled()
    with qtbot.waitSignal(dialog.kept):
        dialog.save.trigger()
    assert Catalog().workload("point-read").figure == "latency"
