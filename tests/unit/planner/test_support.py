"""How the tables are filled: what a plan takes, what it refuses, and what it was called before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog, Workload
from app.comparison.differences.differences import work_differences
from app.core.errors import InputError
from app.planner.request.command_line import command_line
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.resolve.resolve import resolve
from app.planner.resolve.support import check_load_method
from app.protocol.plan import Plan
from app.protocol.sysbench import command
from tests.plans import MARIADB, plan, request, survey

RELEASED = Path(__file__).parents[2] / "data" / "0.1.0" / "journal.jsonl"


def released() -> Plan:
    with RELEASED.open() as file:
        return Plan.from_json(json.loads(file.readline())["plan"])


def test_each_method_has_its_clients() -> None:
    threads = {
        method: [step.threads for step in plan(tables=2, load_method=method).steps[:2]]
        for method in ("ordered", "parallel")
    }
    assert threads == {"ordered": [2, 2], "parallel": [4, 2]}  # of load and index, on four hardware threads


def test_one_hardware_thread_still_shares_a_table() -> None:
    small = survey(cpu={"threads": 1})
    found = resolve(request(load_method="parallel"), small, Catalog())
    assert found.steps[0].threads == 2


def test_the_load_alone_is_told_its_method() -> None:
    found = plan(f"{MARIADB}:rocksdb", load_method="bulk")
    lines = [command(step, found, "rocksdb", "", [], 1) for step in found.steps if step.lua]
    assert ["--load-method=bulk" in line for line in lines] == [True] + [False] * (len(lines) - 1)
    ordered = plan()
    assert not any(
        "--load-method" in word for word in command(ordered.steps[0], ordered, "innodb", "", [], 1)
    )


@pytest.mark.parametrize("engine", ["innodb", "myisam"])
def test_an_engine_without_a_bulk_load_is_refused(engine: str) -> None:
    with pytest.raises(
        InputError, match=f"load method bulk: not for {MARIADB}-{engine}: .*; choose ordered or parallel"
    ):
        plan(f"{MARIADB}:{engine}", load_method="bulk")
    with pytest.raises(InputError, match=r"not for .*innodb"):
        plan(f"{MARIADB}:rocksdb", f"{MARIADB}:innodb", load_method="bulk")


def test_a_load_that_has_no_such_method_is_refused() -> None:
    words = Workload("words", "Another load", "load", "words.lua")
    check_load_method("ordered", [], [words])
    with pytest.raises(InputError, match="the workload words has no load method parallel; it has ordered"):
        check_load_method("parallel", [], [words])


def test_the_method_is_said_on_the_command_line_and_in_the_plan_file() -> None:
    asked = request(load_method="parallel")
    assert "--load-method parallel" in command_line(asked)
    assert "--load-method" not in command_line(request())
    assert plan_request_of_text(plan_file_text(asked)).load_method == "parallel"


def test_the_method_is_part_of_the_work_and_of_what_differs() -> None:
    ordered, parallel = plan(), plan(load_method="parallel")
    assert ordered.work_key != parallel.work_key
    told = work_differences(ordered.to_json(), parallel.to_json())
    assert told.startswith("load_method=parallel, in the base load_method=ordered")


def test_what_was_called_insert_is_ordered() -> None:
    assert plan_request_of_text('load_method = "insert"').load_method == "ordered"
    old = released()
    assert old.load_method == "ordered"
    former = {**old.to_json(), "load_method": "insert"}
    assert work_differences(old.to_json(), former) == "their plans differ"


def test_keys_and_hashes_that_were_published_stay() -> None:
    old = released()
    assert old.hash == "2542928d4be1d4b2bd366cd893723336eceec90916ae1c29dc33d4158c0d1d20"
    assert old.work_key == "61e8740b0d5b58638e8c83c407650b0c67ae1ed0f49d652ff024af3cc305508a"
    assert replace(old, load_method="bulk").work_key != old.work_key


def test_sessions_measured_before_tables_were_analysed_are_other_work() -> None:
    with RELEASED.open() as file:
        old = json.loads(file.readline())["plan"]
    assert not any("analyse" in step for step in old["steps"])
    now = released()
    now = replace(now, steps=[replace(step, analyse=step.kind == "index") for step in now.steps])
    assert now.work_key != released().work_key and now.hash != released().hash
    assert work_differences(old, now.to_json()) == "the base was measured without ANALYZE TABLE"
    assert work_differences(now.to_json(), old) == "measured without ANALYZE TABLE"
