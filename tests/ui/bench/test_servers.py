"""Servers that run already on Bench: listed, ticked, kept, set up again, and their passwords asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.history.store.history import History
from app.planner.request.contender import ContenderRequest
from app.remote.secrets import forget_secrets
from app.targets.servers import Servers
from tests.existing import PROD, keep_two_servers, stored_plan
from tests.fakes import PASSWORD, ScriptedAgent
from tests.ui.bench.set_up import (
    OpenPage,
    checks_of,
    click_cell,
    dialogs,
    reason,
    request_of,
    settle,
)
from ui.core.bus import ShowPageRequest
from ui.core.secret_dialog import SecretDialog
from ui.models.servers import NOT_LOOKED_AT
from ui.pages.bench import BenchPage

PROD_INNODB = ContenderRequest.of_server("prod", "innodb")


def server_cell(page: BenchPage, server: str, engine: str) -> Any:
    model = page.contenders.servers.model
    return next(
        model.index(row, column)
        for row in range(model.rowCount())
        for column in range(model.columnCount())
        if (model.server(row).name, model.engine(column)) == (server, engine)
    )


def lines(page: BenchPage) -> list[list[str]]:
    """What the group shows, without the boxes."""
    model = page.contenders.servers.model
    columns = [at for at in range(model.columnCount()) if not model.engine(at)]
    return [[model.index(row, at).data() for at in columns] for row in range(model.rowCount())]


@pytest.fixture
def with_servers(open_page: OpenPage) -> BenchPage:
    """A page whose target drives two servers that were looked at and one that was not."""
    keep_two_servers()
    Servers().keep(replace(PROD, name="new"))
    Servers().keep(replace(PROD, name="far", target="nuc"))
    return open_page()


def test_servers_of_the_target_are_listed_as_they_were_found(with_servers: BenchPage) -> None:
    assert lines(with_servers) == [
        ["new", NOT_LOOKED_AT, PROD.url],
        ["prod", "MySQL 8.0.36", PROD.url],
        ["replica", "MySQL 8.0.36", Servers().get("replica").url],
    ]
    assert not server_cell(with_servers, "new", "innodb").flags() & Qt.ItemFlag.ItemIsUserCheckable
    assert "not looked at yet" in server_cell(with_servers, "new", "innodb").data(Qt.ItemDataRole.ToolTipRole)


def test_without_servers_their_group_takes_no_place(page: BenchPage) -> None:
    group = page.contenders.servers
    assert not group.isVisible()
    assert group.add in page.page_actions()


def test_a_click_ticks_a_server_and_takes_it_back(qtbot: QtBot, with_servers: BenchPage) -> None:
    page, table = with_servers, with_servers.contenders.servers.table
    index = server_cell(page, "prod", "innodb")
    click_cell(qtbot, table, index)
    settle(qtbot, page)
    assert request_of(page).contenders[-1] == PROD_INNODB
    shown = [page.contenders.contenders.index(2, column) for column in range(7)]
    assert [each.data() for each in shown] == ["prod-innodb", "@prod", "InnoDB", "-", "none", "-", "-"]
    assert [bool(each.flags() & Qt.ItemFlag.ItemIsEditable) for each in shown] == [
        True, False, False, False, True, False, False,
    ]  # fmt: skip
    assert "ticked" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    click_cell(qtbot, table, index)
    settle(qtbot, page)
    assert PROD_INNODB not in request_of(page).contenders


def test_a_server_without_an_engine_is_ticked_at_its_default(qtbot: QtBot, with_servers: BenchPage) -> None:
    page = with_servers
    page.controller.change(page.controller.draft.with_contenders((ContenderRequest.of_server("prod"),)))
    settle(qtbot, page)
    index = server_cell(page, "prod", "innodb")
    assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert page.contenders.contenders.index(0, 2).data() == "default"
    click_cell(qtbot, page.contenders.servers.table, index)
    settle(qtbot, page)
    assert not request_of(page).contenders


def test_a_busy_target_offers_no_queue_to_a_plan_with_servers(
    qtbot: QtBot,
    with_servers: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page, at_work = with_servers, ScriptedAgent(taken="/target is in use by plan first (process 7)")
    monkeypatch.setattr("ui.pages.bench.busy.reached", at_work.reached)
    monkeypatch.setattr(page.context.plans, "adopt_from", lambda _target: None)
    page.context.plans.looked.emit(page.targets.chosen)
    qtbot.waitUntil(lambda: "stop it on Live, or press Queue plan…" in reason(page))
    page.controller.change(page.controller.draft.with_sequence("quick").with_contenders((PROD_INNODB,)))
    settle(qtbot, page)
    assert reason(page).endswith("; wait for it, or stop it on Live")
    reach(at_work)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(page.message.isVisible)
    assert page.message.text.endswith("(process 7) (wait for it, or stop it on Live)")
    assert page.run_panel.run_bar.queue.text() not in [each.text() for each in page.message.buttons]


def test_a_draft_with_servers_is_kept_for_the_next_window(qtbot: QtBot, open_page: OpenPage) -> None:
    keep_two_servers()
    first = open_page()
    click_cell(qtbot, first.contenders.servers.table, server_cell(first, "prod", "innodb"))
    settle(qtbot, first)
    first.controller.change(first.controller.draft.with_contender(2, name="live one"))
    settle(qtbot, first)
    assert request_of(open_page()).contenders[-1] == replace(PROD_INNODB, name="live one")


def test_sessions_of_servers_are_set_up_again(qtbot: QtBot, open_page: OpenPage, dyno_home: Path) -> None:
    with History(dyno_home) as history:
        made = stored_plan(history)
    page = open_page()
    page.open(ShowPageRequest("bench", tuple(turn.session for turn in made.turns)))
    qtbot.waitUntil(lambda: bool(request_of(page).contenders[0].server))
    settle(qtbot, page)
    assert [each.server for each in request_of(page).contenders] == ["prod", "replica"]
    for server in ("prod", "replica"):
        index = server_cell(page, server, "innodb")
        assert index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    assert page.contenders.contenders.index(1, 1).data() == "@replica" and not reason(page)


def test_a_server_that_is_gone_is_marked_in_its_line(qtbot: QtBot, with_servers: BenchPage) -> None:
    page = with_servers
    gone = ContenderRequest.of_server("gone", "innodb")
    page.controller.change(page.controller.draft.with_sequence("quick").with_contenders((gone,)))
    settle(qtbot, page)
    assert "no server 'gone'" in checks_of(page)
    build = page.contenders.contenders.index(0, 1)
    assert build.data() == "@gone" and "no server 'gone'" in build.data(Qt.ItemDataRole.ToolTipRole)


def test_the_line_of_a_server_has_no_my_cnf(qtbot: QtBot, with_servers: BenchPage) -> None:
    page = with_servers
    click_cell(qtbot, page.contenders.servers.table, server_cell(page, "prod", "innodb"))
    settle(qtbot, page)
    page.contenders.table.setFocus()
    page.contenders.table.choose_row(2)
    assert page.contenders.focused_preset() is None


def test_servers_that_cannot_be_read_are_said(open_page: OpenPage) -> None:
    Servers().path.parent.mkdir(exist_ok=True)
    Servers().path.write_text("[prod]\nhost = 5\n")
    page = open_page()
    assert "servers.toml" in page.message.text and not lines(page)


def test_run_asks_for_the_password_in_the_dialog(
    qtbot: QtBot,
    with_servers: BenchPage,
    reach: Callable[[ScriptedAgent], None],
    to_follow: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.targets.server_login.system_keyring", lambda: None)
    forget_secrets()
    agent, page = ScriptedAgent(), with_servers
    reach(agent)
    page.controller.change(page.controller.draft.with_sequence("quick").with_contenders((PROD_INNODB,)))
    settle(qtbot, page)
    assert not reason(page), reason(page)
    page.run_panel.run_bar.run.trigger()
    qtbot.waitUntil(lambda: bool(dialogs(SecretDialog)))
    (dialog,) = dialogs(SecretDialog)
    assert dialog.prompt == PROD.password_label
    dialog.field.setText(PASSWORD)
    dialog.accept_button.click()
    qtbot.waitUntil(lambda: bool(to_follow) or bool(page.message.text))
    assert to_follow, page.message.text
    assert agent.running.asked[-1].password == PASSWORD
    assert agent.passwords[-1] == {"prod-innodb": PASSWORD}
    assert PASSWORD not in page.run_panel.plan.text.toPlainText()
    forget_secrets()
