"""The load targets of a plan: which they are, whether they reach the server, and how they are called."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Protocol

from app.core.errors import DynoError, TargetError
from app.core.units import count_text
from app.planner.request.load_address import address_of
from app.planner.resolve.resolve import machine_key
from app.protocol.answers import (
    FAIL,
    PASS,
    WARN,
    Check,
    ConductorAddress,
    DirectoryStatus,
    LoadLinkTrial,
    LoadTargetAdmission,
    StartedPlan,
    Survey,
)
from app.protocol.load_link import load_token_hash
from app.protocol.machine_checks import IN_USE_TODO, machine_checks, sysbench_check
from app.protocol.plan import DrivingTarget, Plan
from app.remote.load_secrets import LoadTargetSecrets
from app.remote.reach import reached
from app.remote.target import Ask
from app.targets.store import Targets

SLOW_MS = 2.0  # a round trip that takes longer than many queries
_UNREACHED = "choose another address of the server's machine, or open its port"


class LoadAgent(Protocol):
    """What is needed of the agent of a load target."""

    def status(self) -> DirectoryStatus: ...
    def survey(self, search_paths: Sequence[str] = ()) -> Survey: ...
    def upload_plan(self, plan: Plan) -> str: ...
    def try_load(self, call: ConductorAddress) -> LoadLinkTrial: ...
    def drive(self, plan: str, call: ConductorAddress) -> None: ...


class ConductingAgent(Protocol):
    """What is needed of the agent beside the server."""

    def listen(self, conducting: LoadTargetAdmission) -> int: ...
    def start(self, plan: str, conducting: LoadTargetAdmission | None = None) -> StartedPlan: ...
    def stop(self, plan: str, what: str) -> None: ...


class PlanRunnerAgent(Protocol):
    """What is needed of the agent that carries out a plan."""

    def admit(self, plan: str, admission: str) -> int: ...
    def note(self, plan: str, text: str) -> None: ...


Reach = Callable[[str], AbstractContextManager[LoadAgent]]


def _about(survey: Survey) -> str:
    cpus = count_text(survey.cpu.threads, "CPU")
    return f"{survey.cpu.model or 'unknown CPU'}, {cpus}, sysbench {survey.sysbench or '?'}"


def reach_by_target_name(ask: Ask) -> Reach:
    """The way to load targets, as a person has named them."""
    return lambda name: reached(Targets().get(name), ask)


class ConnectedLoadTargets:
    """The load targets of one launch, connected while it lasts."""

    def __init__(self, names: Sequence[str], address: str, reach: Reach) -> None:
        self.names = list(names)
        self._address, self._port = address_of(address)
        self._reach = reach
        self._open = ExitStack()
        self._agents: dict[str, LoadAgent] = {}
        self._secrets = LoadTargetSecrets.made(self.names)
        self._found: list[DrivingTarget] = []

    def __enter__(self) -> ConnectedLoadTargets:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def look(self) -> Iterator[Check]:
        """Connect to each and survey it; gives what speaks against it."""
        for name in self.names:
            agent = self._agents[name] = self._open.enter_context(self._reach(name))
            if taken := agent.status().taken:
                yield Check("load target", FAIL, f"{name}: {taken}", IN_USE_TODO)
            survey = agent.survey()
            self._found.append(DrivingTarget(name, machine_key(survey), _about(survey)))
            for found in (sysbench_check(survey), *machine_checks(survey)):
                if found.state in (WARN, FAIL):
                    yield replace(found, text=f"{name}: {found.text}")

    def given_to(self, plan: Plan) -> Plan:
        """The plan with these load targets."""
        return replace(plan, load=self._found, load_certificate=self._secrets.fingerprint)

    def tried(self, conductor: ConductingAgent) -> Iterator[Check]:
        """Try from each to reach the server's machine."""
        where = self._address + (f" from port {self._port} on" if self._port else "")
        text = f"while the plan runs, Dyno and the server listen on {where} for its load targets alone"
        yield Check("load address", PASS, text)
        port = conductor.listen(self._conducting())
        for name, agent in self._agents.items():
            yield self._try(name, agent, port)

    def _try(self, name: str, agent: LoadAgent, port: int) -> Check:
        try:
            found = agent.try_load(self._secrets.call(name, self._address, port))
        except DynoError as error:
            return Check("load target", FAIL, str(error), _UNREACHED)
        text = f"{name} reaches {self._address}: round trip {found.rtt_ms:.3f} ms, {found.mbit:,.0f} Mbit/s"
        if found.rtt_ms > SLOW_MS:
            return Check("load target", WARN, text, "each query waits that long: use a closer machine")
        return Check("load target", PASS, text)

    def start(self, conductor: ConductingAgent, plan: Plan, uploaded: str) -> None:
        """Start the plan, and call each load target; if one does not come, the plan ends."""
        sent = {name: agent.upload_plan(plan) for name, agent in self._agents.items()}
        port = conductor.start(uploaded, self._conducting()).port
        try:
            for name, agent in self._agents.items():
                agent.drive(sent[name], self._secrets.call(name, self._address, port))
        except DynoError:
            conductor.stop(plan.id, "plan")
            raise

    def _conducting(self) -> LoadTargetAdmission:
        return self._secrets.conducting(self._address, self._port)


def readmit_load_target(
    plan: Plan, target: DrivingTarget, agent: LoadAgent, running: PlanRunnerAgent
) -> None:
    """Call a load target of a running plan that was restarted; it gets a token of its own."""
    if machine_key(agent.survey()) != target.machine_key:
        raise TargetError(f"{target.name} is another machine than when the plan began")
    token, (address, _) = secrets.token_hex(32), address_of(plan.load_address)
    uploaded = agent.upload_plan(plan)
    port = running.admit(plan.id, load_token_hash(target.name, token))
    agent.drive(uploaded, ConductorAddress(target.name, address, port, plan.load_certificate, token))
    running.note(plan.id, f"the load target {target.name} was called again")
