"""A person shares the history with a team: the dialog, the certificate, the password, the line about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from app.history.lists.browsing import Filter, Order, SessionLine
from app.history.lists.browsing import page as page_of
from app.history.lists.sessions import sessions
from app.history.store.history import History
from app.remote.secrets import Secrets, forget_secrets
from app.team.address import (
    TeamDatabaseAddress,
    TeamHistoryChoice,
    keep_history_choice,
    parse_team_address,
    read_team_history,
)
from app.team.certificate import CertificateCheckContext
from app.team.connection import PasswordError, UnverifiedCertificateError
from app.team.plugin import PlainPasswordPluginError
from app.team.syncing import sync
from tests.journals import plan, store, whole
from tests.plans import MARIADB
from tests.team import MemoryStore
from tests.ui.find import find, label_texts
from ui.core.bus import PartsToReload
from ui.core.context import WindowContext
from ui.core.secret_dialog import SecretDialog
from ui.dialogs.team import AuthPluginDialog, CertificateDialog, TeamDialog
from ui.dialogs.team_sessions import TeamSessionsDialog
from ui.shell.notices import TeamStatusLabel
from ui.widgets.elided import ElidedLabel
from ui.widgets.message import MessageBar

from .test_targets import dialog_of

ADDRESS, FINGERPRINT, PASSWORD = "mysql://anna@db.example/dyno", "SHA256:AB:CD", "right"


class Server(MemoryStore):
    """A server with a certificate that nobody vouches for."""

    lists = None  # a test gives its own pages
    plugin = "mysql_native_password"
    looks = 0

    def __call__(
        self,
        address: TeamDatabaseAddress,
        password: str,
        context: CertificateCheckContext | None,
        known_plugin: str,
    ) -> Server:
        self.look(address, context)
        if known_plugin not in ("", self.plugin):
            raise PlainPasswordPluginError(address, self.plugin, known_plugin)
        if password != PASSWORD:
            raise PasswordError("wrong")
        return self

    def look(self, _address: TeamDatabaseAddress, context: CertificateCheckContext | None) -> None:
        self.looks += 1
        if context is not None and context.check_hostname:
            raise UnverifiedCertificateError("self-signed certificate")
        if context is not None:
            context._check(FINGERPRINT)

    def identity_if_any(self) -> str:
        return self.identity()

    def create(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def team_server(monkeypatch: pytest.MonkeyPatch) -> Server:
    made = Server()
    monkeypatch.setattr("app.team.login.TeamServerStore", made)
    monkeypatch.setattr("app.team.login.inspect_certificate", made.look)
    monkeypatch.setattr("app.team.login.system_keyring", lambda: None)
    forget_secrets()
    return made


@pytest.fixture
def main_window(qtbot: QtBot) -> QMainWindow:
    made = QMainWindow()
    qtbot.addWidget(made)
    made.resize(1280, 800)
    made.show()
    return made


def press(qtbot: QtBot, dialog: TeamDialog, text: str) -> None:
    qtbot.mouseClick(find(dialog, QPushButton, text), Qt.MouseButton.LeftButton)


def test_a_history_is_shared_and_the_server_goes_away(
    qtbot: QtBot, context: WindowContext, main_window: QMainWindow, team_server: Server, tmp_path: Path
) -> None:
    with History(context.home) as own, History(tmp_path / "ben") as other:
        store(own, whole(plan(number=1)))
        store(other, whole(plan(number=2)))
        sync(other, team_server, "Ben")
    TeamStatusLabel(context.team, main_window)
    line = find(main_window.statusBar(), ElidedLabel)
    context.team.begin()
    qtbot.waitUntil(lambda: not context.team.state.text)
    assert line.isHidden()
    dialog = TeamDialog(context, main_window)
    dialog.open()
    qtbot.keyClicks(find(dialog, QLineEdit, "Address"), ADDRESS)
    press(qtbot, dialog, "Share")
    seen = dialog_of(qtbot, CertificateDialog)
    assert seen.error.fingerprint == FINGERPRINT and not team_server.all_edits
    qtbot.mouseClick(seen.accept_button, Qt.MouseButton.LeftButton)
    asked = dialog_of(qtbot, SecretDialog)
    qtbot.keyClicks(find(asked, QLineEdit), PASSWORD)
    qtbot.keyClick(asked, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.team.state.done is not None, timeout=10_000)
    assert line.text() == "Team: sent 1 session, received 1 session"
    choice = read_team_history(context.home)
    assert choice is not None and (choice.person, choice.certificate) == ("anna", FINGERPRINT)
    with History(context.home) as own:
        assert [each["person"] for each in sessions(own)] == ["anna", "Ben"]
    team_server.calls_left = 0
    context.team.exchange()
    qtbot.waitUntil(lambda: context.team.state.error is not None)
    assert "does not answer" in line.text()
    team_server.calls_left = 1 << 60
    context.bus.changed.emit(PartsToReload(sessions=True))  # somebody works on: it is tried again soon
    qtbot.waitUntil(lambda: context.team.state.done is not None, timeout=10_000)
    press(qtbot, dialog, "Stop sharing")
    qtbot.waitUntil(lambda: not context.team.state.text)
    assert line.isHidden() and read_team_history(context.home) is None
    dialog.close()


def test_a_server_that_asks_for_the_password_gets_it_once_the_person_accepts(
    qtbot: QtBot, context: WindowContext, main_window: QMainWindow, team_server: Server
) -> None:
    keep_history_choice(
        context.home, TeamHistoryChoice(ADDRESS, "Anna", certificate=FINGERPRINT, plugin=team_server.plugin)
    )
    Secrets(lambda _: None).accept(parse_team_address(ADDRESS).password_label, PASSWORD)
    team_server.plugin = "sha256_password"
    context.team.begin()
    qtbot.waitUntil(lambda: "asks for the password" in context.team.state.text)
    looks = team_server.looks
    context.team.exchange()  # a server blocks a host that connects again and again without a login
    context.team.exchange()
    qtbot.waitUntil(lambda: not context.team._exchanging._wanted.is_set())
    assert team_server.looks == looks
    dialog = TeamDialog(context, main_window)
    dialog.open()
    press(qtbot, dialog, "Share")
    seen = dialog_of(qtbot, AuthPluginDialog)
    assert not seen.accept_button.isEnabled()
    seen.known.click()
    qtbot.mouseClick(seen.accept_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: context.team.state.done is not None, timeout=10_000)
    choice = read_team_history(context.home)
    assert choice is not None and (choice.plugin, choice.certificate) == ("sha256_password", FINGERPRINT)
    dialog.close()


def test_sessions_of_the_team_come_when_they_are_chosen(
    qtbot: QtBot, context: WindowContext, main_window: QMainWindow, team_server: Server, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with History(tmp_path / "ben") as other:
        its_plan = plan(number=2, repeats=3)
        store(other, *(whole(its_plan, turn.session) for turn in its_plan.turns))
        sync(other, team_server, "Ben")
    keep_history_choice(
        context.home, TeamHistoryChoice(ADDRESS, "Anna", certificate=FINGERPRINT, fetches_all=False)
    )
    Secrets(lambda _: None).accept(parse_team_address(ADDRESS).password_label, PASSWORD)

    def page(_lists: None, wanted: Filter, begin_at: int) -> list[SessionLine]:
        with History(tmp_path / "ben") as there:
            return page_of(there, wanted, Order(), begin_at, 100)

    monkeypatch.setattr("app.team.listing.team_session_page", page)
    dialog = TeamSessionsDialog(context, main_window)
    dialog.begin()
    dialog.open()
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 3)
    qtbot.keyClicks(find(dialog, QLineEdit), "default-2")
    qtbot.waitUntil(lambda: dialog.list.topLevelItemCount() == 1)
    assert not dialog.fetch_button.isEnabled()
    dialog.list.selectAll()
    with qtbot.waitSignal(dialog.fetched):
        qtbot.mouseClick(dialog.fetch_button, Qt.MouseButton.LeftButton)
    assert "received 1 session" in label_texts(dialog)
    with History(context.home) as own:
        assert [each["name"] for each in sessions(own)] == [f"{MARIADB}-innodb-default-2"]
    team_server.calls_left = 0
    qtbot.mouseClick(dialog.fetch_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "does not answer" in find(dialog, MessageBar).text)
    dialog.close()


@pytest.mark.parametrize("address", ["mysql://anna:secret@db/dyno", "db.example", ""])
def test_a_wrong_address_is_said_in_the_dialog(
    qtbot: QtBot, context: WindowContext, main_window: QMainWindow, address: str
) -> None:
    dialog = TeamDialog(context, main_window)
    dialog.open()
    qtbot.keyClicks(find(dialog, QLineEdit, "Address"), address)
    press(qtbot, dialog, "Share")
    told = find(dialog, MessageBar).text
    assert told and "secret" not in told
    dialog.close()
