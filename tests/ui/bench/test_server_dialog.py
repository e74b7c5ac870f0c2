"""A server that runs already is added: fields, host, certificate and password before anything is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.protocol.answers import ExistingServer, ServerAddress
from app.targets.servers import Servers
from tests.existing import keep_two_servers
from tests.fakes import CERTIFICATE, PASSWORD, MemoryKeyring, ScriptedAgent
from tests.ui.bench.set_up import dialogs, opened, wrong
from ui.core.secret_dialog import SecretDialog
from ui.dialogs.fingerprint import FingerprintDialog
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.server_dialog import ServerDialog

URL = "mysql://dyno@db.example:3307/bench"
Adding = Callable[..., ServerDialog]


@pytest.fixture
def adding(page: BenchPage, looked_at: ScriptedAgent) -> Iterator[Adding]:
    """The dialog with these fields filled in."""

    def open_(**typed: Any) -> ServerDialog:
        page.contenders.servers.add.trigger()
        (dialog,) = dialogs(ServerDialog)
        for name, value in {"name": "prod", "url": URL, "confirm": "DB.example", **typed}.items():
            dialog.form.inputs[name].set_value(value)
        assert isinstance(dialog, ServerDialog)
        return dialog

    yield open_
    for dialog in dialogs(ServerDialog):
        dialog.reject()


def test_a_server_is_added_and_can_be_ticked(
    qtbot: QtBot, page: BenchPage, adding: Adding, looked_at: ScriptedAgent
) -> None:
    dialog = adding(settings=["sync-binlog"], max_queries=2000, price="0.52 USD")
    dialog.go_button.click()
    question = opened(qtbot, FingerprintDialog)
    assert [each.user for each in looked_at.running.asked] == [""], "no account before the certificate"
    question.accept_button.click()
    asking = opened(qtbot, SecretDialog)
    asking.field.setText(PASSWORD)
    asking.accept_button.click()
    qtbot.waitUntil(lambda: "is added" in dialog.visit.message.text)
    assert "prod: MySQL 8.0.36 (Source distribution)" in dialog.visit.found.text()
    assert (
        "setting: sync_binlog=1" in dialog.visit.found.text()
        and "CPU and memory" in dialog.visit.found.text()
    )
    kept = Servers().get("prod")
    assert (kept.certificate, kept.confirmed, kept.max_queries) == (CERTIFICATE, True, 2000)
    assert (kept.price, kept.port, kept.target, kept.version) == ("0.52 USD", 3307, "local", "8.0.36")
    assert PASSWORD not in Servers().path.read_text()
    qtbot.waitUntil(lambda: page.contenders.servers.model.rowCount() == 1)


@pytest.mark.parametrize(
    ("typed", "field", "says"),
    [
        ({"name": ""}, "name", "enter a name"),
        ({"name": "No Name"}, "name", "the name may have"),
        ({"url": ""}, "url", "enter an address"),
        ({"url": "mysql://me:s3cret@db.example/bench"}, "url", "leave the password out"),
        ({"url": "mysql://me@db.example/mysql"}, "url", "the server's own"),
        ({"confirm": ""}, "confirm", "the host of server prod is db.example"),
        ({"confirm": "db2.example"}, "confirm", "not the one that was typed"),
        ({"settings": ["a b"]}, "settings", "settings must be names"),
        ({"max_queries": "many"}, "max_queries", "must be a number, got many"),
        ({"price": "cheap"}, "price", "price must be"),
    ],
)
def test_what_is_wrong_of_a_server_is_said_at_its_field(
    typed: dict[str, Any], field: str, says: str, adding: Adding, looked_at: ScriptedAgent
) -> None:
    dialog = adding(**typed)
    dialog.activateWindow()
    dialog.form.line("name").setFocus()
    dialog.go_button.click()
    dialog.form.changed.emit()  # as a field is left for the wrong one
    assert list(wrong(dialog)) == [field] and says in wrong(dialog)[field]
    assert "s3cret" not in wrong(dialog)[field] and not looked_at.running.asked


def test_a_refused_certificate_adds_nothing(qtbot: QtBot, adding: Adding, looked_at: ScriptedAgent) -> None:
    dialog = adding()
    dialog.go_button.click()
    opened(qtbot, FingerprintDialog).reject()
    qtbot.waitUntil(lambda: "is not accepted" in dialog.visit.message.text)
    assert [each.user for each in looked_at.running.asked] == [""] and not Servers().all()
    assert dialog.go_button.isEnabled()


def test_who_does_not_give_the_password_adds_nothing(qtbot: QtBot, adding: Adding) -> None:
    dialog = adding(url="mysql://me@localhost/bench", confirm="", plain=True)
    dialog.go_button.click()
    opened(qtbot, SecretDialog).reject()
    qtbot.waitUntil(lambda: "needs the password of me@localhost:3306" in dialog.visit.message.text)
    assert not Servers().all() and not dialogs(FingerprintDialog)


def test_who_closes_it_during_the_login_keeps_neither_server_nor_password(
    qtbot: QtBot, adding: Adding, looked_at: ScriptedAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring, logging_in, go_on = MemoryKeyring(), Event(), Event()
    for module in ("app.targets.server_login", "app.remote.secrets"):
        monkeypatch.setattr(f"{module}.system_keyring", lambda: keyring)
    reach = looked_at.reach_server

    def slow(address: ServerAddress) -> ExistingServer:
        if address.user:
            logging_in.set()
            go_on.wait(30)
        return reach(address)

    monkeypatch.setattr(looked_at, "reach_server", slow)
    dialog = adding(remember=True)
    dialog.go_button.click()
    opened(qtbot, FingerprintDialog).accept_button.click()
    asking = opened(qtbot, SecretDialog)
    asking.field.setText(PASSWORD)
    asking.accept_button.click()
    qtbot.waitUntil(logging_in.is_set)
    dialog.reject()
    go_on.set()
    qtbot.waitUntil(lambda: looked_at.asked[-1] == "close")
    qtbot.waitUntil(lambda: not keyring.kept)
    assert not Servers().all()


def test_a_name_that_is_taken_is_said_before_anything_is_asked(
    qtbot: QtBot, adding: Adding, looked_at: ScriptedAgent
) -> None:
    keep_two_servers()
    dialog = adding()
    dialog.go_button.click()
    qtbot.waitUntil(lambda: "exists already" in wrong(dialog).get("name", ""))
    assert not looked_at.running.asked
