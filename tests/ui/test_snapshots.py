"""The data sets that are kept on a target, in the window: listed by its agent, deleted there."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from app.agent.snapshots.snapshots import Snapshots
from app.agent.system.directory import MARKER, MarkedDirectory
from app.remote.target import LOCAL
from app.targets.store import Targets
from ui.core.context import WindowContext
from ui.pages.bench.targets.machine_commands import SnapshotsDialog

WAIT_MS = 30_000
KEYS = ("0123456789abcdef", "fedcba9876543210")


@pytest.fixture
def kept(context: WindowContext) -> Path:
    """Two of them on this computer; gives their folder."""
    target = context.home / "target"
    target.mkdir(mode=0o700, parents=True)
    (target / MARKER).touch()
    directory = MarkedDirectory(str(target))
    for key in KEYS:
        data = Path(directory.session("S" + key)) / "data"
        data.mkdir(parents=True)
        (data / "ibdata1").write_bytes(b"x" * 100_000)
        about = {"rows_by_driver": {}, "tables": 2, "rows": 10, "contender": {"build": f"of-{key[:4]}"}}
        Snapshots(directory).keep(key, str(data), about, lambda _: None)
    return target / "snapshots"


def answer(qtbot: QtBot, dialog: SnapshotsDialog, text: str) -> str:
    """Click a button of the question; what was asked."""
    (box,) = dialog.findChildren(QMessageBox)
    asked = box.text()
    button = next(each for each in box.buttons() if each.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dialog.findChildren(QMessageBox) == [])
    return asked


def test_one_is_deleted_by_its_button(qtbot: QtBot, context: WindowContext, kept: Path) -> None:
    dialog = SnapshotsDialog(context, Targets(context.home).get(LOCAL))
    qtbot.addWidget(dialog)
    dialog.begin()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 2, timeout=WAIT_MS)
    first = dialog.list.topLevelItem(0)
    assert [first.text(at) for at in (0, 3, 5)] == ["of-0123", "2 x 10 rows", "just now"]
    assert KEYS[0] in first.toolTip(0) and KEYS[0] not in map(first.text, range(first.columnCount()))
    assert dialog.said.text().startswith("2 snapshots, ")
    assert not dialog.delete_button.isEnabled()
    first.setSelected(True)
    qtbot.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    assert answer(qtbot, dialog, "Cancel") == "Delete the snapshot of-0123, 2 x 10 rows?"
    assert len(list(kept.iterdir())) == 2
    qtbot.mouseClick(dialog.delete_button, Qt.MouseButton.LeftButton)
    answer(qtbot, dialog, "Delete")
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1, timeout=WAIT_MS)
    assert [path.name for path in kept.iterdir()] == [KEYS[1]]


def test_why_it_cannot_be_is_said_in_the_dialog(qtbot: QtBot, context: WindowContext, kept: Path) -> None:
    """Nothing is taken away under a plan that is carried out."""
    lock = MarkedDirectory(str(kept.parent)).lock({"plan": "P"})
    assert lock is not None
    dialog = SnapshotsDialog(context, Targets(context.home).get(LOCAL))
    qtbot.addWidget(dialog)
    dialog.begin()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 2, timeout=WAIT_MS)
    dialog.list.setFocus()
    dialog.list.setCurrentItem(dialog.list.topLevelItem(1))
    qtbot.keyClick(dialog.list, Qt.Key.Key_Delete)
    answer(qtbot, dialog, "Delete")
    qtbot.waitUntil(dialog.message.isVisible, timeout=WAIT_MS)
    assert "is in use by plan P (process " in dialog.message.text
    assert dialog.list.topLevelItemCount() == 2
    assert len(list(kept.iterdir())) == 2
