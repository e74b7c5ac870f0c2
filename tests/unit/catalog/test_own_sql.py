"""Custom SQL of a person's own becomes workloads and a sequence that can be planned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog import Catalog
from app.catalog.own_sql import BEGINNING, OwnSql, sql_problems, sql_workloads, write_sql
from app.core.errors import InputError
from app.planner.resolve.resolve import resolve
from tests.plans import request, survey

MINE = OwnSql("people", "Reading one of my people", "latency")
CLASSIC = "declare\n  id int 1 rows\nbegin\n  select c from sbtest1 where id = :id;\nend\n"


def test_what_is_written_can_be_planned_at_once(dyno_home: Path) -> None:
    write_sql(Catalog(), MINE)
    plan = resolve(request(sequence="people", seconds=1), survey(), Catalog())
    assert [(step.kind, step.workload, step.unit) for step in plan.steps] == [
        ("load", "people-load", "rows/s"),
        ("settle", "", "s"),
        ("drive", "people", "ms"),
    ]
    assert [each.name for each in sql_workloads(Catalog()) if not each.shipped] == ["people"]
    assert sql_workloads(Catalog())[0] == MINE


def test_without_tables_of_its_own_it_reads_the_classic_ones(dyno_home: Path) -> None:
    write_sql(Catalog(), replace(MINE, text=CLASSIC, figure="rate"))
    plan = resolve(request(sequence="people", seconds=1), survey(), Catalog())
    assert [step.workload for step in plan.steps] == ["load", "index", "", "people"]


def test_a_change_keeps_the_sequence_and_what_else_was_said(dyno_home: Path) -> None:
    write_sql(Catalog(), MINE)
    toml, sequence = dyno_home / "workloads/people.toml", dyno_home / "sequences/people.toml"
    toml.write_text(toml.read_text() + "ignore_errors = [1213]\n")
    sequence.write_text(sequence.read_text().replace("100000", "5"))
    write_sql(Catalog(), replace(MINE, title="Another", text=CLASSIC), over=True)
    found = Catalog().workload("people")
    assert (found.title, found.ignore_errors) == ("Another", (1213,))
    assert Catalog().sequence("people").rows == 5
    assert not (dyno_home / "workloads/people-load.toml").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Two Words"}, "the name of a workload may have"),
        ({"name": "point-query"}, "comes with Dyno and is read-only"),
        ({"name": "duel"}, "comes with Dyno and is read-only"),
        ({"title": " "}, "write a title that says what people measures"),
        ({"text": BEGINNING.replace(":id;", ":nobody;")}, "line 11: :nobody is not declared"),
    ],
)
def test_what_cannot_be_kept_is_refused(dyno_home: Path, changes: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        write_sql(Catalog(), replace(MINE, **changes))
    assert said in str(caught.value)
    assert not (dyno_home / "workloads").exists()


def test_another_of_the_same_name_is_not_written_over(dyno_home: Path) -> None:
    write_sql(Catalog(), MINE)
    with pytest.raises(InputError, match="exists already: choose another name"):
        write_sql(Catalog(), MINE)


def test_problems_of_filling_and_of_driving_are_told_together() -> None:
    assert sql_problems(BEGINNING) == []
    assert [each.line for each in sql_problems("tables\n  create table a (b int);\n")] == [2, 2]
