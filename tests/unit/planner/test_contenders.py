"""What contenders of one plan have to differ in."""

from __future__ import annotations

import pytest

from app.core.errors import InputError
from app.planner.request.contender import ContenderRequest
from tests.plans import plan

ONE = ContenderRequest("mysql-5.6.24", "innodb")


@pytest.mark.parametrize(
    "other",
    [
        ONE,
        ContenderRequest("mysql-5.6.24", "innodb", name="the same by another name"),
        ContenderRequest("mysql-5.6.24", "innodb", table_options=" "),
        ContenderRequest("mysql-5.6.24", "innodb", allocator="system"),
    ],
)
def test_the_same_contender_twice_is_what_repeats_are_for(other: ContenderRequest) -> None:
    with pytest.raises(InputError, match=r"differ only in their names.*2 or more repeats"):
        plan(contenders=(ONE, other))


@pytest.mark.parametrize(
    "other",
    [
        ContenderRequest("mysql-9.7.4", "innodb"),
        ContenderRequest("mysql-5.6.24", "myisam"),
        ContenderRequest("mysql-5.6.24", "innodb", cores="0-1"),
        ContenderRequest("mysql-5.6.24", "innodb", allocator="jemalloc"),
        ContenderRequest("mysql-5.6.24", "innodb", numa="membind=0"),
        ContenderRequest("mysql-5.6.24", "innodb", memory_limit="4G"),
        ContenderRequest("mysql-5.6.24", "innodb", table_options="ROW_FORMAT=COMPRESSED"),
    ],
)
def test_one_difference_is_enough(other: ContenderRequest) -> None:
    assert len(plan(contenders=(ONE, other)).contenders) == 2


def test_repeats_are_no_contenders() -> None:
    assert len(plan(contenders=(ONE,), repeats=3).turns) == 3
