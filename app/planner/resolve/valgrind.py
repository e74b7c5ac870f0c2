"""What is in force where a plan counts: under valgrind some options replace those of the presets."""

from __future__ import annotations

from dataclasses import replace

from app.engines.server import UNDER_VALGRIND
from app.protocol.answers import RehearsalResult
from app.protocol.plan import Contender, Plan
from app.variables import option_values
from app.variables.variables import Values

_CNF = "\n".join(("[mysqld]", *(f"{name}={value}" for name, value in UNDER_VALGRIND.items()), ""))


def contenders_in_force(plan: Plan) -> list[Contender]:
    """The contenders with the options that their servers are counted with."""
    if not plan.counts:
        return plan.contenders
    return [replace(each, cnf=f"{each.cnf}\n{_CNF}") for each in plan.contenders]


def rehearsal_in_force(plan: Plan, found: RehearsalResult) -> RehearsalResult:
    """What a rehearsal says, which starts a server without valgrind."""
    if not plan.counts:
        return found
    return replace(found, variables=counted_variables(found.variables))


def counted_variables(values: Values) -> dict[str, str]:
    """Variables of a server as they are while its work is counted."""
    return {**values, **{name: value for name, value in option_values(_CNF).items() if name in values}}
