"""Scripts of the columns, asked for where a report is made."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from app.history.exchange.import_any import import_any
from app.history.store.history import History
from tests.plans import MARIADB
from tests.ui.compare.seen import Open
from ui.core.bus import ShowPageRequest
from ui.dialogs.report import ReportDialog
from ui.pages.compare import ComparePage

RELEASED = Path(__file__).parents[2] / "data" / "0.1.0" / "session.zip"


def press_scripts(page: ComparePage, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(folder), ""))
    page.commands.report.trigger()
    dialog = page.findChild(ReportDialog)
    (button,) = [each for each in dialog.findChildren(QPushButton) if "cripts" in each.text()]
    button.click()
    dialog.reject()


def test_columns_that_have_one_get_their_scripts(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (other, *_) = opened(2)
    with History(page.context.home) as history:
        (taken,) = import_any(history, RELEASED).sessions
    before = page.body.comparison
    page.open(ShowPageRequest("compare", (taken.session, other)))
    qtbot.waitUntil(lambda: page.body.comparison is not before)
    with qtbot.waitSignal(page.context.bus.saved) as saved:
        press_scripts(page, monkeypatch, tmp_path / "scripts")
    assert saved.args[1].startswith(f"The scripts are saved: {tmp_path / 'scripts'}; session ")
    assert " is imported" in saved.args[1] and other not in saved.args[1]
    assert [each.name for each in (tmp_path / "scripts").iterdir()] == [f"recorded-{MARIADB}-rocksdb"]


def test_why_there_is_none_is_told(
    qtbot: QtBot, opened: Open, page: ComparePage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    press_scripts(page, monkeypatch, tmp_path / "scripts")
    qtbot.waitUntil(lambda: "Dyno has no plan that a script could repeat" in page.message.text)
    assert not (tmp_path / "scripts").exists()
