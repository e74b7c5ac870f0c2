"""What a comparison comes to in sentences: slower, faster, no difference seen, or no verdict and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.catalog import Catalog
from app.comparison.answers.sentences import measure_in_sentence, verdict_lines, verdict_sentences
from app.comparison.cells.cell import OF_SNAPSHOT, Comparison
from app.comparison.verdicts.compare import by_limits, compare, compare_by_measure
from app.comparison.verdicts.judgement import with_verdicts
from app.history.store.history import History
from app.protocol.plan import Plan, Step
from app.stats import VerdictLimits
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan

NAMED = [replace(each, name=each.engine) for each in (INNODB, ROCKSDB, MYISAM)]
READING = "Reading one row by its primary key (point-query threads=2)"
WRITING = "update-index threads=2"
EACH = range(1, 6)  # the rounds


def named(rounds: int = 5, contenders: int = 2, number: int = 1, order: str = "slices") -> Plan:
    """Contenders that are called after their engines."""
    return titled(plan(NAMED[:contenders], rounds, number, order))


def titled(made: Plan) -> Plan:
    """The same with what one of its workloads does."""
    text = Catalog().workload("point-query").text
    return replace(made, files={**made.files, "workloads/point-query.toml": text})


def compared(
    history: History, factors: Sequence[float], odd: Oddities | None = None, its_plan: Plan | None = None
) -> Comparison:
    return compare(history, keep(history, its_plan or named(), factors, odd))


def sentences(
    history: History, factors: Sequence[float], odd: Oddities | None = None, its_plan: Plan | None = None
) -> list[str]:
    return verdict_sentences(compared(history, factors, odd, its_plan))


def of_step(at: int, odd: Odd, rounds: Sequence[int] = EACH, contender: int = 1) -> Oddities:
    return {(contender, repeat, at): odd for repeat in rounds}


def test_slower_and_faster_with_ratio_and_interval(history: History) -> None:
    load, read, write = sentences(history, (1.0, 0.78), of_step(2, Odd(factor=2.0)))
    assert load == "load: MyRocks is slower, 0.78 (0.78 to 0.78) times InnoDB's rate."
    assert read == f"{READING}: MyRocks is slower, 0.78 (0.78 to 0.78) times InnoDB's rate."
    assert write == f"{WRITING}: MyRocks is faster, 1.56 (1.55 to 1.57) times InnoDB's rate."


def test_equals_show_the_largest_difference_that_is_left(history: History) -> None:
    found = sentences(history, (1.0, 1.0))
    assert found[1] == f"{READING}: no difference larger than 0.6% could be seen."
    assert len(found) == 3 and all("no difference larger than 0." in each for each in found)


def test_what_the_noise_hides_is_no_difference_and_no_equality(history: History) -> None:
    """Rounds lie 50 % apart, and whole sessions are not held to each other round by round."""
    (found,) = {
        each.partition(": ")[2] for each in sentences(history, (1.0, 0.95), its_plan=named(order="grouped"))
    }
    assert found.startswith("no difference larger than ") and found.endswith(" could be seen.")


@pytest.mark.parametrize(("rounds", "why"), [(1, "n = 1: the noise is unknown"), (2, "fewer than 3 repeats")])
def test_few_repeats_are_no_verdict(history: History, rounds: int, why: str) -> None:
    assert sentences(history, (1.0, 0.2), its_plan=named(rounds)) == [f"No verdict ({why})."]


def test_one_session_of_each_has_the_names_of_the_sessions(history: History) -> None:
    ids = keep(history, named(5), (1.0, 0.2))
    found = compare(history, [ids[0], ids[1]])
    assert verdict_sentences(found) == ["No verdict (n = 1: the noise is unknown)."]


def test_what_is_marked_or_failed_has_no_verdict_and_says_why(history: History) -> None:
    odd = {**of_step(1, Odd(["indebted"])), **of_step(2, Odd(failed=True))}
    found = sentences(history, (1.0, 0.5), odd)
    assert found[0].startswith("load: MyRocks is slower, 0.50")
    assert found[1:] == [
        "No verdict on point-query threads=2 (indebted).",
        "No verdict on update-index threads=2 (failed: sysbench: FATAL: error 1205).",
    ]
    one = sentences(history, (1.0, 0.5), of_step(1, Odd(failed=True), [2]), named(number=2))
    assert "No verdict on point-query threads=2 (failed: sysbench: FATAL: error 1205)." in one


def test_a_mark_that_spoils_nothing_is_not_named(history: History) -> None:
    found = sentences(history, (1.0, 0.5), of_step(1, Odd(["indebted", "shared-cores"])))
    assert found[-1] == "No verdict on point-query threads=2 (indebted)."


def test_a_few_odd_rounds_decide_nothing(history: History) -> None:
    odd = {(1, 1, 1): Odd(factor=0.5), (1, 2, 1): Odd(factor=0.5)}
    found = sentences(history, (1.0, 1.0), odd)
    assert any(each.startswith(f"{READING}: no difference larger than ") for each in found) or (
        "No verdict on point-query threads=2 (the noise is too large)." in found
    )


def times(its_plan: Plan, unit: str) -> Plan:
    steps = [replace(step, unit=unit) if step.name == "load" else step for step in its_plan.steps]
    return replace(its_plan, steps=steps)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("s", "MyRocks is faster, 0.50 (0.50 to 0.50) times InnoDB's time."),
        ("ms", "MyRocks is faster, 0.50 (0.50 to 0.50) times InnoDB's time."),
        ("bytes", "MyRocks is smaller, 0.50 (0.50 to 0.50) times InnoDB's size."),
        ("loops", "MyRocks is different, 0.50 (0.50 to 0.50) times InnoDB's result."),
    ],
)
def test_less_is_better_of_times_and_sizes(history: History, unit: str, said: str) -> None:
    found = sentences(history, (1.0, 0.5), its_plan=times(named(), unit))
    assert found[0] == f"load: {said}"


def test_latencies_are_named(history: History) -> None:
    """Of all sessions the same ones."""
    found = verdict_sentences(
        compare_by_measure(compared(history, (1.0, 0.5)), "p95_ms"), measure_in_sentence("p95_ms")
    )
    assert found and all("No verdict" in each or "no difference larger than" in each for each in found)
    swapped = compared(history, (1.0, 0.5), its_plan=times(named(number=2), "ms"))
    assert verdict_sentences(swapped, measure_in_sentence("p95_ms"))[0] == (
        "load: MyRocks is better, 0.50 (0.50 to 0.50) times InnoDB's latency p95."
    )


def test_each_of_three_contenders_has_its_own(history: History) -> None:
    odd = {**of_step(1, Odd(factor=0.5)), **of_step(2, Odd(["indebted"]), contender=2)}
    found = sentences(history, (1.0, 1.0, 1.0), odd, named(contenders=3))
    read = next(each for each in found if each.startswith(READING))
    assert "MyRocks is slower, 0.50 (0.50 to 0.50) times InnoDB's rate; for MyISAM no difference" in read
    write = next(each for each in found if each.startswith(WRITING))
    assert write.startswith(f"{WRITING}: for MyRocks no difference larger than ") and ";" not in write
    assert found[-1] == "No verdict on MyISAM in update-index threads=2 (indebted)."


def test_columns_without_a_verdict_for_one_reason_are_named_together(history: History) -> None:
    assert sentences(history, (1.0, 1.0, 1.0), its_plan=named(1, 3)) == [
        "No verdict (n = 1: the noise is unknown)."
    ]
    odd = {**of_step(0, Odd(["indebted"])), **of_step(0, Odd(["indebted"]), contender=2)}
    found = sentences(history, (1.0, 0.5, 0.5), odd, named(contenders=3, number=2))
    assert found[-1] == "No verdict on load (indebted)."


def test_other_work_is_not_held_to_it(history: History) -> None:
    ours = keep(history, named(contenders=1))
    theirs = keep(history, replace(plan(NAMED[1:2], number=2), rows=5), (0.3,))
    found = compare(history, [*ours, *theirs])
    assert verdict_sentences(found) == ["No verdict on MyRocks: it did not do the same work."]


def test_a_plan_that_goes_on_has_no_verdict(history: History) -> None:
    found = compare(history, keep(history, named(), (1.0, 0.5), until=8))
    assert verdict_sentences(found) == [
        "No verdict on MyRocks: its plan is not finished: compare again when it is."
    ]


def test_across_time_is_said(history: History) -> None:
    ours = keep(history, named(contenders=1))
    theirs = keep(history, titled(plan(NAMED[1:2], number=2)), (0.2,))
    found = verdict_lines(compare(history, [*ours, *theirs]))
    assert "MyRocks is slower, 0.20 (" in found[0] and "across time" in found[-1]


def test_a_single_column_says_nothing(history: History) -> None:
    assert sentences(history, (1.0,), its_plan=named(contenders=1)) == []


def many(contenders: int = 2) -> Plan:
    """Eight steps in two groups, and one alone."""
    steps = [
        Step(name=f"{group}{at}", kind="drive", group=group, threads=2, seconds=60, sliced=True)
        for group, count in (("reads", 4), ("writes", 4), ("scans", 1))
        for at in range(count)
    ]
    return replace(named(contenders=contenders), steps=steps)


def test_many_steps_are_told_by_their_groups(history: History) -> None:
    odd = {**of_step(5, Odd(factor=4.0)), **of_step(6, Odd(["indebted"])), **of_step(8, Odd(factor=2.0))}
    found = sentences(history, (1.0, 0.5), odd, many())
    reads, writes, scans, rest = found
    assert reads == (
        "Mean of the 4 steps of reads: MyRocks is slower, 0.50 (0.50 to 0.50) times InnoDB's rate"
        " (single steps: 4 slower)."
    )
    assert writes.startswith("Mean of the 3 steps of writes: MyRocks is slower, 0.79 (")
    assert writes.endswith("times InnoDB's rate (single steps: 1 faster, 2 slower).")
    assert scans.startswith("scans0: no difference larger than ")
    assert rest == "No verdict on writes2 (indebted)."


def test_a_group_whose_steps_go_apart_is_not_called_the_same(history: History) -> None:
    odd = {**of_step(0, Odd(factor=2.0)), **of_step(1, Odd(factor=0.5))}
    reads = sentences(history, (1.0, 1.0), odd, many())[0]
    assert reads.startswith("Mean of the 4 steps of reads: no difference larger than ")
    assert reads.endswith("could be seen (single steps: 1 faster, 1 slower).")


def test_figures_next_to_1_and_0_keep_their_digits(history: History) -> None:
    found = compared(history, (1.0, 0.993), its_plan=named(number=2))
    limits = VerdictLimits(matters=0.001)
    near = verdict_sentences(by_limits(found, limits))
    assert near[1].startswith(f"{READING}: MyRocks is slower, 0.993 (0.98")
    small = sentences(history, (1.0, 0.004), its_plan=named(number=3))
    assert small[1].startswith(f"{READING}: MyRocks is slower, 0.0040 (0.00")


def test_a_load_from_a_snapshot_of_an_earlier_plan_is_named_without_its_key(history: History) -> None:
    found = compared(history, (1.0, 0.5), its_plan=named())
    load = found.rows[0]
    load.cells[1].reason, load.cells[1].lacking = "skipped: from the snapshot ab12", OF_SNAPSHOT
    load.cells[1].verdict, load.cells[1].n = None, 0
    load.cells[1].samples = [None] * len(load.cells[1].samples)
    found = with_verdicts(found, found.limits)
    assert verdict_sentences(found)[-1] == "No verdict on load (skipped: the data is from a snapshot)."


def test_names_stay_apart(history: History) -> None:
    """A person has called another contender what people call the engine."""
    its_plan = titled(plan([NAMED[0], replace(NAMED[1], name="InnoDB")]))
    assert sentences(history, (1.0, 0.5), its_plan=its_plan)[0] == (
        "load: InnoDB is slower, 0.50 (0.50 to 0.50) times innodb's rate."
    )


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ('title = "One\\nline\\tonly"', "One line only (point-query threads=2)"),
        (f'title = "{"x" * 9000}"', f"{'x' * 150} (point-query threads=2)"),
        ("title = 7", "point-query threads=2"),
        ('title = "', "point-query threads=2"),
        ("title = " + "[" * 100_000, "point-query threads=2"),
    ],
)
def test_a_workload_of_others_says_what_it_likes(history: History, text: str, subject: str) -> None:
    its_plan = replace(named(), files={"workloads/point-query.toml": text})
    assert sentences(history, (1.0, 0.5), its_plan=its_plan)[1].startswith(f"{subject}: MyRocks is slower")
