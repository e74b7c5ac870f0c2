"""The dialog that tells what goes on without the window."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QDialog, QWidget

from tests.journals import Maker
from tests.plans import plan
from tests.ui.find import label_texts
from tests.ui.watched import WatchedPlans
from ui.dialogs.closing import ClosingDialog


@pytest.fixture
def parent(qtbot: Any) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


def shown(window: QWidget, followed: WatchedPlans) -> ClosingDialog:
    dialog = ClosingDialog(followed, window)
    dialog.open()
    return dialog


def test_it_agrees_by_itself_when_the_last_plan_ends(
    followed: WatchedPlans, parent: QWidget, qtbot: Any
) -> None:
    first, second = (followed.watch(each) for each in (plan(), plan()))
    dialog = shown(parent, followed)
    assert any("The plans continue" in text for text in label_texts(dialog))
    first.is_over = True
    followed.ended.emit(first.id)
    assert dialog.isVisible() and any("The plan continues" in text for text in label_texts(dialog))
    assert "".join(label_texts(dialog)).count(" on local") == 1
    second.is_over = True
    with qtbot.waitSignal(dialog.accepted):
        followed.ended.emit(second.id)
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_who_stays_is_not_asked_again(followed: WatchedPlans, parent: QWidget) -> None:
    maker = Maker(plan())
    followed.watch(maker.plan)
    dialog = shown(parent, followed)
    followed.bring(maker)
    assert dialog.isVisible()
    dialog.reject()
    followed.ended.emit(maker.plan.id)
    assert dialog.result() == QDialog.DialogCode.Rejected
