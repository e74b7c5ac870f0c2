"""The read view that holds purge back while writes are counted."""

from __future__ import annotations

from typing import Any

import pytest

from app.agent.server.mysql import Client
from app.agent.steps.read_view import HeldReadView
from app.agent.system.errors import AgentError
from app.engines.query import QueryError


class Server(Client):
    """Answers a connection; `views` are those that innodb_trx has of it."""

    def __init__(self, views: int = 1, problem: str = "") -> None:
        super().__init__("/nowhere")
        self.views, self.problem = views, problem
        self.said: list[str] = []

    def run(self, *statements: str) -> None:
        self.said += statements

    def query(self, sql: str) -> list[dict[str, Any]]:
        if self.problem:
            raise QueryError(self.problem)
        return [{"n": self.views}]


def held(server: Server, engine: str = "innodb") -> HeldReadView:
    return HeldReadView(server, engine)


def test_it_is_opened_once_whatever_the_isolation_level_of_the_preset() -> None:
    server = Server()
    view = held(server)
    assert view.hold() and view.hold()
    assert server.said == [
        "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
        "START TRANSACTION WITH CONSISTENT SNAPSHOT",
    ]


def test_a_view_that_is_lost_is_not_believed() -> None:
    server = Server()
    view = held(server)
    view.hold()
    server.views = 0
    with pytest.raises(AgentError, match="does not have the read view"):
        view.hold()
    with pytest.raises(AgentError, match="purge back: 1227 Access denied"):
        held(Server(problem="1227 Access denied")).hold()


def test_an_engine_without_purge_needs_none() -> None:
    server = Server()
    assert not held(server, "myisam").hold() and not server.said
