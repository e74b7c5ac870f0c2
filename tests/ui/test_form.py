"""A form from a table, and the filter of a dialog with a list."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from ui.core.theme import Theme
from ui.pages.bench.plan.run_dialogs import TickList
from ui.widgets.form import CheckBoxField, Choice, Form, FormFieldSpec, NumberField, TextListField
from ui.widgets.list_dialog import MANY, ListDialog, TreeDialog

FIELDS = (
    FormFieldSpec("name", "&Name", "How it is called", empty="nuc-i3", needed="enter a name"),
    FormFieldSpec("port", "&Port", kind=NumberField, group="remote"),
    FormFieldSpec("unit", "&Unit", kind=Choice, choices=(("s", "seconds"), ("m", "minutes")), joins_row=True),
    FormFieldSpec("places", "P&laces", kind=TextListField, needed="name a place"),
    FormFieldSpec("is_kept", "&Keep it", kind=CheckBoxField, is_wide=True, group="remote"),
)
VALUES = {"name": "far", "port": 22, "unit": "m", "places": ["/a", "/b"], "is_kept": True}
NOTHING = {"name": "", "port": 0, "unit": "s", "places": [], "is_kept": False}


@pytest.fixture
def form(qtbot: QtBot, theme: Theme) -> Form:
    assert theme
    made = Form(FIELDS)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_a_row_of_the_table_is_all_that_a_field_needs(qtbot: QtBot, form: Form) -> None:
    form.fill(VALUES)
    assert form.values() == VALUES
    name = form.line("name")
    assert (name.accessibleName(), name.toolTip(), name.placeholderText()) == (
        "Name",
        "How it is called",
        "nuc-i3",
    )
    with qtbot.waitSignal(form.changed):
        qtbot.keyClicks(name, "-away")
    form.line("port").setText("ssh")
    assert form.values() == {**VALUES, "name": "far-away", "port": -1}
    form.fill(NOTHING)
    assert form.values() == NOTHING and form.line("port").text() == ""


def test_what_is_wrong_is_shown_below_its_field_once_somebody_has_left_it(qtbot: QtBot, form: Form) -> None:
    form.fill(NOTHING)
    assert form.missing() == {"name": "enter a name", "places": "name a place"}
    qtbot.keyClicks(form.line("name"), "x")
    assert form.judged() == set()
    qtbot.keyClick(form.line("name"), Qt.Key.Key_Return)
    assert form.judged() == {"name"}
    form.show_problems(form.missing())
    assert [name for name, label in form.problems.items() if label.isVisible()] == ["places"]
    form.focus_first(form.missing())
    qtbot.waitUntil(form.inputs["places"].hasFocus)


def test_fields_of_a_group_are_hidden_with_their_labels(qtbot: QtBot, form: Form) -> None:
    whole = form.sizeHint().height()
    form.show_group("remote", False)
    assert not form.line("port").isVisible() and form.line("name").isVisible()
    qtbot.waitUntil(lambda: form.sizeHint().height() < whole)


def test_a_long_list_is_filtered_and_keeps_its_ticks(qtbot: QtBot, theme: Theme) -> None:
    assert theme
    names = [f"nuc-{number}" for number in range(MANY + 2)]
    ticks = TickList("Targets", names, ["nuc-3"])
    dialog = ListDialog("Pick", "Targets to tick", ticks, None)
    dialog.buttons.setStandardButtons(QDialogButtonBox.StandardButton.Ok)
    dialog.buttons.accepted.connect(dialog.accept)
    dialog.arrange()
    dialog.open()
    qtbot.waitExposed(dialog)
    assert dialog.filter.isVisible()
    qtbot.keyClicks(dialog.filter, "NUC 11")
    assert [each.text() for each in ticks.rows() if not each.isHidden()] == ["nuc-3", "nuc-11"]
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Return)
    qtbot.waitUntil(ticks.hasFocus)
    assert dialog.isVisible() and ticks.ticked == ["nuc-3"]
    dialog.filter.clear()
    assert not any(each.isHidden() for each in ticks.rows())
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_a_short_list_needs_no_filter_and_new_rows_are_filtered_too(qtbot: QtBot, theme: Theme) -> None:
    assert theme
    dialog = TreeDialog("Plans", "What waits", "Waiting", ["Plan", "Begins"], None)
    for number in range(MANY):
        dialog.list.addTopLevelItem(QTreeWidgetItem([f"plan {number}", "at night"]))
    dialog.open()
    qtbot.waitExposed(dialog)
    assert not dialog.filter.isVisible()
    dialog.list.addTopLevelItem(QTreeWidgetItem(["another", "now"]))
    assert dialog.filter.isVisible()
    dialog.filter.setText("now")
    assert [at for at in range(MANY + 1) if not dialog.list.topLevelItem(at).isHidden()] == [MANY]
    dialog.list.addTopLevelItem(QTreeWidgetItem(["more", "at night"]))
    assert dialog.list.topLevelItem(MANY + 1).isHidden()
    dialog.reject()
