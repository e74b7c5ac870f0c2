"""The list of a combo box that gives way to others."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from ui.widgets.wide_list import WideListComboBox


def test_the_list_of_a_narrow_box_has_room_for_its_entries(qtbot: QtBot) -> None:
    box = WideListComboBox()
    qtbot.addWidget(box)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.addItem("CPU of the machine that drives, all of its cores are 100 %")
    box.show()
    box.showPopup()
    needed = box.fontMetrics().horizontalAdvance(box.itemText(0))
    assert box.width() < needed <= box.view().width()
    box.hidePopup()
