"""What a session goes on without, where Dyno has no facts of its engine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.agent.steps.engine_limits import NO_INDEX, MissingFeaturePolicy
from app.agent.system.errors import AgentError
from app.protocol.plan import Step
from tests.servers import Answers

LOAD, INDEX = Step("load", "load"), Step("index", "index")


def session(engine: str, rows: int = 7, **answers: Any) -> Any:
    tables = {"SHOW TABLES": [{"tables_in_dyno": "sbtest1"}, {"tables_in_dyno": "sbtest2"}]}
    return SimpleNamespace(
        contender=SimpleNamespace(engine=engine),
        server=SimpleNamespace(pid=1, client=Answers({**tables, **answers})),
        write_accounting=SimpleNamespace(rows_in_tables=rows),
    )


@pytest.mark.parametrize(
    ("engine", "step", "outcome", "goes_on"),
    [
        ("federated", LOAD, "completed", True),
        ("federated", LOAD, "failed", False),
        ("federated", INDEX, "failed", True),
        ("federated", INDEX, "skipped", False),
        ("federated", INDEX, "stopped", True),
        ("innodb", INDEX, "failed", False),
    ],
)
def test_an_index_can_be_done_without(engine: str, step: Step, outcome: str, goes_on: bool) -> None:
    lacking = MissingFeaturePolicy(session(engine))
    assert lacking.goes_on(step, {"outcome": outcome}) == goes_on
    assert lacking.marks == ([NO_INDEX] if (engine, step, outcome) == ("federated", INDEX, "failed") else [])


def test_rows_that_are_gone_with_their_server_end_the_session() -> None:
    its_session = session("example", sbtest1=[], sbtest2=[])
    lacking = MissingFeaturePolicy(its_session)
    lacking.goes_on(LOAD, {"outcome": "completed"})
    lacking.check_rows()  # BLACKHOLE stores none either: only a start takes rows away
    its_session.server.pid = 2
    with pytest.raises(AgentError, match="after the restart: example does not store its rows"):
        lacking.check_rows()


def test_rows_are_looked_for_once_after_a_start() -> None:
    its_session = session("oqgraph", sbtest1=[], sbtest2=[{"1": 1}])
    lacking = MissingFeaturePolicy(its_session)
    lacking.check_rows()
    its_session.server.client.answers = {}
    lacking.check_rows()


@pytest.mark.parametrize(("engine", "rows"), [("innodb", 7), ("example", 0)])
def test_others_are_not_asked(engine: str, rows: int) -> None:
    its_session = session(engine, rows)
    its_session.server.client.answers = {}
    MissingFeaturePolicy(its_session).check_rows()
