"""A contender is rehearsed once by a worker: the same one in the same plan starts the next time too.

What rehearsals find is tested with contenders of which there is no other, or by a process of its own.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from app.protocol.answers import INFO, PASS, RehearsalResult
from app.protocol.plan import Plan, Step, digest
from app.remote.agent import RemoteAgent

Put = Callable[[object, str, object], None]  # setattr, or that of a monkeypatch


def remember(known: Path, put: Put) -> None:
    """Give the answer of the first rehearsal again; the folder keeps what had nothing against a start."""
    plans: dict[str, Plan] = {}
    upload, rehearse = RemoteAgent.upload_plan, RemoteAgent.rehearse

    def uploaded(agent: RemoteAgent, plan: Plan) -> str:
        sha = upload(agent, plan)
        plans[sha] = plan
        return sha

    def rehearsed(
        agent: RemoteAgent,
        plan: str,
        contender: int,
        patience_s: float = 60.0,
        passwords: Mapping[str, str] | None = None,
    ) -> RehearsalResult:
        answer = known / _key(agent, plans[plan], contender)
        if answer.exists():
            found: RehearsalResult = pickle.loads(answer.read_bytes())
            return found
        found = rehearse(agent, plan, contender, patience_s, passwords)
        if passwords:  # a server that runs already may be another one now
            return found
        if all(check.state in (PASS, INFO) for check in found.checks):
            keep(answer, pickle.dumps(found))
        return found

    put(RemoteAgent, "upload_plan", uploaded)
    put(RemoteAgent, "rehearse", rehearsed)


def keep(path: Path, content: bytes) -> None:
    """Whole or not at all, as another process may read it."""
    beside = path.with_suffix(".new")
    beside.write_bytes(content)
    beside.rename(path)


def _key(agent: RemoteAgent, plan: Plan, contender: int) -> str:
    """What a start of this contender depends on: nothing of the session, and not its place in the plan."""
    steps = [_whatever_its_length(step) for step in plan.steps]
    only = [plan.contenders[contender]]
    alike = replace(plan, id="", name="", turns=[], repeats=1, contenders=only, steps=steps)
    return digest([type(agent.connection).__name__, agent.python, alike.to_json()])


def _whatever_its_length(step: Step) -> Step:
    return replace(step, seconds=0, warmup=0, rate=0)
