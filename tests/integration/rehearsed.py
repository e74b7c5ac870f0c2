"""A contender is rehearsed once by a worker: the same one in the same plan starts the next time too.

What rehearsals find is tested with contenders of which there is no other, or by a process of its own.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.protocol.answers import INFO, PASS, Rehearsal
from app.protocol.plan import Plan, digest
from app.remote.agent import Agent

_FOUND: dict[str, Rehearsal] = {}  # what had nothing against a start


def remember(patch: pytest.MonkeyPatch) -> None:
    """Give the answer of the first rehearsal again, as long as this patch lasts."""
    plans: dict[str, Plan] = {}
    upload, rehearse = Agent.upload_plan, Agent.rehearse

    def uploaded(agent: Agent, plan: Plan) -> str:
        sha = upload(agent, plan)
        plans[sha] = plan
        return sha

    def rehearsed(agent: Agent, plan: str, contender: int, patience_s: float = 60.0) -> Rehearsal:
        key = _key(agent, plans[plan], contender)
        found = _FOUND.get(key) or rehearse(agent, plan, contender, patience_s)
        if all(check.state in (PASS, INFO) for check in found.checks):
            _FOUND[key] = found
        return found

    patch.setattr(Agent, "upload_plan", uploaded)
    patch.setattr(Agent, "rehearse", rehearsed)


def _key(agent: Agent, plan: Plan, contender: int) -> str:
    """What a start of this contender depends on: nothing of the session, and not its place in the plan."""
    alike = replace(plan, id="", name="", turns=[], repeats=1, contenders=[plan.contenders[contender]])
    return digest([type(agent.connection).__name__, agent.python, alike.to_json()])
