"""The canaries of a machine: figures of the server that is the canary now, without the unusable ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.comparison.texts.canary_text import canary_ratios, canary_table, machine_variation_text
from app.history.machines.canaries import canary_results, canary_runs
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from tests import journals

MACHINE = "m" * 64
SECONDS: dict[str, Any] = {"reads_by_second": [], "commits_by_second": []}
STEADY: dict[str, Any] = {"build": "b", "key": "k", "reads": 5000, "commits": 900, "others": {}, **SECONDS}
SPOILT = {**STEADY, "reads": 10, "others": {"causes": ["cpu"]}}
OLDER = {**STEADY, "reads": 10, "key": "of another server"}


def keep(history: History, *facts: Any) -> None:
    """The facts of as many sessions, the latest last."""
    plan = journals.plan(repeats=len(facts))
    for turn, fact in zip(plan.turns, facts, strict=True):
        maker = journals.Maker(plan, turn.session).begin()
        maker.add(Fact, name="canary", value=fact)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.raw)


def found(folder: Path, *facts: Any) -> list[float]:
    with History(folder) as history:
        keep(history, *facts)
        return canary_results(history, MACHINE)


@pytest.mark.parametrize("other", [SPOILT, OLDER, {"left out": "2,000,000 bytes"}])
def test_what_tells_nothing_of_the_machine_is_passed_over(tmp_path: Path, other: Any) -> None:
    assert found(tmp_path, STEADY, other, {**STEADY, "reads": 5001}) == [5001, 5000]


def test_a_fact_that_is_too_large_may_be_the_latest(tmp_path: Path) -> None:
    assert found(tmp_path, STEADY, {"left out": "2,000,000 bytes"}) == [5000]


def test_of_reads_and_commits_those_count_that_vary_more(tmp_path: Path) -> None:
    assert found(tmp_path, *({**STEADY, "commits": 900 + 10 * at} for at in range(8)))[0] == 970


def test_they_are_listed_against_what_is_usual_for_their_server(tmp_path: Path) -> None:
    busy = {
        "causes": ["cpu"],
        "cpu_pct": 150.0,
        "cpus": 2,
        "programs": [{"name": "cc1plus", "cpu_pct": 150.0}],
    }
    with History(tmp_path) as history:
        keep(history, OLDER, STEADY, {**STEADY, "reads": 2500, "others": busy}, {**STEADY, "reads": 5100})
        runs = canary_runs(history, MACHINE)
    assert canary_ratios(runs, "reads") == pytest.approx([5100 / 5050, 2500 / 5050, 5000 / 5050, 1.0])
    table = canary_table(runs)
    assert [line[4] for line in table.lines] == [
        "5,100 (+1.0%)",
        "2,500 (-50.5%)",
        "5,000 (-1.0%)",
        "10 (+0.0%)",
    ]
    assert [line[3] for line in table.lines][1] == "other programs took 150% of 200% CPU: cc1plus 150%"
    assert table.remarks[0].startswith(
        "2 undisturbed canary runs of the present server. Comparisons across time assume"
    )


def test_with_enough_of_them_the_machine_is_measured(tmp_path: Path) -> None:
    with History(tmp_path) as history:
        keep(history, *({**STEADY, "commits": 900 + 10 * at} for at in range(8)))
        runs = canary_runs(history, MACHINE)
    assert "varies by 2.6% between sessions (8 undisturbed canary runs)" in machine_variation_text(runs)
    assert machine_variation_text([]).startswith("No canary run yet")


def test_a_server_that_runs_already_has_its_own(tmp_path: Path) -> None:
    """They do not tell of the machine that drives it, nor the machine's of the server."""
    key = journals.plan().contenders[0].key
    of_server = {**STEADY, "build": "prod", "key": key, "reads": 300}
    with History(tmp_path) as history:
        keep(history, STEADY, of_server, STEADY, {**of_server, "reads": 310})
        runs = canary_runs(history, MACHINE)
        assert canary_results(history, MACHINE) == [5000, 5000]
        assert canary_results(history, MACHINE, key) == [310, 300]
        assert canary_results(history, MACHINE, "of another server") == []
    assert [run.of_server for run in runs] == [True, False, True, False]
    assert machine_variation_text(runs).startswith("2 undisturbed canary runs")
    assert machine_variation_text([run for run in runs if run.of_server]).startswith("No canary run yet")


def test_without_any_there_are_no_figures(tmp_path: Path) -> None:
    assert found(tmp_path) == []
