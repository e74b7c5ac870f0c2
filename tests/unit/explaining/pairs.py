"""Two contenders that differ, made up, and the rounds of their plans without a machine."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import combinations, count
from random import Random

from app.catalog import Catalog
from app.explaining.entries import ExplainedDifferenceEntry, entry_of
from app.explaining.evidence import MeasuredRounds
from app.explaining.explaining import DifferenceQuestion, ExplainedContenderPair, ExplanationState
from app.explaining.pair import ContenderPair
from app.explaining.search import shares_from_rounds
from app.explaining.squares import Group
from app.history.store.history import History
from app.planner.request.request import PlanRequest
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Contender, Plan
from app.stats import VerdictLimits
from tests import sliced
from tests.plans import MARIADB, plan, survey

OURS = """[mysqld]
innodb_buffer_pool_size=64M
innodb_flush_log_at_trx_commit=1
innodb_log_file_size=64M
innodb_io_capacity=200
innodb_io_capacity_max=2000
loose_innodb_change_buffering=none
"""
THEIRS = """[mysqld]
innodb_buffer_pool_size=67108864
innodb_flush_log_at_trx_commit=2
innodb_log_file_size=96M
innodb_io_capacity=400
innodb_io_capacity_max=3000
loose_innodb_change_buffering=none
skip_innodb_doublewrite
"""
COMMIT, REDO, DOUBLEWRITE = "innodb_flush_log_at_trx_commit", "innodb_log_file_size", "innodb_doublewrite"
IO = "innodb_io_capacity, innodb_io_capacity_max"
_NUMBERS = count(1)


def contender(cnf: str = OURS, build: str = MARIADB, **changes: object) -> Contender:
    (made,) = plan(f"{build}:innodb").contenders
    return replace(made, cnf=cnf, **changes)  # type: ignore[arg-type]


def asked(
    a: Contender | None = None, b: Contender | None = None, sequence: str = "duel", **changes: object
) -> DifferenceQuestion:
    request = PlanRequest().with_options(sequence=sequence, rows=1000, tables=1, seconds=60, threads=[2])
    pair = ContenderPair(request, stored=(a or contender(), b or contender(THEIRS)))
    its = DifferenceQuestion(pair, "update-index", minutes=1_000_000)  # the sessions made up are hours apart
    return replace(its, **changes)  # type: ignore[arg-type]


def explaining(its: DifferenceQuestion | None = None) -> ExplainedContenderPair:
    return ExplainedContenderPair.of(its or asked(), survey(), Catalog())


def next_plan(found: ExplainedContenderPair, state: ExplanationState) -> Plan:
    request = found.next_request(state)
    assert request is not None
    its_plan = resolve(request, survey(), Catalog())
    return replace(its_plan, id=f"{next(_NUMBERS):026d}")


def measure(
    history: History,
    found: ExplainedContenderPair,
    its_plan: Plan,
    factor: Callable[[Group], float],
    odd: sliced.Oddities | None = None,
) -> None:
    """All sessions of a plan, as fast as their settings make them."""
    groups = [found.between.group_of(each) for each in its_plan.contenders]
    sliced.keep(history, its_plan, [factor(group or frozenset()) for group in groups], odd)


def decided_settings(
    history: History, found: ExplainedContenderPair, factor: Callable[[Group], float]
) -> ExplanationState:
    """Plan after plan, to the end."""
    state = found.state(history)
    while found.next_request(state):
        measure(history, found, next_plan(found, state), factor)
        state = found.state(history)
    return state


def shown() -> ExplainedDifferenceEntry:
    """An explanation with each verdict, without a history."""
    found, noise = explaining(), Random(1)
    groups = [frozenset(each) for n in range(5) for each in combinations(found.between.names, n)]
    factor = {COMMIT: 0.4, REDO: 0.03}
    rounds = tuple(
        {group: sum(factor.get(each, 0.0) for each in group) + noise.gauss(9, 0.02) for group in groups}
        for _ in range(8)
    )
    evidence = MeasuredRounds(rounds, ("1",), 700.0, 8, "queries/s", "higher")
    return entry_of(
        found, ExplanationState(shares_from_rounds(found.between.names, rounds, VerdictLimits()), evidence, 0)
    )


def only(causes: Collection[str], by: float) -> Callable[[Group], float]:
    """Each of these settings changes the result by this factor."""
    return lambda group: by ** len(group & set(causes))
