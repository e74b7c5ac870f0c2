"""Load targets of a plan: what may be asked for, and in which order they and the server are asked."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.core.errors import InputError, TargetError
from app.planner.checks.load_targets import LoadAgent
from app.planner.request.command_line import command_line
from app.planner.request.load_address import address_of
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.planner.starting.launch import STARTED, Launch, LaunchStage
from app.protocol.answers import FAIL, WARN, ConductorAddress, LoadLinkTrial, LoadTargetAdmission, StartedPlan
from app.protocol.plan import DrivingTarget, Plan
from app.remote.secrets import NO_PASSWORDS
from tests.fakes import ScriptedAgent
from tests.plans import request, survey

FROM = {"load": ("client-1", "client-2"), "load_address": "10.0.0.5:7700"}


class Server(ScriptedAgent):
    """The target of the server; it listens."""

    def listen(self, conducting: LoadTargetAdmission) -> int:
        self._hear("listen")
        self.conducting = conducting
        return 7700

    def start(
        self,
        plan: str,
        conducting: LoadTargetAdmission | None = None,
        passwords: Mapping[str, str] = NO_PASSWORDS,
    ) -> StartedPlan:
        assert conducting is None or conducting == self.conducting
        self._hear("start")
        return StartedPlan("01P", 1, [], 7700)

    def stop(self, plan: str, what: str) -> None:
        self._hear(f"stop {what}")


class Client(ScriptedAgent):
    """A load target; a round trip in ms, or what goes wrong."""

    def __init__(self, rtt_ms: float = 0.2, unreached: str = "", refuses: bool = False) -> None:
        super().__init__()
        self._rtt_ms, self._unreached, self._refuses = rtt_ms, unreached, refuses

    def try_load(self, call: ConductorAddress) -> LoadLinkTrial:
        self._hear("try")
        self.call = call
        if self._unreached:
            raise TargetError(self._unreached)
        return LoadLinkTrial(self._rtt_ms, 940.0)

    def drive(self, plan: str, call: ConductorAddress) -> None:
        self._hear("drive")
        assert call == self.call
        if self._refuses:
            raise TargetError("client-2: it is in use")


def launched(server: Server, *clients: Client, last: str = STARTED) -> LaunchStage:
    named = dict(zip(FROM["load"], clients, strict=True))

    def reach(name: str) -> AbstractContextManager[LoadAgent]:
        return named[name].reached()

    *_, stage = Launch(lambda _: request(**FROM), server.reached(), last=last, reach=reach).stages()
    return stage


def test_all_are_tried_before_anything_starts_and_called_after_it() -> None:
    server, clients = Server(), (Client(), Client())
    stage = launched(server, *clients)
    assert stage.name == STARTED and stage.plan is not None
    for client in clients:
        assert client.asked == ["reach", "survey", "try", "upload", "drive", "close"]
    assert server.asked.index("listen") < server.asked.index("start") and server.asked[-1] == "close"
    plan = stage.plan
    assert [each.name for each in plan.load] == list(FROM["load"])
    assert clients[0].call.fingerprint == plan.load_certificate and len(plan.load_certificate) == 64
    texts = [each.text for each in stage.checks if each.name in ("load address", "load target")]
    assert texts == [
        "while the plan runs, Dyno and the server listen on 10.0.0.5 from port 7700 on for its load targets"
        " alone",
        "client-1 reaches 10.0.0.5: round trip 0.200 ms, 940 Mbit/s",
        "client-2 reaches 10.0.0.5: round trip 0.200 ms, 940 Mbit/s",
    ]


def test_one_that_cannot_reach_the_server_starts_nothing() -> None:
    server, clients = Server(), (Client(), Client(unreached="client-2 cannot reach 10.0.0.5 port 7700"))
    stage = launched(server, *clients)
    assert [each.text for each in stage.failed] == ["client-2 cannot reach 10.0.0.5 port 7700"]
    assert "start" not in server.asked and "drive" not in clients[0].asked


def test_a_slow_way_is_warned_of() -> None:
    stage = launched(Server(), Client(rtt_ms=7.0), Client())
    (slow,) = [each for each in stage.checks if each.state == WARN and each.name == "load target"]
    assert "client-1" in slow.text and "7.000 ms" in slow.text


def test_one_that_is_at_work_starts_nothing() -> None:
    busy = Client()
    busy._status = replace(busy._status, taken="/data is in use by plan night")
    stage = launched(Server(), busy, Client())
    assert [(each.state, each.text) for each in stage.failed] == [
        (FAIL, "client-1: /data is in use by plan night")
    ]


def test_a_plan_ends_if_a_load_target_does_not_come() -> None:
    server = Server()
    with pytest.raises(TargetError, match="client-2: it is in use"):
        launched(server, Client(), Client(refuses=True))
    assert server.asked[-2:] == ["stop plan", "close"]


def resolved(**options: object) -> Plan:
    return resolve(request(**{**FROM, **options}), survey(), Catalog())


def test_the_plan_has_what_load_targets_need() -> None:
    alone = resolve(request(), survey(), Catalog())
    plan = resolved()
    assert plan.transport == "network" and "workloads/dyno-load.lua" in plan.files
    keys = {
        alone.work_key,
        plan.work_key,
        replace(plan, load=[DrivingTarget("a", "1")]).work_key,
        replace(plan, load=[DrivingTarget("a", "2")]).work_key,
    }
    assert len(keys) == 4, "never pooled"
    named = [DrivingTarget("a", "1"), DrivingTarget("b", "2")]
    assert replace(plan, load=named).work_key == replace(plan, load=named[::-1]).work_key
    assert replace(plan, load_certificate="ab").hash == replace(plan, load_certificate="cd").hash
    assert Plan.from_json(replace(plan, load=named).to_json()).load == named


def test_how_sysbench_is_started_says_nothing_of_the_work() -> None:
    plan = resolve(request(), survey(), Catalog())
    before = {name: text for name, text in plan.files.items() if name != "workloads/dyno-start.lua"}
    assert len(before) < len(plan.files) and replace(plan, files=before).work_key == plan.work_key


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"cpus": "own"}, "leave them out"),
        ({"cores": (1, 2)}, "leave them out"),
        ({"transport": "socket"}, "leave transport out"),
        ({"load": ("local",)}, "local is the target of the server"),
        ({"load": ("a", "a")}, "twice"),
        ({"load_address": ""}, "need load_address"),
        ({"load": ()}, "only for plans with load targets"),
        ({"load": tuple(f"c{at}" for at in range(65))}, "at most 64 load targets"),
    ],
)
def test_load_targets_that_cannot_be_are_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        resolved(**options)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.0.0.5", ("10.0.0.5", 0)),
        ("192.168.1.7:7700", ("192.168.1.7", 7700)),
        ("fd00::5", ("fd00::5", 0)),
        ("[fd00::5]:7700", ("fd00::5", 7700)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
    ],
)
def test_addresses(text: str, found: tuple[str, int]) -> None:
    assert address_of(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nuc",
        "8.8.8.8",
        "0.0.0.0",
        "::",
        "10.0.0.5:",
        "10.0.0.5:x",
        "10.0.0.5:-1",
        "10.0.0.5:65001",
        "[fd00::5",
        "10.0.0.5:\u0665",
    ],
)
def test_what_is_no_private_address_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        address_of(text)


def test_the_command_and_the_plan_file_say_the_same() -> None:
    asked = request(**FROM)
    assert "--clients-on client-1,client-2" in command_line(
        asked
    ) and "--load-address 10.0.0.5:7700" in command_line(asked)
    assert plan_request_of_text(plan_file_text(asked)) == asked
