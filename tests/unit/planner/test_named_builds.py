"""Builds by their names, and by the beginnings of these."""

from __future__ import annotations

import pytest

from app.core.errors import InputError
from app.planner.resolve.contenders import named_build
from tests.plans import MARIADB, build, contenders, plan, survey

OTHERS = [build(name, "MySQL", "5.6", ["innodb"]) for name in ("mysql-5.6", "mysql-5.6-full", "mysql-5.60")]


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ("mysql-9", "mysql-9.7.4"),
        ("mysql-9.7.4", "mysql-9.7.4"),
        ("ma", MARIADB),
        ("mysql-5.6", "mysql-5.6.24"),
    ],
)
def test_a_unique_beginning_is_enough(named: str, name: str) -> None:
    assert named_build(named, survey().builds).name == name


def test_an_exact_name_wins_over_longer_ones() -> None:
    builds = survey(builds=OTHERS).builds
    assert named_build("mysql-5.6", builds).name == "mysql-5.6"
    assert named_build("mysql-5.6-", builds).name == "mysql-5.6-full"
    with pytest.raises(
        InputError, match=r"^mysql is the beginning of 3 builds .*: mysql-5.6, mysql-5.6-full, "
    ):
        named_build("mysql", builds)


def test_an_unknown_name_says_what_it_may_mean() -> None:
    with pytest.raises(
        InputError, match=r"there is no build mysql-9.8.4 on this target \(did you mean mysql-9.7.4\?\)"
    ):
        named_build("mysql-9.8.4", survey().builds)
    with pytest.raises(InputError, match=r"no build x on this target; there are none$"):
        named_build("x", [])


def test_the_plan_has_the_full_name_and_default_names_come_from_it() -> None:
    found = plan(contenders=contenders("mysql-5", "mysql-9.7:innodb:stock")).contenders
    assert [each.build for each in found] == ["mysql-5.6.24", "mysql-9.7.4"]
    two = plan(contenders=contenders("mysql-5", "mysql-9.7")).contenders
    assert [each.name for each in two] == ["mysql-5.6.24-innodb", "mysql-9.7.4-innodb"]


def test_two_words_for_the_same_build_are_the_same_contender() -> None:
    with pytest.raises(InputError, match="differ only in their names"):
        plan(contenders=contenders("mysql-9", "mysql-9.7.4"))
