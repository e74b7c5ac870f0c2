"""What earlier plans on a target have shown of the noise: which of them count, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace

from app.comparison.cells.cell import Comparison
from app.comparison.texts import text as compare_text
from app.comparison.verdicts.compare import compare, comparison_by_measure, judged_by_limits
from app.comparison.verdicts.judgement import verdict_legend
from app.history.lists import edits
from app.history.lists.sessions import sessions
from app.history.steps.earlier_plans import MOST, earlier_ratios
from app.history.store.history import History
from app.report.content import read_report
from app.report.markdown import to_markdown
from app.stats import VerdictLimits
from tests.journals import BEGAN, session_id
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan

SAID = "the noise of 4 earlier plans of this work on this machine was taken into account for 2 results"
STEP = ("point-query", '{"threads": 2}')


def noisy(number: int, times: float = 1.0) -> dict[tuple[int, int, int], Odd]:
    """The second step of the other contender varies by some percent, in another order in each plan."""
    factors = (1.03, 0.97, 1.0, 1.02, 0.985)
    size = times * (1.0 + number % 3 / 5)
    return {(1, at + 1, 2): Odd(factor=factors[(at + number) % 5] ** size) for at in range(5)}


def kept(history: History, number: int, *changes: Oddities, until: int = 1000, **other: object) -> list[str]:
    """A plan of this number, the later the higher; `other`: fields of its plan."""
    odd = noisy(number)
    for each in changes:
        odd |= each
    return keep(history, replace(plan(number=number), **other), (1.0, 0.95), odd, until)  # type: ignore[arg-type]


def judged(history: History, ids: list[str]) -> list[tuple[str | None, float | None, bool]]:
    return [
        (row.cells[1].verdict, row.cells[1].low, row.cells[1].pooled) for row in compare(history, ids).rows
    ]


def plans_of(found: Comparison) -> list[int]:
    return [row.earlier_plans for row in found.rows]


def test_verdicts_take_the_noise_of_earlier_plans_into_account(history: History) -> None:
    ids = kept(history, 9)
    before = judged(history, ids)
    assert SAID[:20] not in verdict_legend(compare(history, ids))
    for number in (1, 2, 3, 4):
        assert plans_of(compare(history, ids)) == [0, 0, 0]
        kept(history, number)
    found = compare(history, ids)
    assert plans_of(found) == [0, 4, 4]
    assert [cell.pooled for row in found.rows for cell in row.cells] == [False] * 3 + [True, False, True]
    assert judged(history, ids)[0] == before[0] and judged(history, ids)[1] != before[1]
    assert judged(history, ids)[2][1] != before[2][1]


def test_only_plans_count_that_had_ended_before(history: History) -> None:
    ids = kept(history, 6)
    for number in (1, 2, 3, 7, 8, 9):
        kept(history, number)
    assert plans_of(compare(history, ids)) == [0, 0, 0]
    kept(history, 4)
    assert plans_of(compare(history, ids)) == [0, 4, 4]
    before = judged(history, ids)
    for number in (10, 11):
        kept(history, number)
    kept(history, 5, until=4)  # two repeats are too few
    assert plans_of(compare(history, ids)) == [0, 4, 4] and judged(history, ids) == before
    edits.delete(history, session_id(4, 1))
    assert plans_of(compare(history, ids)) == [0, 4, 4]  # four repeats are left
    for ordinal in (4, 5):
        edits.delete(history, session_id(4, ordinal))
    assert plans_of(compare(history, ids)) == [0, 0, 0]


def test_only_the_latest_plans_count(history: History) -> None:
    for number in range(1, MOST + 4):
        kept(history, number)
    ids = kept(history, MOST + 4)
    (entry,) = sessions(history, ids=ids[:1])
    found = earlier_ratios(history, entry, BEGAN + MOST * 1e6)
    assert [*found[STEP]] == [f"{number:026d}" for number in range(4, MOST + 4)]
    assert [len(each) for each in found[STEP].values()] == [5] * MOST
    assert all(0.9 < ratio < 1.0 for each in found[STEP].values() for ratio in each)


def test_other_work_other_machines_and_published_sessions_tell_nothing(history: History) -> None:
    for number in (1, 2, 3):
        kept(history, number)
    kept(history, 4, machine_key="n" * 64)
    kept(history, 5, tables=9)
    kept(history, 6, order="interleaved")
    published = kept(history, 11)
    with history.transaction() as connection:
        connection.executemany("INSERT INTO published VALUES (?, 'a', '{}')", [(id_,) for id_ in published])
    assert plans_of(compare(history, kept(history, 12))) == [0, 0, 0]
    kept(history, 9, contenders=[INNODB, MYISAM])  # whoever was compared
    last = kept(history, 7, until=8)[-1]
    with history.transaction() as connection:  # decided early, as it had little noise by chance
        connection.execute("UPDATE session SET state = 'stopped', reason = 'decided' WHERE id = ?", (last,))
    assert plans_of(compare(history, kept(history, 13))) == [0, 5, 5]


def test_repeats_that_went_wrong_tell_nothing(history: History) -> None:
    for number in (1, 2, 3):
        kept(history, number)
    wrong: list[Oddities] = [
        {(0, repeat, 1): odd for repeat in (1, 2, 3)}
        for odd in (Odd(failed=True), Odd(marks=["disturbed"]), Odd(marks=["error-ridden"]))
    ]
    for number, odd in enumerate(wrong, 4):
        kept(history, number, odd)
    alike: Oddities = {(who, repeat, 1): Odd(marks=["disturbed"]) for who in (0, 1) for repeat in (1, 2, 3)}
    ids = kept(history, 8)
    assert plans_of(compare(history, ids)) == [0, 0, 6]
    kept(history, 7, alike)
    assert plans_of(compare(history, ids)) == [0, 4, 7]


def test_a_plan_noisier_than_those_before_is_judged_without_them(history: History) -> None:
    loud = {key: replace(odd, factor=odd.factor**8) for key, odd in noisy(6).items()}
    ids = kept(history, 6, loud)
    before = judged(history, ids)
    for number in (1, 2, 3, 4, 5):
        kept(history, number)
    assert plans_of(compare(history, ids)) == [0, 5, 5] and judged(history, ids) == before
    assert "earlier plans" not in verdict_legend(compare(history, ids))


def test_other_comparisons_know_no_earlier_plans(history: History) -> None:
    for number in (1, 2, 3, 4):
        kept(history, number)
    ids = kept(history, 5)
    looked = kept(history, 6, until_decided=True)
    assert plans_of(compare(history, looked)) == [0, 0, 0]
    in_turn = kept(history, 7, order="interleaved")
    assert plans_of(compare(history, in_turn)) == [0, 0, 0]
    assert plans_of(compare(history, [*ids, *kept(history, 8)])) == [0, 0, 0]
    found = compare(history, ids)
    assert plans_of(found) == [0, 4, 4]
    by_latency = comparison_by_measure(found, "p99_ms")
    assert plans_of(by_latency) == [0, 0, 0] and not any(row.cells[1].pooled for row in by_latency.rows)


def test_each_column_is_judged_by_its_own_repeats(history: History) -> None:
    for number in (1, 2, 3, 4):
        kept(history, number)
    its_plan = plan([INNODB, ROCKSDB, MYISAM], number=5)
    found = compare(history, keep(history, its_plan, (1.0, 0.95, 1.0), noisy(5)))
    assert plans_of(found) == [0, 4, 4]
    assert [cell.pooled for cell in found.rows[2].cells] == [False, True, True]


def test_every_reader_says_that_earlier_plans_count(history: History) -> None:
    for number in (1, 2, 3, 4):
        kept(history, number)
    ids = kept(history, 5)
    found = compare(history, ids)
    report = read_report(history, ids)
    for text in (verdict_legend(found), compare_text.to_text(found, True), to_markdown(report)):
        assert SAID in " ".join(text.split())
    assert SAID in verdict_legend(judged_by_limits(found, VerdictLimits.of_pct(1, 2)))
    rows = json.loads(json.dumps(compare_text.to_json(found)))["rows"]
    assert [row["earlier_plans"] for row in rows] == [0, 4, 4]
    assert rows[2]["pooled"] == [False, True] and "earlier" not in rows[2]
