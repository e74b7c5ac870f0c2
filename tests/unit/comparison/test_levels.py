"""Roles with a level: one that misses it is a verdict of its own, and nothing else of its step is judged."""

from __future__ import annotations

import pytest

from app.comparison.answers.sentences import verdict_sentences
from app.comparison.cells.cell import Comparison
from app.comparison.texts.roles_text import roles_tables
from app.comparison.texts.text import to_text
from app.comparison.verdicts.compare import compare, judged_by_limits
from app.comparison.verdicts.judgement import MARKED
from app.history.store.history import History
from app.protocol.plan import EACH_SECOND, LEVEL_MISSED, ROLE_MISSED, Step
from app.stats import VerdictLimits
from app.stats.at_target.verdicts import AT_RATE
from tests import comparable
from tests.unit.comparison.cells import cells

READER = Step("q", "drive", "read", "reads", role="reader", coordinates={"threads": 1})
WRITER = Step(
    "q.writer", "drive", "write", "writes", "rows/s", role="writer", beside=True, ends=True, events=100,
    rate=20, arrivals=EACH_SECOND, least_pct=95.0, coordinates={"threads": 1},
)  # fmt: skip
FOLLOWER = Step(
    "q.cleaner", "drive", "clean", "writes", "rows/s", role="cleaner", beside=True, follows="writer", apart=8,
    coordinates={"threads": 1},
)  # fmt: skip
PLAN = comparable.plan(2, 3, its_steps=[READER, WRITER, FOLLOWER])


@pytest.fixture
def with_levels(history: History) -> Comparison:
    return compare(history, comparable.keep(history.path.parent, PLAN))


def missed(compared: Comparison, schedule: dict[str, float]) -> Comparison:
    """The same where the second column missed its level in one of three repeats."""
    reader, writer, follower = (row.cells[1] for row in compared.rows)
    writer.marks = [LEVEL_MISSED]
    writer.schedules = [None, schedule, None]
    writer.samples = [1000.0, 640.0, 1000.0]
    reader.marks, follower.marks = [ROLE_MISSED], [ROLE_MISSED]
    return judged_by_limits(compared, VerdictLimits(matters=0.05))


def test_what_is_at_its_rate_is_not_judged_and_takes_a_line(with_levels: Comparison) -> None:
    reader, writer, follower = (row.cells[1].verdict for row in with_levels.rows)
    assert reader not in (AT_RATE, MARKED) and writer == follower == AT_RATE  # one follows the other
    assert [row.beside for row in with_levels.rows] == [False, True, True]
    text = to_text(with_levels)
    assert "not shown: 2 rows at their rates (--details)" in text and "q.writer" not in text
    assert "q.writer" in to_text(with_levels, has_details=True)


def test_a_missed_level_comes_first_and_nothing_else_of_the_step_is_judged(with_levels: Comparison) -> None:
    schedule = {"rate": 20, "achieved": 12.8, "behind_s": 0.0, "least": 19.0}
    found = missed(with_levels, schedule)
    assert [cells(row, "verdict")[1] for row in found.rows] == [MARKED] * 3
    first, *others = verdict_sentences(found)
    assert first.startswith("q.writer threads=1: ")
    assert first.endswith(" reached 64% of 1,000 rows/s in 1 of 3 repeats.")
    assert any("another role of its step did not reach its level" in each for each in others)
    assert not any(LEVEL_MISSED in each for each in others)
    assert "q.writer" in to_text(found)  # what is no longer at its rate has a row


def test_a_missed_p99_is_told_as_such(with_levels: Comparison) -> None:
    schedule = {"rate": 20, "achieved": 20, "behind_s": 0.0, "least": 19.0, "most_p99_ms": 100}
    first = verdict_sentences(missed(with_levels, schedule))[0]
    assert first.endswith(" had a p99 above the 100 ms that were asked for.")


def test_a_missed_level_needs_no_repeats(history: History) -> None:
    once = comparable.plan(2, 1, its_steps=[READER, WRITER, FOLLOWER])
    compared = compare(history, comparable.keep(history.path.parent, once))
    writer = compared.rows[1].cells[1]
    writer.marks, writer.samples = [LEVEL_MISSED], [5.0]
    writer.schedules = [{"rate": 20, "achieved": 0.1, "behind_s": 0.0, "least": 19.0}]
    found = judged_by_limits(compared, VerdictLimits(matters=0.05))
    assert found.rows[1].cells[1].whys == [LEVEL_MISSED]
    assert verdict_sentences(found)[0].endswith(" reached 0.5% of 1,000 rows/s.")


def test_what_is_left_of_a_role_beside_the_others(history: History) -> None:
    """Each session has a pair of its own; the writer has a rate here that it has nowhere alone."""
    alone = Step("alone", "drive", "read", "reads", coordinates={"threads": 1})
    plan = comparable.plan(2, 3, its_steps=[alone, READER, WRITER])
    found = compare(history, comparable.keep(history.path.parent, plan))
    whole, reader, _ = found.rows
    pairs = zip(whole.cells[1].samples, (0.5, 0.6, 0.9), strict=True)
    reader.cells[1].samples = [each and each * share for each, share in pairs]
    reader.cells[0].samples = [None, None, None]
    (table,) = roles_tables(found)
    assert table.lines == (("q threads=1", "alone threads=1", "-", "0.60 (0.50 to 0.90)"),)


def test_without_a_step_alone_nothing_is_told_of_roles(with_levels: Comparison) -> None:
    assert roles_tables(with_levels) == []


def test_the_rate_of_one_that_follows_is_that_of_whom_it_follows() -> None:
    assert [PLAN.set_rate(at) for at in range(3)] == [0, 20, 20]
    assert [step.least_share for step in PLAN.steps] == [0.0, 0.95, 0.0]
