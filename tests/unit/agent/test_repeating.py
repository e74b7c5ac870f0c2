"""Which steps are carried out again, how often, and when the whole session is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from app.agent.steps.repeating import StepRepeater
from app.protocol.others import DISTURBED
from app.protocol.plan import Step
from tests import journals

READS = Step("point-query", "drive")
ENDED: dict[str, Any] = {"outcome": "completed", "value": 7.0, "latency_ms": {"avg": 0.4}, "schedule": None}
QUIET: dict[str, Any] = {**ENDED, "marks": []}
NOISY: dict[str, Any] = {**ENDED, "marks": [DISTURBED]}
BROKEN: dict[str, Any] = {"outcome": "failed", "marks": [DISTURBED]}


class Session:
    """Writes down what it is told; a person stops it before the attempt of that number."""

    def __init__(self, *steps: Step, repeats: bool = True, stopped_at: int = 99) -> None:
        self.plan = journals.renamed(journals.plan(its_steps=steps), repeat_if_disturbed=repeats)
        self.control = self
        self.journal = self
        self.contender = self.plan.contenders[0]
        self.said: list[tuple[str, object]] = []
        self.attempts = 0
        self.stopped_at = stopped_at
        self.repeating: Any = StepRepeater(self, self)  # type: ignore[arg-type]

    @property
    def ends_session(self) -> bool:
        return self.attempts + 1 >= self.stopped_at

    def write(self, _: object, **event: Any) -> None:
        self.said.append((event["name"], event["value"]))

    def write_attempt(self, step: Step, found: dict[str, Any]) -> None:
        self.said.append(("attempt", found["attempt"]))
        assert found["schedule"] == {}  # as a step's end has it
        assert found["value"] == (0.4 if step.figure == "latency" else 7.0)

    def run(self, ends: Sequence[dict[str, Any]], index: int = 0) -> Any:
        left = [dict(each) for each in ends]

        def carry_out() -> dict[str, Any]:
            self.attempts += 1
            return left.pop(0)

        return self.repeating.run(index, self.plan.steps[index], carry_out)


@pytest.mark.parametrize(
    ("ends", "attempts", "marks"),
    [
        ([QUIET], 1, []),
        ([NOISY, QUIET], 2, ["second-attempt"]),
        ([NOISY, NOISY, QUIET], 3, ["third-attempt"]),
        ([NOISY, NOISY, NOISY], 3, [DISTURBED, "third-attempt"]),
        ([BROKEN], 1, [DISTURBED]),
        ([NOISY, BROKEN], 2, [DISTURBED, "second-attempt"]),
    ],
)
def test_a_step_that_reads_is_repeated_in_place(
    ends: list[dict[str, Any]], attempts: int, marks: list[str]
) -> None:
    session = Session(READS)
    assert session.run(ends)["marks"] == marks
    assert session.attempts == attempts
    assert session.said == [
        each for at in range(1, attempts) for each in (("attempt", at), ("repeated", at + 1))
    ]
    assert not session.repeating.wants_session


def test_nothing_is_repeated_unless_the_plan_says_so_or_once_a_person_has_stopped_it() -> None:
    session = Session(READS, repeats=False)
    assert session.run([NOISY])["marks"] == [DISTURBED]
    session = Session(READS, stopped_at=2)
    assert session.run([NOISY])["marks"] == [DISTURBED]
    assert session.said == []


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([Step("load", "load")], True),
        ([Step("update-index", "drive", writes=True)], True),
        ([Step("restart", "restart"), READS], True),
        ([Step("a", "drive", restart_with={"x": 1}), READS], True),
        ([Step("a", "drive", restart_with={"x": 1}), Step("b", "drive", restart_with={"x": 1})], False),
        ([Step("late", "drive", figure="latency")], False),
        ([Step("warm", "drive", writes=True, warm=True)], False),
        ([Step("fill", "warmup")], False),
    ],
)
def test_what_writes_or_has_to_find_cold_caches_wants_its_whole_session_again(
    steps: list[Step], wanted: bool
) -> None:
    session = Session(*steps)
    at = len(steps) - 1
    session.run([NOISY, QUIET], at)
    assert session.repeating.wants_session is wanted
    assert session.attempts == (2 if session.plan.can_repeat(at) else 1)
    calm = Session(*steps)
    calm.run([QUIET], at)
    assert not calm.repeating.wants_session


def test_a_load_that_a_snapshot_spares_the_next_session_wants_none() -> None:
    session = Session(Step("load", "load"), Step("restart", "restart"), Step("update", "drive", writes=True))
    session.plan = journals.renamed(session.plan, start="snapshot")
    session.run([NOISY], 0)
    assert not session.repeating.wants_session
    session.run([NOISY], 2)
    assert session.repeating.wants_session


def test_a_plan_that_was_made_before_says_that_each_turn_is_its_first_attempt() -> None:
    content = journals.plan().to_json()
    for turn in content["turns"]:
        del turn["attempt"]
    old = journals.Plan.from_json(content)
    assert old == journals.plan() and old.hash == journals.plan().hash
