"""Full-text search as it is planned: for the engines that have it, checked and estimated beforehand."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.catalog import Catalog
from app.errors import InputError
from app.planner import resolve
from tests.plans import build, plan, request, survey, write

RENDERED = ("mariadb-10.11.19:innodb", "mariadb-10.11.19:myisam")


def refused(*contenders: str, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        plan(*contenders, **{"sequence": "text-search", **options})
    return caught.value


def test_it_is_planned_for_every_engine_that_has_it() -> None:
    found = plan(*RENDERED, "mysql-5.6.24:innodb", "mysql-9.7.4:innodb", sequence="text-search")
    assert [step.kind for step in found.steps[:3]] == ["load", "text-index", "settle"]
    searches = found.steps[3:]
    assert [step.threads for step in searches] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert {(step.kind, step.group, step.unit) for step in searches} == {
        ("drive", "text-search", "queries/s")
    }
    assert (found.tables, found.rows) == (1, 348_566)


def test_an_engine_without_it_is_refused() -> None:
    error = refused(RENDERED[0], "mariadb-10.11.19:rocksdb")
    assert str(error) == (
        "rocksdb cannot carry out text-index: only MyISAM, and InnoDB from 5.6 on, have a full-text index; "
        "choose another engine, build or sequence"
    )
    assert error.field == "contenders.1"


def test_innodb_has_it_from_5_6_on() -> None:
    old = survey(builds=[build("mysql-5.5.62", "MySQL", "5.5.62", ["innodb", "myisam"])])
    assert resolve(request("mysql-5.5.62:myisam", sequence="text-search"), old, Catalog()).steps
    with pytest.raises(InputError, match=r"innodb cannot carry out text-index: only MyISAM, and InnoDB from"):
        resolve(request("mysql-5.5.62:innodb", sequence="text-search"), old, Catalog())


def test_its_index_is_always_built() -> None:
    found = plan(sequence="text-search", steps=["text-search"], threads=[1])
    assert [step.name for step in found.steps] == [
        "text-load",
        "text-index",
        "settle.text-index",
        "text-search",
    ]


def test_other_tables_are_no_texts(dyno_home: Path) -> None:
    write(
        dyno_home / "sequences/own.toml",
        'name = "own"\ntitle = "x"\n[[step]]\nworkload = "load"\n[[step]]\nworkload = "text-index"\n',
    )
    message = "step text-index needs a step that loads texts, like text-load, before it"
    assert str(refused(sequence="own")) == message
