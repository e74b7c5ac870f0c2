"""A contender over time: which sessions belong together, where their figures change, and why."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli import main
from app.comparison.answers.over_time import OverTimeEntry, has_worsened_step, over_time
from app.comparison.texts.over_time_text import changes_table, latest_change_sentence
from app.core.errors import InputError
from app.history.recorded.writing import JournalStorer
from app.history.store.history import History
from app.protocol.events import Fact
from tests import journals

OLD, NEW = "mysql-9.7.8", "mysql-9.7.9"
STEP, OTHER = "point-query threads=2", "update-index threads=2"


def keep(
    history: History, number: int, factor: float = 1.0, build: str = OLD, canary: float = 0.0,
    marks: Sequence[str] = (), repeats: int = 1, preset: str = "default",
) -> list[str]:  # fmt: skip
    """A plan of InnoDB: its figures with a noise of 1 %, those of point-query times the factor."""
    contender = replace(journals.contender("innodb", preset), build=build, version=build.rpartition("-")[2])
    plan = journals.plan([contender], repeats, number, journals.steps((2,), 1, 0))
    for turn in plan.turns:
        chance, maker = random.Random(turn.session), journals.Maker(plan, turn.session).begin()
        if canary:
            fact = journals.canary_of(canary * 1000 * chance.gauss(1, 0.003))
            maker.add(Fact, name="canary", value=fact)
        for at, step in enumerate(plan.steps):
            value = 50_000 * chance.gauss(1, 0.01) * (factor if step.name == "point-query" else 1.0)
            maker.step(at, value=value, marks=marks)
        JournalStorer(history).append(plan.id, turn.session, 0, maker.end().raw)
    return [turn.session for turn in plan.turns]


def changed(found: OverTimeEntry) -> dict[str, list[tuple[int, str, str]]]:
    return {
        step["step"]: [(change["at"], change["verdict"], change["cause"]) for change in step["changes"]]
        for step in found["steps"]
    }


def test_a_new_build_that_is_slower_is_named(history: History) -> None:
    ids = [keep(history, n, canary=1.0)[0] for n in range(1, 11)]
    ids += [keep(history, n, 0.95, NEW, 1.0)[0] for n in range(11, 19)]
    found = over_time(history, ids[0])
    assert [point["sessions"] for point in found["points"]] == [[id_] for id_ in ids]
    assert changed(found) == {"load": [], STEP: [(10, "worse", "server")], OTHER: []}
    (change,) = found["steps"][1]["changes"]
    assert change["builds"] == [OLD, NEW] and (change["before"], change["after"]) == (10, 8)
    assert change["low"] < 0.95 < change["high"] and change["high"] - change["low"] < 0.03
    assert has_worsened_step(found)
    table = changes_table(found)
    assert [line[0] for line in table.lines] == [STEP] and f"{OLD} → {NEW}" in table.lines[0]
    assert "1 of 3 steps changed over 18 plans" in table.remarks[0]
    assert "server" in latest_change_sentence(found["steps"][1], found)


def test_too_few_plans_tell_nothing(dyno_home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not that nothing has changed."""
    with History(dyno_home) as history:
        (id_,) = keep(history, 1)
        found = over_time(history, id_)
    assert {latest_change_sentence(step, found).partition(": ")[2] for step in found["steps"]} == {
        "1 plan of this work with a result, a change takes 4"
    }
    assert main(["changes", id_, "--check"]) == 3
    assert "too few plans (1, needs 4)" in capsys.readouterr().out
    with History(dyno_home) as history:
        for number in (2, 3, 4):
            keep(history, number)
    assert main(["changes", id_]) == 0
    assert "0 of 3 steps changed over 4 plans" in capsys.readouterr().out


def test_a_slower_machine_is_told_from_a_slower_server(history: History) -> None:
    ids = [keep(history, n, canary=1.0)[0] for n in range(1, 11)]
    ids += [keep(history, n, 0.95, NEW, 0.95)[0] for n in range(11, 19)]
    found = over_time(history, ids[-1], "point-query")
    assert changed(found) == {STEP: [(10, "worse", "machine")]}
    assert not has_worsened_step(found)


def test_without_canaries_the_cause_is_unknown_and_a_gain_is_better(history: History) -> None:
    ids = [keep(history, n, 1.0 if n < 11 else 1.1)[0] for n in range(1, 19)]
    found = over_time(history, ids[0], STEP)
    assert changed(found) == {STEP: [(10, "better", "unknown")]}
    assert not has_worsened_step(found)


def test_repeats_of_a_plan_are_one_point(history: History) -> None:
    for n in range(1, 4):
        keep(history, n, repeats=3)
    found = over_time(history, keep(history, 4)[0])
    assert [len(point["sessions"]) for point in found["points"]] == [3, 3, 3, 1]
    assert found["steps"][1]["n"] == [3, 3, 3, 1]


def test_marked_figures_are_gaps(history: History) -> None:
    ids = [keep(history, n, marks=["disturbed"] if n == 2 else [])[0] for n in range(1, 6)]
    step = over_time(history, ids[0])["steps"][1]
    assert step["values"][1] is None and None not in [*step["values"][:1], *step["values"][2:]]
    assert step["left_out"] == ["", "disturbed", "", "", ""]


def test_other_work_is_no_part_of_it(history: History) -> None:
    ids = keep(history, 1)
    keep(history, 2, preset="other")
    other = journals.plan([journals.contender("innodb")], 1, 3, journals.steps((4,), 1, 0))
    journals.store(history, journals.whole(other))
    assert len(over_time(history, ids[0])["points"]) == 1


def test_the_earlier_name_of_a_preset_goes_on(history: History) -> None:
    ids = keep(history, 1) + keep(history, 2, preset="baseline")
    keep(history, 3, preset="stock")
    for each in ids:
        assert [point["sessions"] for point in over_time(history, each)["points"]] == [[id_] for id_ in ids]


def test_few_plans_show_no_change(history: History) -> None:
    ids = [keep(history, n, 1.0 if n < 3 else 0.5)[0] for n in range(1, 4)]
    found = over_time(history, ids[0])
    assert not any(changed(found).values())
    assert latest_change_sentence(found["steps"][1], found) == (
        f"{STEP}: 3 plans of this work with a result, a change takes 4"
    )


def test_bad_names_are_refused(history: History) -> None:
    (id_,) = keep(history, 1)
    with pytest.raises(InputError, match="no step 'scan': choose one of load, point-query threads=2"):
        over_time(history, id_, "scan")
    running = journals.plan([journals.contender("myisam")], 1, 2)
    journals.store(history, journals.Maker(running).begin())
    with pytest.raises(InputError, match="is not completed"):
        over_time(history, running.turns[0].session)
