"""The builds of a target in the window: named where they are, described, forgotten or deleted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QMessageBox,
    QPushButton,
    QStyle,
    QStyleOptionViewItem,
)
from pytestqt.qtbot import QtBot

from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.answers import Build, Survey
from app.protocol.events import Fact
from app.remote.target import LOCAL, Target
from app.targets.builds import build_notes_text
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey
from tests import journals
from tests.plans import MARIADB
from tests.ui.targets_panel import WAIT_MS, dialog_of
from tests.ui.test_install import pack, send
from ui.core.context import WindowContext
from ui.pages.bench.targets.builds import BuildNotesDialog, InstallBuildDialog, removal_warning_text
from ui.pages.bench.targets.panel import TargetsPanel
from ui.pages.history.overview import SessionOverview
from ui.pages.history.reading import read_detail


@pytest.fixture
def panel(qtbot: QtBot, context: WindowContext, monkeypatch: pytest.MonkeyPatch) -> TargetsPanel:
    """With no survey by itself."""
    monkeypatch.setattr("ui.pages.bench.targets.panel.SOON_MS", 3_600_000)
    made = TargetsPanel(context)
    qtbot.addWidget(made)
    made.resize(360, 900)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A directory with a program in it that could be a server."""
    server = tmp_path / "mine" / "bin" / "mysqld"
    server.parent.mkdir(parents=True)
    server.write_text("#!/bin/sh\nexit 3\n")
    server.chmod(0o755)
    return tmp_path / "mine"


def answer(qtbot: QtBot, text: str) -> str:
    """Press a button of the question that is asked; gives what was asked."""
    box = dialog_of(qtbot, QMessageBox)
    (button,) = [each for each in box.findChildren(QPushButton) if each.text().strip("&") == text]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    return f"{box.text()} {box.informativeText()}"


def survey_again(qtbot: QtBot, panel: TargetsPanel, do: Callable[[], object]) -> None:
    with qtbot.waitSignal(panel.known.surveyed, timeout=WAIT_MS):
        do()


def choose(panel: TargetsPanel, base: Path) -> Build:
    tree = panel.view.card.builds
    at = next(at for at, build in enumerate(tree.builds) if build.base == str(base))
    tree.setCurrentItem(tree.topLevelItem(at))
    assert tree.chosen is not None
    return tree.chosen


def close(qtbot: QtBot, dialog: QDialog) -> None:
    dialog.reject()
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_a_directory_is_named_described_and_forgotten(
    qtbot: QtBot, panel: TargetsPanel, base: Path, dyno_home: Path
) -> None:
    register(qtbot, panel, base)
    assert Targets(dyno_home).get(LOCAL).search_paths == [str(base)]
    build = choose(panel, base)
    assert build.problem and is_grey(panel, build)
    describe(qtbot, panel)
    assert build_notes_text(choose(panel, base).notes) == "source a friend, revision fed1234"
    assert "revision fed1234" in panel.view.card.builds.currentItem().toolTip(0)
    kept = json.loads((dyno_home / "target" / "builds" / "notes.json").read_text())
    assert kept == {str(base): {"source": "a friend", "revision": "fed1234"}}
    qtbot.keyClick(panel.view.card.builds, Qt.Key.Key_Delete)
    asked = answer(qtbot, "Cancel")
    assert f"{base} is removed from the list; its files stay." in asked
    survey_again(qtbot, panel, lambda: [panel.builds.remove.trigger(), answer(qtbot, "Remove")])
    assert Targets(dyno_home).get(LOCAL).search_paths == []
    assert str(base) not in [build.base for build in panel.view.card.builds.builds]
    assert (base / "bin" / "mysqld").is_file()


def register(qtbot: QtBot, panel: TargetsPanel, base: Path) -> None:
    panel.builds.install.trigger()
    dialog = dialog_of(qtbot, InstallBuildDialog)
    dialog.is_there.click()
    assert not dialog.name.isEnabled()
    qtbot.keyClicks(dialog.path, str(base))
    qtbot.keyClicks(dialog.form.line("source"), "a friend")
    survey_again(qtbot, panel, dialog.install_button.click)
    assert dialog.said.text() == f"A server is known in {base}"
    close(qtbot, dialog)


def test_two_directories_are_named_in_one_dialog(
    qtbot: QtBot, panel: TargetsPanel, base: Path, dyno_home: Path
) -> None:
    other = base.rename(base.with_name("other"))
    shutil.copytree(other, base)
    panel.builds.install.trigger()
    dialog = dialog_of(qtbot, InstallBuildDialog)
    dialog.is_there.click()
    for each in (base, other):
        dialog.path.setText(str(each))
        dialog.path.setFocus()
        survey_again(qtbot, panel, lambda: qtbot.keyClick(dialog.path, Qt.Key.Key_Return))
        assert dialog.isVisible()
    close(qtbot, dialog)
    assert Targets(dyno_home).get(LOCAL).search_paths == [str(base), str(other)]


def test_a_directory_that_the_command_line_has_named_is_seen(
    qtbot: QtBot, panel: TargetsPanel, base: Path, dyno_home: Path
) -> None:
    Targets(dyno_home).edit(LOCAL, search_paths=[str(base)])
    survey_again(qtbot, panel, panel.survey_chosen)
    build = choose(panel, base)
    assert removal_warning_text(panel.chosen, build) == f"{base} is removed from the list; its files stay."


def describe(qtbot: QtBot, panel: TargetsPanel) -> None:
    """Enter on the build opens its notes."""
    qtbot.keyClick(panel.view.card.builds, Qt.Key.Key_Return)
    dialog = dialog_of(qtbot, BuildNotesDialog)
    assert dialog.form.values()["source"] == "a friend"
    assert any("never tried" in label.text() for label in dialog.findChildren(QLabel))
    qtbot.keyClicks(dialog.form.line("revision"), "fed1234")
    survey_again(qtbot, panel, dialog.buttons.button(QDialogButtonBox.StandardButton.Save).click)


def is_grey(panel: TargetsPanel, build: Build) -> bool:
    tree, option = panel.view.card.builds, QStyleOptionViewItem()
    option.state |= QStyle.StateFlag.State_Enabled
    tree.itemDelegate().initStyleOption(option, tree.model().index(list(tree.builds).index(build), 0))
    return not option.state & QStyle.StateFlag.State_Enabled


def test_what_was_installed_is_deleted(
    qtbot: QtBot, panel: TargetsPanel, tmp_path: Path, dyno_home: Path
) -> None:
    panel.builds.install.trigger()
    dialog = dialog_of(qtbot, InstallBuildDialog)
    survey_again(
        qtbot, panel, lambda: send(qtbot, dialog, pack(tmp_path / "mine-5.6.tar.gz", "mine/bin/mysqld"))
    )
    close(qtbot, dialog)
    base = dyno_home / "target" / "builds" / "mine-5.6"
    choose(panel, base)
    assert panel.builds.remove.isEnabled()
    survey_again(qtbot, panel, lambda: [panel.builds.remove.trigger(), answer(qtbot, "Remove")])
    assert not base.exists()


def test_a_directory_without_a_server_is_refused(
    qtbot: QtBot, panel: TargetsPanel, tmp_path: Path, dyno_home: Path
) -> None:
    panel.builds.install.trigger()
    dialog = dialog_of(qtbot, InstallBuildDialog)
    dialog.is_there.click()
    qtbot.keyClicks(dialog.path, str(tmp_path))
    dialog.install_button.click()
    qtbot.waitUntil(dialog.message.isVisible, timeout=WAIT_MS)
    assert f"no server was found in {tmp_path}" in dialog.message.text
    assert Targets(dyno_home).get(LOCAL).search_paths == []
    close(qtbot, dialog)


def test_what_is_found_anyway_stays(panel: TargetsPanel) -> None:
    found = Survey(builds=[Build(MARIADB, "/usr", "/usr/sbin/mariadbd")])
    panel.view.card.show_survey(DatedSurvey(0.0, found))
    assert not panel.builds.remove.isEnabled() and not panel.builds.notes.isEnabled()
    choose(panel, Path("/usr"))
    panel.builds.remove.trigger()
    assert panel.message.text.startswith("/usr was not installed by Dyno")


def test_what_removing_comes_to() -> None:
    named = Target("far", search_paths=["/opt/a/", "/opt/*"])
    assert "removed from the list" in removal_warning_text(named, Build("a", "/opt/a", ""))
    assert "is deleted" in removal_warning_text(named, Build("b", "/d/builds/b", "", installed=True))
    assert removal_warning_text(named, Build("b", "/opt/b", "")) == ""


def test_history_shows_what_was_noted_by_the_time_of_a_session(qtbot: QtBot, dyno_home: Path) -> None:
    maker = journals.Maker(journals.plan()).begin()
    maker.add(Fact, name="build", value={"notes": {"revision": "fed1234", "compiler": "gcc 12"}})
    maker.add(Fact, name="memory", value={"allocator": "/lib/libjemalloc.so.2", "numa": "default"})
    maker.add(Fact, name="start_state", value={"start": "loaded", "load": "fresh", "pause_s": 0})
    with History(dyno_home) as history:
        JournalStorer(history).append(maker.plan.id, maker.session, 0, maker.end().raw)
        detail = read_detail(history, maker.session)
    overview = SessionOverview()
    qtbot.addWidget(overview)
    overview.show_detail(detail)
    shown = {label.accessibleName(): label.text() for label in overview.findChildren(QLabel)}
    assert shown["Build notes"] == "revision fed1234, compiler gcc 12"
    assert shown["Server memory"] == "allocator /lib/libjemalloc.so.2"
    assert shown["Start"] == "freshly loaded, server kept running"
    assert shown["Timed steps"]  # the last line has its place still
