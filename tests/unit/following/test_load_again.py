"""Load targets that were restarted are called again while their plan is followed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import LinkError, TargetError
from app.following.follower import FollowerLinkState, FollowerNews
from app.following.load_again import LoadTargetReconnector
from app.history.store.decoding import Events
from app.planner.resolve.resolve import machine_key, resolve
from app.protocol.answers import ConductorAddress
from app.protocol.events import StepEnded
from app.protocol.load_link import load_token_hash
from app.protocol.plan import DrivingTarget
from tests.fakes import ScriptedAgent
from tests.plans import request, survey
from tests.waiting import wait_until

KEY = machine_key(survey())
PLAN = replace(
    resolve(request(), survey(), Catalog()),
    load=[DrivingTarget("client-1", KEY, ""), DrivingTarget("client-2", KEY, "")],
    load_address="10.0.0.5",
    load_certificate="c" * 64,
)
FAILED = StepEnded(1, 1.0, 1.0, 2, "failed", "the load target client-1 dropped out")


class Running:
    """The agent that carries out the plan; it was told these admissions and notes."""

    def __init__(self) -> None:
        self.admitted: list[str] = []
        self.notes: list[str] = []
        self.connection = SimpleNamespace(close=lambda: None)

    def admit(self, plan: str, admission: str) -> int:
        assert plan == PLAN.id
        self.admitted.append(admission)
        return 7700

    def note(self, plan: str, text: str) -> None:
        self.notes.append(text)


class Client(ScriptedAgent):
    """A load target that can be called, and is at work from then on."""

    call: ConductorAddress | None = None

    def drive(self, plan: str, call: ConductorAddress) -> None:
        self.call = call
        self._status = replace(self._status, taken="the load of a plan")


class Clients:
    """The ways to load targets; some cannot be reached at first."""

    def __init__(self, unreached: int = 0, **clients: Client) -> None:
        self._unreached, self._clients = unreached, clients
        self.asked = 0

    @contextmanager
    def reach(self, name: str) -> Iterator[Any]:
        self.asked += 1
        self._unreached -= 1
        if self._unreached >= 0:
            raise LinkError(f"{name} does not answer")
        with self._clients[name.replace("-", "_")].reached() as client:
            yield client


Follow = Callable[[Clients], tuple[Running, Callable[[FollowerNews], None], LoadTargetReconnector]]


@pytest.fixture
def follow_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Follow:
    monkeypatch.setattr("app.following.load_again.AGAIN_S", 0.01)
    monkeypatch.setattr("app.following.load_again.plans_by_session", lambda _, names: {names[0]: PLAN})

    def made(clients: Clients) -> tuple[Running, Callable[[FollowerNews], None], LoadTargetReconnector]:
        running = Running()
        again = LoadTargetReconnector(tmp_path, ["S", "T"], lambda: running, clients.reach)  # type: ignore[arg-type,return-value]
        return running, again.heard(lambda _: None), again

    return made


def news(event: StepEnded, state: str = "up") -> FollowerNews:
    return FollowerNews(FollowerLinkState(state), {"S": Events([event])})


def finished(again: LoadTargetReconnector) -> bool:
    return again._looking is not None and not again._looking.is_alive()


def test_one_that_is_gone_is_called_with_a_token_of_its_own(follow_load: Follow) -> None:
    gone, there = Client(), Client(taken="the load of a plan")
    running, told, again = follow_load(Clients(unreached=3, client_1=gone, client_2=there))
    told(news(FAILED))
    wait_until(lambda: finished(again), "all are there")
    assert gone.call is not None and there.call is None
    expected = ConductorAddress("client-1", "10.0.0.5", 7700, PLAN.load_certificate, gone.call.token)
    assert gone.call == expected
    assert running.admitted == [load_token_hash("client-1", gone.call.token)]
    assert running.notes == ["the load target client-1 was called again"]


def test_a_step_that_did_not_fail_disturbs_nobody(follow_load: Follow) -> None:
    clients = Clients()
    _, told, again = follow_load(clients)
    told(news(replace(FAILED, outcome="completed")))
    assert again._looking is None and not clients.asked


def test_the_end_of_the_plan_ends_it(follow_load: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.following.load_again.AGAIN_S", 60.0)
    clients = Clients()
    _, told, again = follow_load(clients)
    told(news(FAILED))
    told(FollowerNews(FollowerLinkState("ended")))
    wait_until(lambda: finished(again), "it has ended")
    assert not clients.asked


def test_another_machine_of_that_name_gets_no_call(follow_load: Follow) -> None:
    found = survey()
    other = Client(found=replace(found, cpu=replace(found.cpu, model="another one")))
    running, told, again = follow_load(Clients(client_1=other, client_2=Client(taken="the load of a plan")))
    told(news(FAILED))
    wait_until(lambda: finished(again), "nothing more is to be done")
    assert other.call is None and not running.admitted


def test_a_refusal_is_not_asked_again(follow_load: Follow, monkeypatch: pytest.MonkeyPatch) -> None:
    def over(*_: str) -> int:
        raise TargetError("plan P is not running")

    monkeypatch.setattr(Running, "admit", over)
    clients = Clients(client_1=Client(), client_2=Client(taken="the load of a plan"))
    _, told, again = follow_load(clients)
    told(news(FAILED))
    wait_until(lambda: finished(again), "nothing more is to be done")
    assert clients.asked == 2
