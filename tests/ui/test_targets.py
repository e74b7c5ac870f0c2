"""The targets of the Bench page before a real sshd: added, trusted, logged in to, surveyed, refused."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from app.core.settings import Settings, keep_settings
from app.protocol.answers import Build, Cpu, Disk, Survey
from app.remote.target import LOCAL, Target
from app.targets.store import Targets
from app.targets.surveys import DatedSurvey, Surveys
from tests.integration.sshd import Sshd
from tests.ui.find import label_texts
from tests.ui.targets_panel import WAIT_MS, click, dialog_of, type_in, wait_for
from ui.pages.bench.targets.panel import TargetsPanel
from ui.pages.bench.targets.surveying import HostKeyDialog

# the first look


def test_this_computer_is_there_and_surveyed_by_itself(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel]
) -> None:
    panel = open_panel()
    assert panel.chosen.name == LOCAL and panel.survey_of(LOCAL) is None
    with qtbot.waitSignal(panel.known.surveyed, timeout=WAIT_MS) as caught:
        pass
    name, survey = caught.args
    assert name == LOCAL and panel.survey_of(LOCAL) == survey
    assert survey.cpu.threads > 0
    assert panel.view.card.isVisible() and any("core" in text for text in label_texts(panel.view.card))
    assert panel.view.stages.isHidden()  # nobody has asked


def test_the_last_survey_is_shown_before_the_target_is_reached(
    open_panel: Callable[[], TargetsPanel], dyno_home: Path
) -> None:
    Targets().add(Target("far", host="far.invalid", directories=["/x"]))
    Surveys().keep(Targets().get("far"), DatedSurvey(time.time() - 7200, SURVEY))
    panel = open_panel()
    panel.choose("far")
    content, kept = panel.survey_of("far"), panel.known.survey_of("far")
    assert content is not None and content.cpu.model == "Small CPU" and kept is not None
    assert "Surveyed 2 h ago" in label_texts(panel.view.card)
    state = panel.known.state_of("far")
    assert state is not None and state.age(time.time()) == "2 h ago"


def test_builds_that_cannot_start_say_why(qtbot: QtBot, open_panel: Callable[[], TargetsPanel]) -> None:
    panel = open_panel()
    panel.view.card.show_survey(DatedSurvey(time.time(), SURVEY))
    tree = panel.view.card.builds
    well, broken = tree.topLevelItem(0), tree.topLevelItem(1)
    assert well is not None and well.text(1) == "never tried: innodb myisam"
    assert "MySQL 8.4: never tried: Dyno was never tested" in well.toolTip(1)
    assert broken is not None and "libssl.so.10" in broken.toolTip(0)
    assert broken.text(1) == "cannot start: libssl.so.10 is missing"
    assert {"2 builds, 1 cannot start", "1 warning"} <= set(label_texts(panel.view.card))


# the form


def test_mistakes_are_told_beside_their_fields_and_nothing_is_lost(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel]
) -> None:
    panel = open_panel()
    panel.add()
    form = panel.editor.form
    click(qtbot, panel.editor.save_button)
    assert shown_problems(panel) == {
        "name": "enter a name",
        "host": "enter a host",
        "directories": "name a directory on the disk to measure",
    }
    qtbot.keyClicks(form.line("name"), "Far Away")
    assert "the name of a target may have" in shown_problems(panel)["name"]
    qtbot.keyClicks(form.line("host"), "far.invalid")
    form.inputs["directories"].set_value(["~/dyno"])
    form.line("name").clear()
    qtbot.keyClicks(form.line("name"), LOCAL)
    assert list(shown_problems(panel)) == ["name"]
    form.line("name").setText("far")
    qtbot.keyClicks(form.line("identity"), "/nowhere/key")
    click(qtbot, panel.editor.save_button)
    qtbot.waitUntil(lambda: "identity" in shown_problems(panel))
    assert shown_problems(panel) == {"identity": "key file /nowhere/key does not exist"}
    assert panel.editor.target() == Target(
        "far", host="far.invalid", identity="/nowhere/key", directories=["~/dyno"]
    )
    assert not Targets().path.exists()


def test_what_is_wrong_is_not_told_before_its_field_is_left(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel]
) -> None:
    panel = open_panel()
    panel.add()
    name, host = panel.editor.form.line("name"), panel.editor.form.line("host")
    panel.activateWindow()
    qtbot.waitUntil(name.hasFocus)  # the form has put the keyboard there
    qtbot.keyClicks(name, "Far")
    assert shown_problems(panel) == {}
    qtbot.keyClick(name, Qt.Key.Key_Tab)
    assert list(shown_problems(panel)) == ["name"]
    qtbot.keyClicks(host, "x")
    assert list(shown_problems(panel)) == ["name"]


def test_a_host_key_is_refused_once_the_question_is_answered(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    panel = open_panel()
    panel.add()
    type_in(qtbot, panel, sshd.target("far"))
    click(qtbot, panel.editor.test_button)
    dialog: HostKeyDialog = dialog_of(qtbot, HostKeyDialog)
    assert "before you accept it" in panel.editor.message.text
    dialog.reject()
    qtbot.waitUntil(lambda: "was not accepted" in panel.editor.message.text)


def test_a_connection_is_tested_before_it_is_kept(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    sshd.trust()
    panel = open_panel()
    panel.add()
    type_in(qtbot, panel, replace(sshd.target("far"), port=1))
    click(qtbot, panel.editor.test_button)
    qtbot.waitUntil(lambda: panel.editor.stages.state_of("connect") == "failed", timeout=WAIT_MS)
    assert "refuses the connection" in panel.editor.message.text
    panel.editor.form.line("port").setText(str(sshd.port))
    click(qtbot, panel.editor.test_button)
    qtbot.waitUntil(lambda: panel.editor.stages.state_of("survey") == "done", timeout=WAIT_MS)
    assert panel.editor.message.text.startswith("Reached: ") and not Targets().path.exists()
    click(qtbot, panel.editor.save_button)
    wait_for(qtbot, panel, "far", "reached")
    assert sshd.log().count("Accepted publickey") == 1  # what was tested as it stands is not surveyed twice


def test_a_path_that_finds_no_build_is_named_and_nothing_moves(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    sshd.trust()
    panel = open_panel()
    panel.add()
    type_in(qtbot, panel, sshd.target("far"))
    panel.editor.form.inputs["search_paths"].set_value(["/opt/nothing-*"])
    editor = panel.editor
    moving = (editor.save_button, editor.test_button, editor.form.line("python"))
    qtbot.wait(300)  # until the form is laid out
    places = [each.mapTo(editor, QPoint()) for each in moving]
    click(qtbot, editor.test_button)
    qtbot.waitUntil(lambda: editor.stages.state_of("survey") == "done", timeout=WAIT_MS)
    problem = editor.form.problems["search_paths"]
    assert (problem.isVisible(), problem.text()) == (True, "finds no build of its own: /opt/nothing-*")
    qtbot.wait(300)
    assert [each.mapTo(editor, QPoint()) for each in moving] == places


def test_a_target_is_changed_and_its_old_survey_is_no_longer_its_own(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel]
) -> None:
    Targets().add(Target("far", host="far.invalid", directories=["/x"]))
    Surveys().keep(Targets().get("far"), DatedSurvey(time.time(), SURVEY))
    panel = open_panel()
    panel.choose("far")
    assert panel.survey_of("far") == SURVEY
    panel.edit()
    assert not panel.editor.form.line("name").isEnabled() and not panel.list.isEnabled()
    panel.editor.form.line("host").clear()
    qtbot.keyClicks(panel.editor.form.line("host"), "other.invalid")
    with qtbot.waitSignal(panel.target_chosen, timeout=WAIT_MS):
        click(qtbot, panel.editor.save_button)
    wait_for(qtbot, panel, "far", "unreachable")
    assert Targets().get("far").host == "other.invalid" and panel.survey_of("far") is None
    assert "other.invalid is not known" in panel.view.message.text


def test_another_data_directory_is_chosen_and_its_disk_surveyed(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel], tmp_path: Path
) -> None:
    first, other = str(tmp_path / "a"), str(tmp_path / "b")
    Targets().edit(LOCAL, directories=[first, other])
    panel = open_panel()
    wait_for(qtbot, panel, LOCAL, "reached")
    box = panel.view.directory.findChild(QComboBox)
    assert box is not None and box.isVisible() and box.currentText() == first
    with qtbot.waitSignals([panel.target_chosen, panel.known.surveyed], timeout=WAIT_MS, order="strict"):
        box.setFocus()
        qtbot.keyClick(box, Qt.Key.Key_Down)
    assert panel.chosen.directory == other and Targets().get(LOCAL).directories == [other, first]
    survey = panel.survey_of(LOCAL)
    assert survey is not None and survey.disk and survey.disk.path == other
    panel.known.use_directory(LOCAL, other)  # it is that already
    assert panel.known.survey_of(LOCAL) is not None


def test_the_window_begins_with_the_target_of_the_settings(
    open_panel: Callable[[], TargetsPanel], dyno_home: Path
) -> None:
    for name in ("far", "near"):
        Targets().add(Target(name, host="far.invalid", directories=["/x"]))
    open_panel().choose("near")
    assert open_panel().chosen.name == "near"  # the one chosen last
    keep_settings(Settings(target="far"), dyno_home)
    assert open_panel().chosen.name == "far"
    Targets().remove("far")
    assert open_panel().chosen.name == LOCAL


def test_one_data_directory_leaves_no_choice(open_panel: Callable[[], TargetsPanel]) -> None:
    assert open_panel().view.directory.isHidden()


def test_a_target_is_removed_once_that_is_confirmed(
    qtbot: QtBot, open_panel: Callable[[], TargetsPanel]
) -> None:
    Targets().add(Target("far", host="far.invalid", directories=["/x"]))
    panel = open_panel()
    assert not panel._remove.isEnabled()  # this computer stays
    panel.choose("far")
    for text, known in (("Cancel", [LOCAL, "far"]), ("Remove", [LOCAL])):
        panel._remove.trigger()
        box: QMessageBox = dialog_of(qtbot, QMessageBox)
        buttons = [each for each in box.findChildren(QPushButton) if each.text().strip("&") == text]
        click(qtbot, buttons[0])
        qtbot.waitUntil(lambda names=known: [each.name for each in Targets().all()] == names)  # type: ignore[misc]
    qtbot.waitUntil(lambda: panel.chosen.name == LOCAL)
    assert [state.target.name for state in panel.known.model.all()] == [LOCAL]


def test_a_broken_targets_toml_is_told_and_this_computer_is_still_there(
    open_panel: Callable[[], TargetsPanel], dyno_home: Path
) -> None:
    dyno_home.mkdir(exist_ok=True)  # a pool thread may have been faster
    (dyno_home / "targets.toml").write_text("[far]\nhots = 'x'\n")
    panel = open_panel()
    assert "line 2: [far] has the unknown key hots" in panel.message.text
    assert panel.chosen.name == LOCAL


def shown_problems(panel: TargetsPanel) -> dict[str, str]:
    return {field: label.text() for field, label in panel.editor.form.problems.items() if label.isVisible()}


SURVEY = Survey(
    cpu=Cpu("Small CPU", 1, 2, 4),
    memory_bytes=16 << 30,
    disk=Disk("/x", model="Disk", kind="nvme", filesystem="ext4", free_bytes=1 << 36),
    distribution="Debian GNU/Linux 12 (bookworm)",
    kernel="6.1.0",
    python="3.11.2",
    warnings=["sysbench is missing: install sysbench 1.0.20 or newer"],
    builds=[
        Build("mysql-8.4.6", "/usr", "/usr/sbin/mysqld", "MySQL", "8.4.6", engines=["innodb", "myisam"]),
        Build("mysql-5.6.51", "/opt", "/opt/mysqld", problem="libssl.so.10 is missing"),
    ],
)
