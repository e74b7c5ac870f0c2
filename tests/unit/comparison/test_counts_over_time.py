"""Counted steps over time: half a percent is seen, by how far starts are apart."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.answers.over_time import OverTimeEntry, has_worsened_step, over_time
from app.comparison.texts.over_time_text import changes_table, latest_change_sentence
from app.history.store.history import History
from tests import counted

OLD, NEW = "mysql-9.7.8", "mysql-9.7.9"


def kept(
    history: History, factors: Sequence[float], spread: float = 0.0005, starts: int = 2, later: str = ""
) -> OverTimeEntry:
    """A plan for each factor, from the first that is not 1 on of the new build (`later`: its valgrind)."""
    ids: list[str] = []
    for number, factor in enumerate(factors, 1):
        chance = random.Random(number)
        counts = [50_000 * factor * (1 + chance.uniform(0, spread)) for _ in range(starts)]
        is_new = any(each != 1 for each in factors[:number])
        valgrind = later if later and is_new else counted.VALGRIND
        ids += counted.keep(history, {NEW if is_new else OLD: [counts]}, number, valgrind)
    return over_time(history, ids[0])


def changed(found: OverTimeEntry) -> list[tuple[int, str, str]]:
    (step,) = found["steps"]
    return [(change["at"], change["verdict"], change["cause"]) for change in step["changes"]]


@pytest.mark.parametrize(
    ("factors", "changes"),
    [
        ((1, 1.005), [(1, "worse", "server")]),
        ((1, 1, 1, 1.005, 1.005), [(3, "worse", "server")]),
        ((1, 1, 0.99), [(2, "better", "server")]),
        ((1, 1, 1.02, 1, 1), [(2, "worse", "server"), (3, "better", "server")]),
        ((1, 1, 1, 1, 1, 1), []),
        ((1, 1.001, 1.0005, 1), []),
    ],
)
def test_half_a_percent_is_seen_from_two_plans_on(
    history: History, factors: Sequence[float], changes: list[tuple[int, str, str]]
) -> None:
    found = kept(history, factors)
    assert changed(found) == changes
    assert has_worsened_step(found) == (bool(changes) and changes[-1][1] == "worse")
    for change in found["steps"][0]["changes"]:
        assert change["low"] < change["ratio"] < change["high"] and not change["low"] <= 1 <= change["high"]


def test_starts_that_are_further_apart_hide_it(history: History) -> None:
    assert changed(kept(history, (1, 1, 1.005, 1.005), spread=0.01)) == []


def test_a_creeping_count_is_seen_once_it_is_far_enough(history: History) -> None:
    assert len(changed(kept(history, [1 + 0.001 * at for at in range(12)]))) > 1


def test_another_valgrind_is_the_cause_and_fails_no_check(history: History) -> None:
    found = kept(history, (1, 1, 1.01), later="3.22.0")
    assert changed(found) == [(2, "worse", "valgrind")] and not has_worsened_step(found)
    assert "valgrind: another version of it counts from there on" in " ".join(changes_table(found).remarks)


def test_the_words_are_of_work(history: History) -> None:
    found = kept(history, (1, 1, 1.02))
    table = changes_table(found)
    assert table.lines[0][6] == "more work" and f"{OLD} → {NEW}" in table.lines[0]
    told = " ".join(table.remarks)
    assert "instructions do not depend on the state of the machine" in told and "work, not speed" in told
    assert "by chance" not in told and "canaries" not in told
    assert "more work since" in latest_change_sentence(found["steps"][0], found)


def test_builds_of_one_plan_are_points_and_not_called_plans(history: History) -> None:
    ids = counted.keep(history, {OLD: [(50_000, 50_001)], NEW: [(51_000, 51_001)]})
    found = over_time(history, ids[0])
    assert changed(found) == [(1, "worse", "server")]
    told = changes_table(found).remarks
    assert "1 of 1 step changed over 2 builds in 1 plan." in told[0] and "n: builds before" in told[1]


@pytest.mark.parametrize(
    ("plans", "starts", "said"),
    [(1, 2, "too few plans (1, needs 2)"), (3, 1, "one start in each plan (needs 2 in one of them)")],
)
def test_what_tells_nothing_exits_3(
    dyno_home: Path, capsys: pytest.CaptureFixture[str], plans: int, starts: int, said: str
) -> None:
    with History(dyno_home) as history:
        found = kept(history, [1.0] * plans, starts=starts)
    assert main(["changes", found["points"][0]["sessions"][0]]) == 3
    assert said in " ".join(capsys.readouterr().out.split())


def test_a_worse_count_fails_the_check(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with History(dyno_home) as history:
        found = kept(history, (1, 1.005))
    assert main(["changes", found["points"][0]["sessions"][0], "--check"]) == 1
    assert "+0.5%" in capsys.readouterr().out
