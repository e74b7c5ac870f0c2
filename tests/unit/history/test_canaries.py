"""The canaries of a machine: figures of the server that is the canary now, without the unusable ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.history.canaries import canaries
from app.history.history import History
from app.history.writing import Writer
from app.protocol.events import Fact
from tests import journals

MACHINE = "m" * 64
SECONDS: dict[str, Any] = {"reads_by_second": [], "commits_by_second": []}
STEADY: dict[str, Any] = {"build": "b", "key": "k", "reads": 5000, "commits": 900, "others": {}, **SECONDS}
SPOILT = {**STEADY, "reads": 10, "others": {"causes": ["cpu"]}}
OLDER = {**STEADY, "reads": 10, "key": "of another server"}


def found(folder: Path, *facts: Any) -> list[float]:
    """The facts of as many sessions, the latest last."""
    with History(folder) as history:
        plan = journals.plan(repeats=len(facts))
        for turn, fact in zip(plan.turns, facts, strict=True):
            maker = journals.Maker(plan, turn.session).begin()
            maker.add(Fact, name="canary", value=fact)
            Writer(history).append(plan.id, turn.session, 0, maker.raw)
        return canaries(history, MACHINE)


@pytest.mark.parametrize("other", [SPOILT, OLDER, {"left out": "2,000,000 bytes"}])
def test_what_tells_nothing_of_the_machine_is_passed_over(tmp_path: Path, other: Any) -> None:
    assert found(tmp_path, STEADY, other, {**STEADY, "reads": 5001}) == [5001, 5000]


def test_a_fact_that_is_too_large_may_be_the_latest(tmp_path: Path) -> None:
    assert found(tmp_path, STEADY, {"left out": "2,000,000 bytes"}) == [5000]


def test_of_reads_and_commits_those_count_that_vary_more(tmp_path: Path) -> None:
    assert found(tmp_path, *({**STEADY, "commits": 900 + 10 * at} for at in range(8)))[0] == 970


def test_without_any_there_are_no_figures(tmp_path: Path) -> None:
    assert found(tmp_path) == []
