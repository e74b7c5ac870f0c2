"""Lists of numbers as people write them."""

from __future__ import annotations

import pytest

from app.core.errors import InputError
from app.core.ranges import MOST, as_listed, cpus_of, numbers_of_ranges


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("2,4,8", [2, 4, 8]),
        ("2, 4 8;16,", [2, 4, 8, 16]),
        ("1-8", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("1 - 3", [1, 2, 3]),
        ("1..64 x2", [1, 2, 4, 8, 16, 32, 64]),
        ("1 .. 50 x 2", [1, 2, 4, 8, 16, 32]),
        ("3..100*5, 7", [3, 15, 75, 7]),
        ("10..50 +20", [10, 30, 50]),
        ("0-6:2", [0, 2, 4, 6]),
        ("5-5", [5]),
        ("-1", [-1]),
        ("1,ON,x2,1.5", [1, "ON", "x2", "1.5"]),
        ("1,,2", [1, "", 2]),
        (" ,", []),
        ("1_0", ["1_0"]),
        ("2026-11-23", ["2026-11-23"]),
        ("4,2, [0-3] [0, 2,4-6]", [4, 2, "0-3", "0, 2,4-6"]),
        ("[0-3]1-2", ["0-3", 1, 2]),
        ("[0-3", ["[0-3"]),
    ],
)
def test_a_list_is_its_numbers_in_order(text: str, numbers: list[int | str]) -> None:
    assert numbers_of_ranges(text) == numbers


def test_a_list_is_written_as_it_is_read() -> None:
    assert as_listed([4, "0-3", "0,2"]) == "4, [0-3], [0,2]"
    assert numbers_of_ranges(as_listed([4, "0-3", "0,2"])) == [4, "0-3", "0,2"]


@pytest.mark.parametrize("text", ["8-1", "1..64 x1", "0..8 x2", "1-8:0", "1..9+0"])
def test_a_range_that_does_not_go_up_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"a range goes up, such as 1-8"):
        numbers_of_ranges(text)


@pytest.mark.parametrize("text", ["1-999999999", "1-1000,1-1000"])
def test_a_list_has_an_end(text: str) -> None:
    with pytest.raises(InputError, match=f"lists more than {MOST:,} numbers"):
        numbers_of_ranges(text)


def test_cpus_are_read_as_taskset_writes_them() -> None:
    assert cpus_of("0-3,8") == {0, 1, 2, 3, 8}
    assert cpus_of("0-6:2, 1") == {0, 1, 2, 4, 6}
    for text in ("a", "-1", "0-3,x", "10000", "0,,1", ""):
        with pytest.raises(InputError, match="must be like 0-3 or 0,2,4"):
            cpus_of(text)
