"""What differs between two contenders, and the contenders between them."""

from __future__ import annotations

from itertools import combinations

import pytest

from app.core.errors import InputError
from app.explaining.settings import BUILD, LONGEST_NAME, MOST, UNSET, between
from app.variables import option_values
from tests.unit.explaining.pairs import COMMIT, DOUBLEWRITE, IO, OURS, REDO, THEIRS, contender

OTHER = "mysql-5.6.24"


def test_settings_are_what_differs_and_goes_together() -> None:
    found = between(contender(), contender(THEIRS))
    assert {each.name: (each.a, each.b) for each in found.settings} == {
        COMMIT: ("1", "2"),
        REDO: ("64M", "96M"),
        IO: ("200, 2000", "400, 3000"),
        DOUBLEWRITE: (UNSET, "OFF"),
    }  # and not the buffer pool, which is written in two ways


def test_every_contender_between_is_made_and_known_again() -> None:
    found = between(
        contender(), contender(THEIRS, table_options="ROW_FORMAT=COMPRESSED", memory_limit=1 << 30)
    )
    groups = [frozenset(each) for n in range(7) for each in combinations(found.names, n)]
    made = [found.contender(group) for group in groups]
    assert [found.group_of(each) for each in made] == groups
    assert len({each.key for each in made}) == len({each.name for each in made}) == 64
    assert all(len(each.name) <= LONGEST_NAME for each in made)
    assert made[0].cnf == OURS and made[-1].cnf == THEIRS
    assert made[1].name == f"A with {COMMIT} of B"


def test_names_say_what_was_added_and_taken() -> None:
    found = between(contender(), contender(THEIRS))
    assert found.contender(frozenset()).name == "A" and found.contender(frozenset(found.names)).name == "B"
    assert found.contender(frozenset((COMMIT,))).name == f"A with {COMMIT} of B"
    assert found.contender(frozenset(found.names) - {REDO}).name == f"B with {REDO} of A"
    assert found.contender(frozenset((COMMIT, IO))).name.startswith("A with 2 settings of B ")


def test_a_stranger_is_no_contender_between() -> None:
    found = between(contender(), contender(THEIRS))
    assert found.group_of(contender(OURS.replace("=200", "=300"))) is None
    assert found.group_of(contender(f"{OURS}sync_binlog=1\n")) is None
    assert found.group_of(contender(table_options="ROW_FORMAT=COMPRESSED")) is None


def test_a_person_says_what_goes_together() -> None:
    found = between(contender(), contender(THEIRS), [{COMMIT, REDO}])
    assert found.names == (f"{COMMIT}, {REDO}", IO, DOUBLEWRITE)
    with pytest.raises(InputError, match="do not differ in it"):
        between(contender(), contender(THEIRS), [{"sync_binlog"}])


def test_the_performance_schema_and_its_instruments_change_as_one() -> None:
    ours = "[mysqld]\nperformance_schema=OFF\n"
    theirs = "[mysqld]\nperformance_schema=ON\nperformance_schema_instrument='%=ON'\n"
    found = between(contender(ours), contender(theirs))
    assert found.names == ("performance_schema, performance_schema_instrument",)
    sides = contender(f"{ours}max_connections=10\n"), contender(f"{theirs}max_connections=20\n")
    assert len(between(*sides, [{"max_connections", "performance_schema"}]).settings) == 1


def test_fields_of_a_contender_are_settings() -> None:
    found = between(contender(), contender(cores="0-1", table_options="ROW_FORMAT=COMPRESSED"))
    assert [(each.name, each.a, each.b) for each in found.settings] == [
        ("table options", UNSET, "ROW_FORMAT=COMPRESSED"), ("cores", UNSET, "0-1"),
    ]  # fmt: skip
    assert found.contender(frozenset(("cores",))).cores == "0-1"


def test_of_two_builds_changed_defaults_are_settings_and_unknown_options_are_not() -> None:
    a, b = contender(OURS), contender(f"{OURS}loose_query_cache_size=1M\n", OTHER)
    defaults = {"innodb_purge_threads": ("4", "1"), "performance_schema_digests_size": ("-1", "10000")}
    found = between(a, b, (), defaults, {"query_cache_size"})
    assert found.names == (BUILD, *defaults)
    added = found.contender(frozenset(("innodb_purge_threads",)))
    assert added.build == a.build and option_values(added.cnf)["innodb_purge_threads"] == "1"
    assert "query_cache_size" not in added.cnf
    moved = found.contender(frozenset((BUILD,)))
    assert moved.build == OTHER and option_values(moved.cnf)["innodb_purge_threads"] == "4"
    assert "query_cache_size" in moved.cnf
    groups = [frozenset(each) for n in range(4) for each in combinations(found.names, n)]
    assert [found.group_of(found.contender(each)) for each in groups] == groups


def test_what_cannot_be_explained_is_refused_in_one_line() -> None:
    many = "".join(f"option_{at}=1\n" for at in range(MOST + 1))
    for other, why in (
        (contender(), "nothing to explain"),
        (contender(engine="myisam"), "choose two contenders of one engine"),
        (contender(OURS + many), f"differ in {MOST + 1} settings, {MOST} at most"),
    ):
        with pytest.raises(InputError, match=why) as caught:
            between(contender(), other)
        assert "\n" not in str(caught.value)
