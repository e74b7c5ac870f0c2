"""The order of steps by effect, and what was disturbed and may be measured again."""

from __future__ import annotations

from dataclasses import replace

from app.comparison.answers.disturbed_steps import disturbed_steps
from app.comparison.cells.by_effect import rows_by_effect
from app.comparison.verdicts.compare import compare
from app.history.store.history import History
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan

BUSY = Odd(["disturbed"], others={"cpus": 2, "cpu_pct": 70.0, "steal_pct": 0.0, "causes": ["cpu"]})
DEAR = {(1, repeat, 1): Odd(factor=0.5) for repeat in range(1, 6)}
FASTER = {(1, repeat, 2): Odd(factor=3.0) for repeat in range(1, 6)}


def test_the_largest_effect_comes_first_in_either_direction(history: History) -> None:
    found = compare(history, keep(history, plan(), (1.0, 1.0), {**DEAR, **FASTER}))
    assert [row.workload for row in rows_by_effect(found.rows, found.base)] == [
        "update-index",
        "point-query",
        "load",
    ]


def test_what_is_not_judged_comes_after_what_is(history: History) -> None:
    busy: Oddities = {(1, repeat, 2): replace(BUSY, factor=9.0) for repeat in range(1, 6)}
    found = compare(history, keep(history, plan(), (1.0, 1.0), {**DEAR, **busy}))
    assert next(row.workload for row in rows_by_effect(found.rows, found.base)) == "point-query"


def test_only_disturbed_steps_of_their_columns_are_repeated(history: History) -> None:
    three = plan((INNODB, ROCKSDB, MYISAM))
    ids = keep(history, three, odd={(2, 1, 1): BUSY})
    found = disturbed_steps(compare(history, ids))
    assert found and found.steps == ("point-query",)
    its = {turn.contender for turn in three.turns if turn.session in found.sessions}
    assert its == {0, 2} and len(found.sessions) == 10


def test_a_disturbed_base_concerns_all_columns(history: History) -> None:
    ids = keep(history, plan((INNODB, ROCKSDB, MYISAM)), odd={(0, 1, 1): BUSY})
    found = disturbed_steps(compare(history, ids))
    assert found and sorted(found.sessions) == sorted(ids)


def test_nothing_disturbed_is_nothing_to_repeat(history: History) -> None:
    assert disturbed_steps(compare(history, keep(history, plan()))) is None


def test_a_plan_that_goes_on_is_not_repeated(history: History) -> None:
    ids = keep(history, plan(), odd={(1, 1, 1): BUSY}, until=4)
    assert disturbed_steps(compare(history, ids)) is None
