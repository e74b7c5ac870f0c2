"""Servers that run already are changed, looked at, cleaned and removed: each from its line on Bench."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QDialog, QLabel, QMessageBox
from pytestqt.qtbot import QtBot

from app.agent.server.mysql import certificate_of
from app.planner.request.contender import ContenderRequest
from app.remote.secrets import forget_secrets
from app.targets.server_address import fingerprint_text
from app.targets.servers import NamedServer, Servers
from tests.existing import PROD, keep_two_servers
from tests.fakes import CERTIFICATE, PASSWORD, MemoryKeyring, ScriptedAgent
from tests.integration.test_existing_servers import HOST, with_account
from tests.integration.test_existing_servers import PASSWORD as MEASURED
from tests.team_server import certify
from tests.ui.bench.set_up import OpenPage, checks_of, dialogs, opened, settle, wrong
from tests.ui.looked_at import faults
from ui.core.secret_dialog import SecretDialog
from ui.dialogs.fingerprint import FingerprintDialog, in_two_lines
from ui.pages.bench import BenchPage
from ui.pages.bench.plan.server_dialog import ServerDialog
from ui.pages.bench.plan.server_visit import ServerVisitDialog

OTHER = "ab" * 32  # a certificate
REPEATING = replace(PROD, name="repeating", host="r.example", replica_of="prod")
Choose = Callable[[str], BenchPage]


@pytest.fixture
def choose(open_page: OpenPage, looked_at: ScriptedAgent) -> Iterator[Choose]:
    """A page of which the line of a server is chosen: prod, replica, and a replica of prod."""
    keep_two_servers()
    Servers().keep(REPEATING)
    page = open_page()
    names = [each.name for each in page.controller.choices.servers]

    def choose_(name: str) -> BenchPage:
        page.contenders.servers.table.choose_row(names.index(name))
        return page

    yield choose_
    for kind in (FingerprintDialog, SecretDialog, QMessageBox, ServerDialog, ServerVisitDialog):
        for dialog in dialogs(kind):
            dialog.reject()


def edited(page: BenchPage, **typed: Any) -> ServerDialog:
    """The form of the chosen server, with this typed."""
    page.contenders.servers.edit.trigger()
    (dialog,) = dialogs(ServerDialog)
    assert isinstance(dialog, ServerDialog)
    for name, value in typed.items():
        dialog.form.inputs[name].set_value(value)
    return dialog


def looking(page: BenchPage) -> ServerVisitDialog:
    page.contenders.servers.look.trigger()
    (dialog,) = dialogs(ServerVisitDialog)
    assert isinstance(dialog, ServerVisitDialog)
    return dialog


def give(qtbot: QtBot, password: str = PASSWORD) -> None:
    asking = opened(qtbot, SecretDialog)
    asking.field.setText(password)
    asking.accept_button.click()
    qtbot.waitUntil(lambda: asking not in dialogs(SecretDialog))


def press(qtbot: QtBot, answer: str) -> None:
    box = opened(qtbot, QMessageBox)
    next(each for each in box.buttons() if each.text().replace("&", "") == answer).click()


def shown(dialog: FingerprintDialog) -> str:
    return "\n".join(each.text() for each in dialog.findChildren(QLabel))


def listed(page: BenchPage) -> list[str]:
    return [each.name for each in page.controller.choices.servers]


def test_actions_are_of_the_chosen_line(qtbot: QtBot, choose: Choose) -> None:
    page = choose("replica")
    group = page.contenders.servers
    assert all(each.isEnabled() and each in page.page_actions() for each in group.all_actions())
    page.controller.reload()
    settle(qtbot, page)
    chosen = group.chosen()
    assert chosen and chosen.name == "replica", "the lines are other ones, the choice stays"
    choose("repeating")
    assert group.look.isEnabled() and not group.clean.isEnabled(), "Dyno makes nothing on a replica"
    group.table.clearSelection()
    assert [each.isEnabled() for each in group.all_actions()] == [True, False, False, False, False]


def test_a_server_is_changed_without_a_look_where_it_stays_the_same(
    qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent
) -> None:
    page = choose("prod")
    dialog = edited(page, price="2 EUR", max_queries=500)
    assert dialog.form.values() | {"price": "", "max_queries": 0} == {
        "name": "prod", "url": PROD.url, "confirm": "", "target": "local", "plain": False,
        "settings": ["sync_binlog"], "max_queries": 0, "price": "", "replica_of": "", "remember": False,
    }  # fmt: skip
    assert dialog.form.line("name").isReadOnly()
    dialog.go_button.click()
    qtbot.waitUntil(lambda: not dialogs(ServerDialog))
    kept = Servers().get("prod")
    assert (kept.price, kept.max_queries, kept.version, kept.confirmed) == ("2 EUR", 500, "8.0.36", True)
    assert not looked_at.running.asked
    qtbot.waitUntil(lambda: page.controller.choices.servers[0].price == "2 EUR")


def test_another_account_is_looked_at_at_once(qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent) -> None:
    dialog = edited(choose("replica"), url="mysql://me@replica.example/second")
    dialog.go_button.click()
    give(qtbot)
    qtbot.waitUntil(lambda: "replica is changed" in dialog.visit.message.text)
    assert "replica: MySQL 8.0.36" in dialog.visit.found.text() and dialog.form.isHidden()
    assert [each.user for each in looked_at.running.asked] == ["", "me"]
    assert Servers().get("replica").version == "8.0.36"


@pytest.mark.parametrize(
    ("server", "typed", "field", "says"),
    [
        ("replica", {"url": "mysql://dyno@db2.example/second"}, "confirm", "is db2.example, not the one"),
        ("replica", {"url": "mysql://dyno@x:y@db/second"}, "url", "leave the password out"),
        ("replica", {"remember": True}, "remember", "has no keyring for the secrets of replica"),
        ("repeating", {"replica_of": "prd"}, "replica_of", "did you mean prod?"),
        ("prod", {"url": "mysql://dyno@db.example/other"}, "replica_of", "first edit repeating"),
    ],
)
def test_a_wrong_change_is_said_at_its_field(
    qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent, server: str, typed: Any, field: str, says: str
) -> None:
    before = Servers().all()
    dialog = edited(choose(server), **typed)
    dialog.go_button.click()
    qtbot.waitUntil(lambda: says in wrong(dialog).get(field, ""))
    assert dialog.go_button.isEnabled() and list(wrong(dialog)) == [field]
    assert Servers().all() == before and not looked_at.running.asked


def test_the_password_is_remembered_on_a_wish_alone(
    qtbot: QtBot, choose: Choose, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring = MemoryKeyring()
    for module in ("app.targets.server_login", "app.remote.secrets"):
        monkeypatch.setattr(f"{module}.system_keyring", lambda: keyring)
    page = choose("prod")
    looking(page)
    give(qtbot)
    qtbot.waitUntil(lambda: "MySQL" in dialogs(ServerVisitDialog)[0].visit.found.text())
    dialogs(ServerVisitDialog)[0].reject()
    assert not keyring.kept
    edited(page, remember=True).go_button.click()
    qtbot.waitUntil(lambda: not dialogs(ServerDialog) and Servers().get("prod").remember)
    looking(page)
    qtbot.waitUntil(lambda: list(keyring.kept.values()) == [PASSWORD])
    opened(qtbot, ServerVisitDialog).reject()
    edited(page, remember=False).go_button.click()
    qtbot.waitUntil(lambda: not keyring.kept)


@pytest.mark.parametrize("act", ["edit", "look", "clean", "remove"])
def test_a_server_that_is_removed_in_a_terminal_meanwhile(
    qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent, act: str
) -> None:
    page = choose("replica")
    Servers().remove("replica")
    getattr(page.contenders.servers, act).trigger()
    if act == "edit":
        dialogs(ServerDialog)[0].go_button.click()
    elif act != "look":
        press(qtbot, act.capitalize())

    def opened_now() -> list[ServerDialog | ServerVisitDialog]:
        return [*dialogs(ServerDialog), *dialogs(ServerVisitDialog)]

    def is_said() -> bool:
        messages = [page.message, *(each.visit.message for each in opened_now())]
        return any("no server 'replica'" in each.text for each in messages)

    qtbot.waitUntil(is_said)
    for dialog in opened_now():
        dialog.reject()
    qtbot.waitUntil(lambda: "replica" not in listed(page))
    assert not looked_at.running.asked and "replica" not in [each.name for each in Servers().all()]


def test_a_replica_whose_primary_is_gone(qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent) -> None:
    page, path = choose("repeating"), Servers().path
    path.write_text(path.read_text().replace('replica_of = "prod"', 'replica_of = "gone"'))
    dialog = looking(page)
    qtbot.waitUntil(lambda: "no server 'gone'" in dialog.visit.message.text)
    assert not looked_at.running.asked
    dialog.reject()
    edited(page, replica_of="").go_button.click()
    qtbot.waitUntil(lambda: not Servers().get("repeating").replica_of)


def test_a_wrong_password_changes_nothing(qtbot: QtBot, choose: Choose) -> None:
    before = Servers().get("prod")
    dialog = looking(choose("prod"))
    for _ in range(3):
        give(qtbot, "wrong")
    qtbot.waitUntil(lambda: "Access denied for user 'dyno'" in dialog.visit.message.text)
    assert Servers().get("prod") == before and dialog.visit.found.isHidden()


def test_a_changed_certificate_is_refused(qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent) -> None:
    looked_at.running.found = replace(looked_at.running.found, certificate=OTHER)
    dialog = looking(choose("prod"))
    question = opened(qtbot, FingerprintDialog)
    assert "THE CERTIFICATE OF db.example:3306 HAS CHANGED" in shown(question)
    for each in (CERTIFICATE, OTHER):
        assert in_two_lines(fingerprint_text(each)) in shown(question)
    assert question.is_changed and not question.accept_button.isEnabled()
    assert {each.user for each in looked_at.running.asked} == {""} and not dialogs(SecretDialog)
    question.reject()
    qtbot.waitUntil(lambda: "is not accepted: no account was sent to it" in dialog.visit.message.text)
    assert Servers().get("prod").certificate == CERTIFICATE


def test_a_changed_certificate_is_accepted_and_stays_so(
    qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent
) -> None:
    looked_at.running.found = replace(looked_at.running.found, certificate=OTHER)
    dialog = looking(choose("prod"))
    question = opened(qtbot, FingerprintDialog)
    question.known.click()
    question.accept_button.click()
    opened(qtbot, SecretDialog).reject()
    qtbot.waitUntil(lambda: "needs the password" in dialog.visit.message.text)
    assert Servers().get("prod").certificate == OTHER, "the person has decided, whatever the login says"


def test_a_server_is_cleaned_after_a_question(qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent) -> None:
    choose("prod").contenders.servers.clean.trigger()
    press(qtbot, "Cancel")
    assert not looked_at.asked
    choose("prod").contenders.servers.clean.trigger()
    press(qtbot, "Clean")
    give(qtbot)
    dialog = opened(qtbot, ServerVisitDialog)
    qtbot.waitUntil(lambda: dialog.visit.found.text() == "removed table sbtest1 of bench")
    assert looked_at.asked[-2:] == ["clean bench", "close"]


def test_a_removed_server_is_marked_in_the_plan_that_names_it(qtbot: QtBot, choose: Choose) -> None:
    page = choose("replica")
    named = ContenderRequest.of_server("replica", "innodb")
    page.controller.change(page.controller.draft.with_sequence("quick").with_contenders((named,)))
    page.contenders.servers.remove.trigger()
    press(qtbot, "Cancel")
    assert Servers().get("replica")
    page.contenders.servers.remove.trigger()
    press(qtbot, "Remove")
    qtbot.waitUntil(lambda: "replica" not in listed(page))
    qtbot.waitUntil(lambda: "no server 'replica'" in checks_of(page))
    assert page.contenders.contenders.index(0, 1).data() == "@replica"


def test_a_primary_is_removed_after_its_replicas(qtbot: QtBot, choose: Choose) -> None:
    page = choose("prod")
    page.contenders.servers.remove.trigger()
    press(qtbot, "Remove")
    qtbot.waitUntil(lambda: "has the replica repeating: remove that first" in page.message.text)
    for name in ("repeating", "prod", "replica"):
        Servers().remove(name)
    page.controller.reload()
    qtbot.waitUntil(lambda: not page.contenders.servers.isVisible())


def test_a_real_server_with_a_new_certificate(
    qtbot: QtBot, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()
    with with_account("") as database:
        pin = certificate_of(HOST, database.port).split()[0]
        Servers().keep(NamedServer("real", HOST, database.port, "bench", "measured", pin))
        page = open_page()
        page.contenders.servers.table.choose_row(0)
        dialog = looking(page)
        give(qtbot, MEASURED)
        qtbot.waitUntil(lambda: "SELECT 1 takes" in dialog.visit.found.text())
        dialog.reject()
        database.stop()
        certify(database.folder)
        database.start()
        leave_behind(database)
        page.contenders.servers.clean.trigger()
        press(qtbot, "Clean")
        question = opened(qtbot, FingerprintDialog)
        question.known.click()
        question.accept_button.click()
        dialog = opened(qtbot, ServerVisitDialog)
        qtbot.waitUntil(lambda: dialog.visit.found.text() == "removed table sbtest1 of bench")
        assert Servers().get("real").certificate == certificate_of(HOST, database.port).split()[0] != pin
        assert database.query("SHOW TABLES FROM bench") == []
        dialog.reject()
    forget_secrets()


def leave_behind(database: Any) -> None:
    """As a plan that was killed: its table, and a marker that has been silent for long."""
    database.query(
        "USE bench", "CREATE TABLE sbtest1 (id INT)",
        "CREATE TABLE dyno_marker (kind VARCHAR(12) NOT NULL, name VARCHAR(64) NOT NULL,"
        " about VARCHAR(250) NOT NULL, at DATETIME NOT NULL, PRIMARY KEY (kind, name))",
        "INSERT INTO dyno_marker VALUES ('base table', 'sbtest1', '', NOW()),"
        " ('owner', '', 'nuc process 7', UTC_TIMESTAMP() - INTERVAL 1 HOUR)",
    )  # fmt: skip


def test_nothing_is_cut_off_in_the_dialogs(qtbot: QtBot, choose: Choose, looked_at: ScriptedAgent) -> None:
    """With the longest of what may be wrong, and of what was found."""
    page = choose("prod")
    form = edited(page, url="mysql://me:password@db.example/bench")
    form.go_button.click()
    found = {"form": laid_out(qtbot, form)}
    form.reject()
    looked_at.running.found = replace(
        looked_at.running.found, certificate=OTHER, schema_state="the schema has tables", notes=["a note"] * 8
    )
    visit = looking(page)
    question = opened(qtbot, FingerprintDialog)
    found["question"] = laid_out(qtbot, question)
    question.known.click()
    question.accept_button.click()
    give(qtbot)
    qtbot.waitUntil(lambda: "problem: the schema has tables" in visit.visit.found.text())
    found["found"] = laid_out(qtbot, visit)
    assert not any(found.values()), found


def laid_out(qtbot: QtBot, dialog: QDialog) -> list[str]:
    """What is wrong with how it is seen, once all of it has its place."""
    with qtbot.waitActive(dialog):
        dialog.activateWindow()
    qtbot.wait(100)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
    return faults(dialog)
