"""Host keys, passwords and passphrases of targets before a real sshd."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.targets.store import Targets
from app.targets.surveys import Surveys
from tests.integration.sshd import Sshd, StartSshd, make_key
from tests.ui.targets_panel import WAIT_MS, click, dialog_of, type_in, wait_for
from ui.core.secret_dialog import SecretDialog
from ui.pages.bench.targets.panel import TargetsPanel
from ui.pages.bench.targets.surveying import HostKeyDialog


def test_a_target_is_added_its_key_accepted_and_its_survey_shown(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    panel = open_panel()
    panel.add()
    type_in(qtbot, panel, sshd.target("far"))
    click(qtbot, panel.editor.save_button)
    dialog: HostKeyDialog = dialog_of(qtbot, HostKeyDialog)
    assert not dialog.is_changed and dialog.error.fingerprint == sshd.host_key.fingerprint
    assert "Accepted" not in sshd.log()
    click(qtbot, dialog.accept_button)
    wait_for(qtbot, panel, "far", "reached")
    assert panel.chosen == Targets().get("far") == sshd.target("far")
    assert [panel.view.stages.state_of(stage) for stage in ("resolve", "log in", "survey")] == ["done"] * 3
    assert panel.view.card.builds.isHidden() == (not panel.survey_of("far").builds)
    assert panel.view.message.isHidden()
    qtbot.waitUntil(lambda: Surveys().get(sshd.target("far")) is not None)


def test_an_unknown_key_that_is_not_accepted_leaves_the_target_as_it_is(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel], dyno_home: Path
) -> None:
    Targets().add(sshd.target("far"))
    panel = open_panel()
    panel.choose("far")
    state = wait_for(qtbot, panel, "far", "key_unknown")  # in the background: no dialog
    assert not [each for each in QApplication.topLevelWidgets() if isinstance(each, HostKeyDialog)]
    assert state.words(0) == "host key unknown"
    click(qtbot, panel.view.message.buttons[0])
    dialog: HostKeyDialog = dialog_of(qtbot, HostKeyDialog)
    qtbot.keyClick(dialog, Qt.Key.Key_Return)  # the key alone is no consent
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert not (dyno_home / "known_hosts").exists() and "Accepted" not in sshd.log()


def test_a_changed_key_is_refused_loudly(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    sshd.add_target("far")
    before = sshd.host_key.fingerprint
    sshd.stop()
    sshd.make_host_keys()
    sshd.start()
    panel = open_panel()
    panel.choose("far")
    state = wait_for(qtbot, panel, "far", "key_changed")
    assert state.words(0) == "HOST KEY CHANGED" and state.tone == "bad"
    assert "HAS CHANGED: nothing was sent to it" in panel.view.message.text
    panel.survey_chosen()
    dialog: HostKeyDialog = dialog_of(qtbot, HostKeyDialog)
    assert dialog.is_changed and not dialog.accept_button.isEnabled()
    shown = " ".join(label.text() for label in dialog.findChildren(type(panel.editor.title)))
    assert before in shown and sshd.host_key.fingerprint in shown
    assert "Accepted" not in sshd.log()
    qtbot.keyClick(dialog.known, Qt.Key.Key_Space)
    click(qtbot, dialog.accept_button)
    wait_for(qtbot, panel, "far", "reached")


def test_a_wrong_passphrase_is_asked_for_again(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel], tmp_path: Path
) -> None:
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    sshd.authorize(key)
    sshd.add_target("far", identity=str(key))
    panel = open_panel()
    panel.choose("far")
    state = wait_for(qtbot, panel, "far", "secret")  # in the background nobody is asked
    assert state.words(0) == "needs a passphrase"
    click(qtbot, panel.view.message.buttons[0])
    answer(qtbot, "wrong", was_refused=False)
    answer(qtbot, "correct horse", was_refused=True)
    wait_for(qtbot, panel, "far", "reached")


@pytest.mark.root
def test_a_wrong_password_is_asked_for_again(
    qtbot: QtBot, password_user: str, start_sshd: StartSshd, open_panel: Callable[[], TargetsPanel]
) -> None:
    sshd = start_sshd("PasswordAuthentication yes")
    sshd.add_target("far", user=password_user, identity="")
    panel = open_panel()
    panel.choose("far")
    assert wait_for(qtbot, panel, "far", "secret").words(0) == "needs a password"
    panel.survey_chosen()
    answer(qtbot, "wrong", was_refused=False)
    answer(qtbot, "let me in", was_refused=True)
    qtbot.waitUntil(lambda: panel.view.stages.state_of("log in") == "done", timeout=WAIT_MS)
    wait_for(qtbot, panel, "far", "failed")  # that user may not go where this test's directory is


def test_who_goes_on_without_a_passphrase_is_told_what_is_needed(
    qtbot: QtBot, sshd: Sshd, open_panel: Callable[[], TargetsPanel], tmp_path: Path
) -> None:
    key = make_key(tmp_path / "locked", passphrase="correct horse")
    sshd.add_target("far", identity=str(key))
    panel = open_panel()
    panel.choose("far")
    panel.survey_chosen()
    dialog: SecretDialog = dialog_of(qtbot, SecretDialog)
    dialog.reject()
    wait_for(qtbot, panel, "far", "secret")
    assert panel.view.message.text == f"far needs the passphrase of {key}"
    assert panel.view.stages.state_of("log in") == "failed"


def answer(qtbot: QtBot, secret: str, was_refused: bool) -> None:
    """Type into the dialog that says, or does not, that the last answer was wrong."""

    def is_asked() -> bool:
        return any(
            isinstance(each, SecretDialog) and each.isVisible() and each.was_refused == was_refused
            for each in QApplication.topLevelWidgets()
        )

    qtbot.waitUntil(is_asked, timeout=WAIT_MS)
    dialog: SecretDialog = dialog_of(qtbot, SecretDialog)
    qtbot.keyClicks(dialog.field, secret)
    click(qtbot, dialog.accept_button)
