"""CPU of the agent beside point queries of one client a role: with no roles, two and four.

python -m tests.bench agent-cost --seconds 60
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tests.bench import rig as rigs
from tests.bench.figure import Figure
from tests.bench.processes import cpu_s
from tests.bench.server import STEP, engines

SECONDS = 18
ROLES = (1, 2, 4)
RUN_IN_S = 3  # the first seconds of a step look at new processes
GOAL_PCT, GOAL_A_ROLE_PCT = 0.5, 0.1  # of a core
ROLE = '[[step.role]]\nname = "role-{at}"\nworkload = "point-query"\nthreads = 1\nseconds = {seconds}\n'


def measure(options: argparse.Namespace) -> list[Figure]:
    found: list[Figure] = []
    seconds = options.seconds or SECONDS
    with rigs.made(options) as rig:
        for engine in engines(options)[:1]:
            plan = rig.plan(engine, "".join(_step(roles, seconds) for roles in ROLES), threads=(1,))
            names = [step.name for step in plan.steps]
            with rig.carried_out(plan) as followed:
                pcts = [_pct(followed, names.index(_name(roles)), seconds) for roles in ROLES]
            found += _figures(engine, pcts, seconds)
    return found


def _name(roles: int) -> str:
    return f"roles-{roles}"


def _step(roles: int, seconds: int) -> str:
    if roles == 1:
        return STEP.format(name=_name(1), workload="point-query", seconds=seconds + 2 * RUN_IN_S)
    of_roles = "".join(ROLE.format(at=at + 1, seconds=seconds + 2 * RUN_IN_S) for at in range(roles))
    return f'\n[[step]]\nname = "{_name(roles)}"\n{of_roles}'


def _pct(followed: rigs.Followed, step: int, seconds: int) -> float:
    """Of a core, in the middle of a step."""

    def used_at(second: int) -> float:
        followed.wait(lambda e: e.kind == "sample" and (e.step, e.s) == (step, second), f"second {second}")
        return cpu_s(followed.agent)

    began = used_at(RUN_IN_S)
    return 100 * (used_at(RUN_IN_S + seconds) - began) / seconds


def _figures(engine: str, pcts: list[float], seconds: int) -> Iterator[Figure]:
    alone = pcts[0]
    yield Figure(f"{engine}: the agent, no roles", alone, "% of a core", seconds, "s", at_most=GOAL_PCT)
    for roles, pct in zip(ROLES[1:], pcts[1:], strict=True):
        yield Figure(f"{engine}: the agent, {roles} roles", pct, "% of a core", seconds, "s")
        more = (pct - alone) / (roles - 1)
        yield Figure(f"{engine}: a further role of {roles}", more, "%", seconds, "s", at_most=GOAL_A_ROLE_PCT)


FIGURES = {"agent-cost": measure}
