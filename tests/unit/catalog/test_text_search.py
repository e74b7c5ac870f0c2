"""Full-text search as it is planned: for the engines that have it, checked and estimated beforehand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.catalog import Catalog
from app.core.errors import InputError
from app.planner.estimate.estimate import estimate
from app.planner.resolve.resolve import resolve
from app.protocol.plan import Plan
from tests.plans import GB, MARIADB, build, request, survey, write

BOTH = (f"{MARIADB}:innodb", f"{MARIADB}:myisam")
CORES = [[[0, 2], [1, 3]]]  # two of two threads


def planned(*contenders: str, **options: Any) -> Plan:
    """The sequence on a smaller machine than that of the study."""
    asked = request(*contenders, **{"sequence": "text-search", "cores": [2], **options})
    return resolve(asked, survey(topology=CORES), Catalog())


def refused(*contenders: str, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        planned(*contenders, **options)
    return caught.value


def test_it_is_planned_for_every_engine_that_has_it() -> None:
    found = planned(*BOTH, "mysql-5.6.24:innodb", "mysql-9.7.4:innodb")
    assert [step.kind for step in found.steps[:3]] == ["load", "text-index", "settle"]
    searches = found.steps[3:]
    assert [step.threads for step in searches] == [1, 2, 4, 8, 16, 32, 64, 128, 256]
    assert {(step.kind, step.group, step.unit) for step in searches} == {
        ("drive", "text-search", "queries/s")
    }
    assert (found.tables, found.rows) == (1, 348_566)
    assert Catalog().sequence("text-search").cores == (32, 24, 16, 8, 4)


def test_an_engine_without_it_is_refused() -> None:
    error = refused(BOTH[0], f"{MARIADB}:rocksdb")
    assert str(error) == (
        f"{MARIADB}-rocksdb cannot carry out text-index: "
        "only MyISAM, and InnoDB from 5.6 on, have a full-text index; "
        "choose another engine, build or sequence"
    )
    assert error.field == "contenders.1.engine"


def test_innodb_has_it_from_5_6_on() -> None:
    builds = [build("mysql-5.5.62", "MySQL", "5.5.62", ["innodb", "myisam"])]
    old = survey(builds=builds, topology=CORES)
    sought = {"sequence": "text-search", "cores": [1]}
    assert resolve(request("mysql-5.5.62:myisam", **sought), old, Catalog()).steps
    with pytest.raises(InputError, match=r"innodb cannot carry out text-index: only MyISAM, and InnoDB from"):
        resolve(request("mysql-5.5.62:innodb", **sought), old, Catalog())


def test_its_index_is_always_built() -> None:
    found = planned(steps=["text-search"], threads=[1])
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


# estimates


def guess(*contenders: str, **options: Any) -> Any:
    return estimate(planned(*contenders, **options), survey())


@pytest.mark.parametrize(("engine", "row_bytes"), [("innodb", 1200 + 850), ("myisam", 1010 + 1310)])
def test_documents_take_the_room_that_their_workloads_say(engine: str, row_bytes: int) -> None:
    found = guess(f"{MARIADB}:{engine}").contenders[0]
    assert found.data_bytes == 348_566 * row_bytes
    assert found.parts["temporary"] == 348_566 * 4300  # words are sorted, the table is written anew


def test_documents_take_the_time_that_their_workloads_say() -> None:
    less, more = (guess(rows=rows, steps=["text-load"]).guessed_s for rows in (1_500_000, 3_000_000))
    assert more - less >= 1_500_000 / 10_000 + 1_500_000 / 3_000


def test_a_share_of_the_memory_is_counted_in_documents() -> None:
    found = planned(*BOTH, rows="1x memory")
    assert found.rows == -(-16 * GB // (1200 + 850) // 1000) * 1000
