"""What goes out of the History page and comes in: tables, scripts, archives, folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from app.history.exchange.import_any import import_any
from app.history.exchange.publishing import import_shipped
from app.history.store.history import History
from tests.plans import MARIADB
from tests.ui.history.hand import FAILED, IDS, Hand
from ui.core.context import WindowContext
from ui.pages.history import HistoryPage
from ui.pages.history.reading import read_detail

# menus, where there is no real window system
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
RELEASED = Path(__file__).parents[2] / "data" / "0.1.0" / "session.zip"


def test_the_selected_lines_are_copied_as_a_table(hand: Hand, context: WindowContext) -> None:
    hand.select(0, FAILED)
    with hand.qtbot.waitSignal(context.bus.said):
        hand.press("Copy")
    rows = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert [row[0] for row in rows] == [
        "Name",
        f"{MARIADB}-rocksdb-default-1",
        f"{MARIADB}-innodb-default-1",
    ]
    at = rows[0].index("QPS write")
    assert rows[1][at].startswith("(1/2) ") and not rows[2][at].startswith("(")


def test_a_session_is_written_down_as_a_script(hand: Hand, context: WindowContext, tmp_path: Path) -> None:
    drop(hand.page, [RELEASED])
    hand.qtbot.waitUntil(lambda: len(hand.shown_ids()) == 6)
    hand.qtbot.waitUntil(lambda: hand.action("Script…").isEnabled())
    (session,) = hand.table.selected
    with hand.qtbot.waitSignal(context.bus.saved) as saved:
        hand.page.exchange.write_script(session, tmp_path / "again")
    assert saved.args[0] == tmp_path / "again" / "run.sh"
    assert (tmp_path / "again" / "lua" / "dyno.lua").is_file()
    hand.page.exchange.write_script(session, tmp_path / "again")
    hand.qtbot.waitUntil(lambda: "exists already" in hand.message.text)


def test_sessions_go_out_and_come_back_by_a_drop(hand: Hand, context: WindowContext, tmp_path: Path) -> None:
    hand.page.exchange.export_to([IDS[0], IDS[1]], tmp_path)
    hand.qtbot.waitUntil(lambda: len(list(tmp_path.glob("*.dyno.zip"))) == 2)
    hand.select(0, 1)
    hand.press("Delete")
    hand.wait_shown([2, 3, 4])
    (tmp_path / "other.zip").write_text("no session")
    drop(hand.page, sorted(tmp_path.glob("*.zip")))
    hand.wait_shown([0, 1, 2, 3, 4])
    hand.qtbot.waitUntil(lambda: set(hand.table.selected) == {IDS[0], IDS[1]})
    assert "other.zip: " in hand.message.text


def drop(page: HistoryPage, files: list[Path]) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    keys, buttons = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    page.dropEvent(QDropEvent(QPointF(9, 9), Qt.DropAction.CopyAction, data, buttons, keys))


def test_a_folder_of_outputs_is_one_session_and_what_is_none_is_named(hand: Hand, tmp_path: Path) -> None:
    folder = tmp_path / "laptop"
    shutil.copytree(RELEASED.parents[1] / "sysbench", folder)
    for name in "abcdefgh":
        (folder / f"{name}.md").write_text("no output")
    hand.press("Import a folder")
    dialog = hand.page.findChild(QFileDialog)
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("laptop")
    dialog.accept()
    hand.qtbot.waitUntil(lambda: "skipped a.md" in hand.message.text)
    assert hand.message.text.splitlines()[0] == "1 session imported"
    assert hand.message.text.endswith("and 2 more")


def test_a_session_of_an_earlier_version_is_taken_in(hand: Hand, tmp_path: Path) -> None:
    file = Path(shutil.copy(RELEASED, tmp_path))
    (tmp_path / "other.zip").write_text("no session")
    drop(hand.page, [tmp_path / "other.zip"])
    hand.qtbot.waitUntil(lambda: "other.zip: " in hand.message.text)
    drop(hand.page, [file])
    hand.qtbot.waitUntil(lambda: hand.table.model().rowCount() == 6)
    assert not hand.message.isVisible()


def test_of_what_others_did_only_what_is_known_is_told(context: WindowContext, tmp_path: Path) -> None:
    folder = tmp_path / "laptop"
    shutil.copytree(RELEASED.parents[1] / "sysbench", folder)
    with History(context.home) as history:
        published = import_shipped(history)[0].session
        (output,) = import_any(history, folder).sessions
        details = [read_detail(history, each) for each in (published, output.session)]
    told = [{name: text for name, text in (*each.what, *each.on) if text} for each in details]
    assert told[0]["Build"] == "mysql-5.0.96 (MySQL 5.0.96)" and told[0]["Target"] == "nuc-i3"
    assert told[0]["Published"].startswith("Mark Callaghan, 2017-11, InnoDB from")
    assert told[1].keys() == {"Contender", "Steps", "Target", "Date", "From"}
