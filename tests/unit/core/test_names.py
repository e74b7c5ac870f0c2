"""Names side by side: told apart, and shortened."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.core.names import full_name, full_session_name, short_names, unique_names

IDS = ["01M80DXF5YAAAAAA", "01M80DXF5YBBBBBB", "01M80DXF5YCCCCCC"]


def _at(day: int, hour: int, minute: int = 30) -> float:
    return datetime(2026, 11, day, hour, minute).timestamp()


def test_equal_names_get_their_start_times() -> None:
    starts = [_at(24, 9), _at(24, 14), _at(24, 9)]
    assert unique_names(["duel", "duel", "other"], starts, IDS) == ["duel 09:30", "duel 14:30", "other"]


def test_of_several_days_the_date_too() -> None:
    found = unique_names(["duel", "duel", "other"], [_at(23, 9), _at(24, 9), _at(24, 9)], IDS)
    assert found == ["duel 2026-11-23 09:30", "duel 2026-11-24 09:30", "other"]


@pytest.mark.parametrize(("start", "name"), [(_at(24, 9), "duel 09:30"), (None, "duel")])
def test_names_of_one_minute_end_with_their_ids(start: float | None, name: str) -> None:
    found = unique_names(["duel", "duel", "other"], [start] * 3, IDS)
    assert found == [f"{name} AAAAAA", f"{name} BBBBBB", "other"]


@pytest.mark.parametrize(
    ("names", "shorts", "around"),
    [
        (["duel-8.0.40-innodb-1", "duel-8.0.36-innodb-1"], ("8.0.40", "8.0.36"), "duel-…-innodb-1"),
        (["innodb-default-1", "rocksdb-default-1"], ("innodb", "rocksdb"), "…-default-1"),
        (["mysql-8.4-innodb", "mysql-8.4-innodb-c8r32"], ("innodb", "innodb-c8r32"), "mysql-8.4-…"),
        (["innodb", "innodb-2"], ("innodb", "innodb-2"), ""),
        (["one", "other"], ("one", "other"), ""),
        (["alone-1"], ("alone-1",), ""),
    ],
)  # fmt: skip
def test_names_without_what_they_have_in_common(
    names: list[str], shorts: tuple[str, ...], around: str
) -> None:
    found = short_names(names)
    assert (found.names, found.around) == (shorts, around)


def test_a_name_that_dyno_made_gets_its_build_and_version() -> None:
    def full(name: str) -> str:
        return full_name(name, "mysql-5.6.14", "5.6.14", "innodb", ("stock",))

    assert full("innodb") == full("mysql-5.6.14-innodb") == "mysql-5.6.14-innodb"
    assert full("innodb-stock") == "mysql-5.6.14-innodb-stock"
    assert (full("innodb-2"), full("mysql-5.6.14-innodb-stock-3")) == (
        "mysql-5.6.14-innodb-2",
        "mysql-5.6.14-innodb-stock-3",
    )
    own = [full_name(name, "mine", "8.0.33", "innodb") for name in ("innodb", "mine-innodb")]
    assert own == ["mine-8.0.33-innodb"] * 2
    assert full_name("innodb", "mariadb-11.4", "11.4.9", "innodb") == "mariadb-11.4.9-innodb"


def test_a_name_that_a_person_gave_stays() -> None:
    for name in ("compressed", "innodb at night", "innodb-8k"):
        assert full_name(name, "mysql-5.6.14", "5.6.14", "innodb", ("stock",)) == name
    assert full_name("innodb", "", "", "innodb") == "innodb", "nobody knows its build"


def test_the_name_of_a_session_has_the_full_name_of_its_contender() -> None:
    def full(name: str) -> str:
        return full_session_name(name, "innodb", "mysql-9.7.4-innodb")

    assert full("night-innodb") == "night-mysql-9.7.4-innodb"
    assert full("innodb-2") == "mysql-9.7.4-innodb-2"
    assert full("night-innodb-2-attempt-3") == "night-mysql-9.7.4-innodb-2-attempt-3"
    assert full("my innodb") == "my innodb" and full("innodb-with-ssd") == "innodb-with-ssd"
    assert full_session_name("night-a", "a", "a") == "night-a"
