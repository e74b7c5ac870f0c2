"""What a comparison comes to in sentences: slower, faster, no difference seen, or no verdict and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.comparison.answers.sentences import (
    first_lines,
    head_lines,
    measure_in_sentence,
    verdict_lines,
    verdict_sentences,
)
from app.comparison.cells.cell import OF_SNAPSHOT, Comparison
from app.comparison.verdicts.compare import compare, comparison_by_measure, judged_by_limits
from app.comparison.verdicts.judgement import with_verdicts
from app.history.steps.step_text import MARKS
from app.history.store.history import History
from app.protocol.plan import Plan, Step
from app.stats import VerdictLimits
from tests.plans import MARIADB
from tests.sliced import INNODB, MYISAM, ROCKSDB, Odd, Oddities, keep, plan

NAMED = [replace(each, name=each.engine) for each in (INNODB, ROCKSDB, MYISAM)]
INDEBTED, DISTURBING = MARKS["indebted"], MARKS["disturbed"]
ONCE = "measured once: the noise is unknown"
READING = "point-query threads=2"
WRITING = "update-index threads=2"
EACH = range(1, 6)  # the rounds


def seen_at(ratio: str, noun: str = "rate") -> str:
    """What was seen of MyRocks where all three steps have one ratio."""
    pairs = f"{ratio} (load), {ratio} ({READING}), {ratio} ({WRITING})"
    return f"MyRocks measured at {pairs} of InnoDB's {noun}"


def named(rounds: int = 5, contenders: int = 2, number: int = 1, order: str = "slices") -> Plan:
    """Contenders that are called after their engines."""
    return plan(NAMED[:contenders], rounds, number, order)


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
    write, *slower = sentences(history, (1.0, 0.78), of_step(2, Odd(factor=2.0)))
    assert write == f"{WRITING}: MyRocks at 1.56 of InnoDB's rate (95% sure: 1.55 to 1.57): faster."
    text = "MyRocks at 0.78 of InnoDB's rate (95% sure: 0.78 to 0.78): slower."
    assert {*slower} == {f"load: {text}", f"{READING}: {text}"}, "the largest effect comes first"


def test_where_only_one_line_has_room_it_names_the_largest_effect_of_both_directions(
    history: History,
) -> None:
    both = compared(history, (1.0, 0.78), of_step(2, Odd(factor=2.0)))
    first, *others = head_lines(both)
    assert first.startswith(f"MyRocks faster in {WRITING} (1.56 of InnoDB's rate), slower in ")
    assert first.endswith(" (0.78).") and others == first_lines(both)[1:]
    slower = compared(history, (1.0, 0.78), its_plan=named(number=2))
    assert head_lines(slower) == first_lines(slower), "all go one way"
    three = compared(history, (1.0, 2.0, 0.5), its_plan=named(contenders=3, number=3))
    assert "MyRocks faster in " in head_lines(three)[0] and "MyISAM slower in " in head_lines(three)[0]


def test_equals_show_what_was_seen_and_what_it_could_be(history: History) -> None:
    found = sentences(history, (1.0, 1.0))
    (read,) = (each for each in found if each.startswith(READING))
    assert read.startswith(f"{READING}: MyRocks at ") and " of InnoDB's rate (95% sure: 0.99" in read
    assert len(found) == 3 and all(each.endswith(": the same within 2%.") for each in found)


def test_what_the_noise_hides_is_no_difference_and_no_equality(history: History) -> None:
    """Rounds lie 50 % apart, and whole sessions are not held to each other round by round."""
    found = sentences(history, (1.0, 0.95), its_plan=named(order="grouped"))
    assert found and all(each.endswith("): undecided, may be slower or faster.") for each in found)


@pytest.mark.parametrize(
    ("rounds", "why"), [(1, "measured once: the noise is unknown"), (2, "fewer than 3 repeats")]
)
def test_few_repeats_are_no_verdict(history: History, rounds: int, why: str) -> None:
    assert sentences(history, (1.0, 0.2), its_plan=named(rounds)) == [
        f"{seen_at('0.20')}: none of these is judged ({why})."
    ]


def test_one_session_of_each_has_the_names_of_the_sessions(history: History) -> None:
    ids = keep(history, named(5), (1.0, 0.2))
    found = compare(history, [ids[0], ids[1]])
    (said,) = verdict_sentences(found)
    assert said == f"{seen_at('0.20')}: none of these is judged ({ONCE})."


def test_what_is_marked_or_failed_has_no_verdict_and_says_why(history: History) -> None:
    odd = {**of_step(1, Odd(["indebted"])), **of_step(2, Odd(failed=True))}
    found = sentences(history, (1.0, 0.5), odd)
    assert found[0].startswith("load: MyRocks at 0.50 of InnoDB's rate (")
    assert found[1:] == [
        f"{READING}: MyRocks measured at 0.50 of InnoDB's rate: not judged ({INDEBTED}).",
        "Not judged (failed: sysbench: FATAL: error 1205): update-index threads=2.",
    ]
    one = sentences(history, (1.0, 0.5), of_step(1, Odd(failed=True), [2]), named(number=2))
    assert "Not judged (failed: sysbench: FATAL: error 1205): point-query threads=2." in one


def test_a_mark_that_spoils_nothing_is_not_named(history: History) -> None:
    found = sentences(history, (1.0, 0.5), of_step(1, Odd(["indebted", "shared-cores"])))
    assert found[-1] == f"{READING}: MyRocks measured at 0.50 of InnoDB's rate: not judged ({INDEBTED})."


def test_a_few_odd_rounds_decide_nothing(history: History) -> None:
    odd = {(1, 1, 1): Odd(factor=0.5), (1, 2, 1): Odd(factor=0.5)}
    found = sentences(history, (1.0, 1.0), odd)
    assert any(each.startswith(f"{READING}: ") and "the same" in each for each in found) or (
        f"{READING}: MyRocks measured at 1.00 of InnoDB's rate: undecided (the noise is too large)." in found
    )


def times(its_plan: Plan, unit: str) -> Plan:
    steps = [replace(step, unit=unit) if step.name == "load" else step for step in its_plan.steps]
    return replace(its_plan, steps=steps)


@pytest.mark.parametrize(
    ("unit", "said"),
    [
        ("s", "MyRocks at 0.50 of InnoDB's time (95% sure: 0.50 to 0.50): faster."),
        ("ms", "MyRocks at 0.50 of InnoDB's time (95% sure: 0.50 to 0.50): faster."),
        ("bytes", "MyRocks at 0.50 of InnoDB's size (95% sure: 0.50 to 0.50): smaller."),
        ("loops", "MyRocks at 0.50 of InnoDB's result (95% sure: 0.50 to 0.50): different."),
    ],
)
def test_less_is_better_of_times_and_sizes(history: History, unit: str, said: str) -> None:
    found = sentences(history, (1.0, 0.5), its_plan=times(named(), unit))
    assert f"load: {said}" in found


def test_latencies_are_named(history: History) -> None:
    """Of all sessions the same ones."""
    found = verdict_sentences(
        comparison_by_measure(compared(history, (1.0, 0.5)), "p95_ms"), measure_in_sentence("p95_ms")
    )
    assert found and all("ot judged" in each or "InnoDB's latency p95" in each for each in found)
    swapped = compared(history, (1.0, 0.5), its_plan=times(named(number=2), "ms"))
    (load,) = (
        each for each in verdict_sentences(swapped, measure_in_sentence("p95_ms")) if each.startswith("load")
    )
    assert load == "load: MyRocks at 0.50 of InnoDB's latency p95 (95% sure: 0.50 to 0.50): better."


def test_each_of_three_contenders_has_its_own(history: History) -> None:
    odd = {**of_step(1, Odd(factor=0.5)), **of_step(2, Odd(["indebted"]), contender=2)}
    found = sentences(history, (1.0, 1.0, 1.0), odd, named(contenders=3))
    read = next(each for each in found if each.startswith(READING))
    assert read.startswith(
        f"{READING}: MyRocks at 0.50 of InnoDB's rate (95% sure: 0.50 to 0.50): slower; MyISAM at "
    )
    write = next(each for each in found if each.startswith(WRITING))
    assert write.startswith(f"{WRITING}: MyRocks at ") and ";" not in write
    assert found[-1] == f"{WRITING}: MyISAM measured at 1.00 of InnoDB's rate: not judged ({INDEBTED})."


def test_columns_without_a_verdict_for_one_reason_are_named_together(history: History) -> None:
    assert sentences(history, (1.0, 1.0, 1.0), its_plan=named(1, 3)) == [
        f"{seen_at('1.00')}; MyISAM at 1.00: none of these is judged ({ONCE})."
    ]
    odd = {**of_step(0, Odd(["indebted"])), **of_step(0, Odd(["indebted"]), contender=2)}
    found = sentences(history, (1.0, 0.5, 0.5), odd, named(contenders=3, number=2))
    assert (
        found[-1]
        == "load: MyRocks measured at 0.50 of InnoDB's rate; MyISAM at 0.50: none of these is judged"
        f" ({INDEBTED})."
    )


def test_other_work_is_not_held_to_it(history: History) -> None:
    ours = keep(history, named(contenders=1))
    theirs = keep(history, replace(plan(NAMED[1:2], number=2), rows=5), (0.3,))
    found = compare(history, [*ours, *theirs])
    assert verdict_sentences(found) == [
        "Not judged (different work: rows=5, in the base rows=1000): MyRocks."
    ]


def test_columns_that_did_the_same_other_work_are_named_together(history: History) -> None:
    ours = keep(history, named(contenders=1))
    theirs = keep(history, replace(plan(NAMED[:2], number=2), rows=5), (0.3, 0.3))
    (said,) = verdict_sentences(compare(history, [*ours, *theirs]))
    assert (
        said.startswith("Not judged (different work: rows=5, in the base rows=1000): ")
        and said.count(", ") == 2
    )


def test_a_plan_that_goes_on_has_no_verdict(history: History) -> None:
    found = compare(history, keep(history, named(), (1.0, 0.5), until=8))
    assert verdict_sentences(found) == [
        "Not judged (a session is still being measured: compare again at the end): MyRocks."
    ]


def test_across_time_is_said(history: History) -> None:
    ours = keep(history, named(contenders=1))
    theirs = keep(history, plan(NAMED[1:2], number=2), (0.2,))
    found = verdict_lines(compare(history, [*ours, *theirs]))
    assert "MyRocks at 0.20 of InnoDB's rate (" in found[0] and "across time" in found[-1]


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
    assert (
        "reads (mean of 4 steps): MyRocks at 0.50 of InnoDB's rate (95% sure: 0.50 to 0.50): slower." in found
    )
    (writes,) = (each for each in found if each.startswith("writes (mean of 3 steps): "))
    assert writes.startswith("writes (mean of 3 steps): MyRocks at 0.79 of InnoDB's rate (")
    apart = [each.partition(":")[0] for each in found if each.startswith("writes") and each != writes]
    assert "writes1" in apart, "it is faster, its group is slower"
    (scans,) = (each for each in found if each.startswith("scans0"))
    assert scans.endswith(": the same within 2%.") and found[-2:] == [
        scans,
        f"writes2: MyRocks measured at 0.50 of InnoDB's rate: not judged ({INDEBTED}).",
    ]


def test_a_group_whose_steps_go_apart_is_not_called_the_same(history: History) -> None:
    odd = {**of_step(0, Odd(factor=2.0)), **of_step(1, Odd(factor=0.5))}
    found = sentences(history, (1.0, 1.0), odd, many())
    assert [each.rpartition(": ")[2] for each in found[:2]] == ["faster.", "slower."]
    assert all(each.startswith("reads") and "mean" not in each for each in found[:2])
    (reads,) = (each for each in found if each.startswith("reads (mean of 4 steps): "))
    assert reads.endswith(": the mean is the same within 2%.")


def test_figures_next_to_1_and_0_keep_their_digits(history: History) -> None:
    found = compared(history, (1.0, 0.993), its_plan=named(number=2))
    limits = VerdictLimits(matters=0.001)
    near = verdict_sentences(judged_by_limits(found, limits))
    assert any(
        each.startswith(f"{READING}: MyRocks at 0.993 of InnoDB's rate (95% sure: 0.98") for each in near
    )
    small = sentences(history, (1.0, 0.004), its_plan=named(number=3))
    assert any(
        each.startswith(f"{READING}: MyRocks at 0.0040 of InnoDB's rate (95% sure: 0.00") for each in small
    )


def test_a_load_from_a_snapshot_of_an_earlier_plan_is_named_without_its_key(history: History) -> None:
    found = compared(history, (1.0, 0.5), its_plan=named())
    load = found.rows[0]
    load.cells[1].reason, load.cells[1].lacking = "skipped: from the snapshot ab12", OF_SNAPSHOT
    load.cells[1].verdict, load.cells[1].n = None, 0
    load.cells[1].samples = [None] * len(load.cells[1].samples)
    found = with_verdicts(found, found.limits)
    assert verdict_sentences(found)[-1] == ("Not judged (not run: the data came from a snapshot): load.")


def test_names_stay_apart(history: History) -> None:
    """A person has called another contender what people call the engine."""
    its_plan = plan([NAMED[0], replace(NAMED[1], name="InnoDB")])
    found = sentences(history, (1.0, 0.5), its_plan=its_plan)
    assert f"load: InnoDB at 0.50 of {MARIADB}-innodb's rate (95% sure: 0.50 to 0.50): slower." in found


@pytest.mark.parametrize("rounds", [1, 2])
def test_where_nothing_is_judged_the_first_line_says_why_and_what_to_do(
    history: History, rounds: int
) -> None:
    first, *more = first_lines(compared(history, (1.0, 0.2), its_plan=named(rounds)))
    assert first.startswith(f"{seen_at('0.20')}: none of these is judged (") and first.endswith(
        "measure all contenders 3 times or more."
    )
    assert not more
    odd = {
        **of_step(0, Odd(["disturbed"])),
        **of_step(1, Odd(["disturbed"])),
        **of_step(2, Odd(["disturbed"])),
    }
    (first,) = first_lines(compared(history, (1.0, 0.2), odd, named(number=2)))
    todo = "For a verdict measure again while nothing else runs on the machine."
    assert first == f"{seen_at('0.20')}: none of these is judged ({DISTURBING}). {todo}"
    alone = compared(history, (1.0,), its_plan=named(contenders=1, number=3))
    assert first_lines(alone) == ["One column: nothing to compare it with."]


def test_at_most_eight_sentences_are_on_what_was_found(history: History) -> None:
    steps = [
        Step(name=f"step{at}", kind="drive", group=f"group{at}", threads=2, seconds=60, sliced=True)
        for at in range(12)
    ]
    odd: Oddities = {}
    for at in range(12):
        odd |= of_step(at, Odd(factor=1.2 + at / 10))
    found = sentences(history, (1.0, 1.0), odd, replace(named(), steps=steps))
    assert [each.partition(":")[0] for each in found[:8]] == [f"step{at}" for at in range(11, 3, -1)]
    assert found[8:] == ["4 more results not shown here."]


def test_versions_name_columns_that_nobody_named(history: History) -> None:
    contenders = [
        replace(INNODB, name=f"mysql-{version}-innodb", family="MySQL", version=version, fingerprint=version)
        for version in ("8.0.33", "9.7.4")
    ]
    found = sentences(history, (1.0, 0.5), its_plan=plan(contenders))
    assert "load: MySQL 9.7.4 at 0.50 of MySQL 8.0.33's rate (95% sure: 0.50 to 0.50): slower." in found
    named_ones = [replace(each, name=name) for each, name in zip(contenders, ("old", "new"), strict=True)]
    found = sentences(history, (1.0, 0.5), its_plan=plan(named_ones, number=2))
    assert "load: new at 0.50 of old's rate (95% sure: 0.50 to 0.50): slower." in found


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ('title = "One\\nline\\tonly"', "One line only"),
        (f'title = "{"x" * 9000}"', "x" * 150),
        ("title = 7", ""),
        ('title = "', ""),
        ("title = " + "[" * 100_000, ""),
    ],
    ids=["lines", "long", "number", "open", "deep"],
)
def test_a_workload_of_others_says_what_it_likes(history: History, text: str, title: str) -> None:
    its_plan = replace(named(), files={"workloads/point-query.toml": text})
    assert compared(history, (1.0, 0.5), its_plan=its_plan).rows[1].title == title
