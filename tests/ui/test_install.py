"""A build is brought to a target in the window: chosen, sent, unpacked by the real agent, or refused."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.remote.target import LOCAL
from app.targets.store import Targets
from ui.core.context import WindowContext
from ui.pages.bench.targets.builds import InstallBuildDialog
from ui.widgets.message import MessageBar

WAIT_MS = 60_000
SERVER = b"#!/bin/sh\nexit 3\n"


def pack(path: Path, name: str, *links: tuple[str, str]) -> Path:
    """A tarball with one program, which is no server that could start, and links with where they lead."""
    with tarfile.open(path, "w:gz") as tar:
        for link, to in links:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, to
            tar.addfile(info)
        info = tarfile.TarInfo(name)
        info.size, info.mode = len(SERVER), 0o755
        tar.addfile(info, io.BytesIO(SERVER))
    return path


def cut(path: Path) -> Path:
    """The same file without its end."""
    path.write_bytes(path.read_bytes()[:-20])
    return path


@pytest.fixture
def install_dialog(qtbot: QtBot, context: WindowContext) -> InstallBuildDialog:
    made = InstallBuildDialog(context, Targets(context.home).get(LOCAL))
    qtbot.addWidget(made)
    made.open()
    return made


def send(qtbot: QtBot, dialog: InstallBuildDialog, tarball: Path) -> None:
    qtbot.keyClicks(dialog.path, str(tarball))
    assert dialog.focusWidget() is dialog.path
    qtbot.keyClick(dialog.path, Qt.Key.Key_Return)
    assert not dialog.path.isEnabled()
    qtbot.waitUntil(dialog.path.isEnabled, timeout=WAIT_MS)


def test_one_that_cannot_start_is_installed_and_says_so(
    qtbot: QtBot, context: WindowContext, install_dialog: InstallBuildDialog, tmp_path: Path
) -> None:
    with qtbot.waitSignal(install_dialog.installed, timeout=WAIT_MS):
        send(qtbot, install_dialog, pack(tmp_path / "mine-5.6.tar.gz", "mine/bin/mysqld"))
    base = context.home / "target" / "builds" / "mine-5.6"
    assert (base / "bin" / "mysqld").read_bytes() == SERVER
    assert install_dialog.said.text() == f"A server is installed in {base}"
    assert install_dialog.message.text.startswith("The build is installed, but it cannot start: ")
    install_dialog.path.clear()
    install_dialog.path.setFocus()
    send(qtbot, install_dialog, tmp_path / "mine-5.6.tar.gz")
    assert "build mine-5.6 exists already: delete it, or choose another name" in install_dialog.message.text


def test_what_cannot_be_a_build_is_refused_in_the_dialog(
    qtbot: QtBot, context: WindowContext, install_dialog: InstallBuildDialog, tmp_path: Path
) -> None:
    bad = {
        pack(tmp_path / "evil.tar.gz", "../../mysqld"): "points outside of the tarball",
        pack(tmp_path / "links.tar.gz", "bin/mysqld", ("bin", "/tmp")): "bin/mysqld is behind a link",
        cut(pack(tmp_path / "cut.tar.gz", "mine/bin/mysqld")): "it is not a complete tarball",
    }
    for tarball, reason in bad.items():
        install_dialog.path.clear()
        send(qtbot, install_dialog, tarball)
        assert reason in install_dialog.message.text
        assert [path.name for path in (context.home / "target" / "builds").iterdir()] == []


def test_what_comes_from_others_is_no_markup(qtbot: QtBot) -> None:
    message = MessageBar()
    qtbot.addWidget(message)
    heights = []
    for text in ("far: ..h1.big..h1. points outside", "far: <h1>big</h1> points outside"):
        message.show_error(text)
        heights.append(message.sizeHint().height())
    assert heights[0] == heights[1]


def test_a_file_that_is_not_there_is_said(
    qtbot: QtBot, install_dialog: InstallBuildDialog, tmp_path: Path
) -> None:
    send(qtbot, install_dialog, tmp_path / "nowhere.tar")
    assert "No such file" in install_dialog.message.text


def test_return_says_what_is_missing_and_closes_what_is_done(
    qtbot: QtBot, install_dialog: InstallBuildDialog, tmp_path: Path
) -> None:
    problem = install_dialog.form.problems["path"]
    qtbot.keyClick(install_dialog.path, Qt.Key.Key_Return)
    assert problem.isVisible() and problem.text().startswith("choose a tarball")
    tarball = pack(tmp_path / "mine-5.6.tar.gz", "mine/bin/mysqld")
    qtbot.keyClicks(install_dialog.path, str(tarball))
    assert not problem.isVisible()
    with qtbot.waitSignal(install_dialog.installed, timeout=WAIT_MS):
        qtbot.keyClick(install_dialog.path, Qt.Key.Key_Return)
    qtbot.waitUntil(install_dialog.close_button.hasFocus)
    qtbot.keyClick(install_dialog.close_button, Qt.Key.Key_Return)
    assert not install_dialog.isVisible()
