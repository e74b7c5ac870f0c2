"""One grammar of quantities: on the command line, in the forms of the window, in plan files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import InputError
from app.core.quantity import LIMIT, bytes_of, count_of, percent_of, seconds_of
from app.core.ranges import numbers_of_ranges
from app.planner.request.plan_file import plan_file_text, plan_request_of_text
from app.planner.request.request import OPTIONS
from app.planner.starting.draft import value_of

HOSTILE = (
    *("1e999", "nan", "inf", "-0", "-0.0", "1_000", "1 000", "10,00", "1,0000", ",100", "1,", "1,000,00"),
    *("\uff11\uff10", "\u0661", "1\u00a0000", "0x10", "1e", "1e-3", "--1", "+1", "1.", ".5", "k", "", " "),
    *("9" * 19, "9" * 5000, "1e18", "9999999999999M", "10kk", "10 k k", "1e3k", "1;2", "ten", "1\n2"),
)
KINDS = (count_of, seconds_of, bytes_of, percent_of)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1000", 1000), ("10k", 10_000), ("10K", 10_000), ("1M", 10**6), ("1e6", 10**6), ("1E6", 10**6),
        ("1,000,000", 10**6), ("1.5M", 1_500_000), ("2g", 2 * 10**9), (" 50k ", 50_000), ("50 k", 50_000),
        ("1.5", None), ("1.2345k", None), ("-3", -3), ("0", 0), ("1,500k", 1_500_000), ("2.0", 2),
    ],
)  # fmt: skip
def test_counts(text: str, count: int | None) -> None:
    assert count_of(text) == count


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90), ("2min", 120), ("2m", 120), ("1h30", 5400), ("1 h 30 min", 5400), ("1.5h", 5400),
        ("45 s", 45), ("1,000", 1000), ("1e3", 1000), ("8H", 28_800), ("30 Min", 1800), ("1h 5s", 3605),
        ("1M", None), ("10k", None), ("1h90", None), ("0.5s", None), ("5 min 2 h", None), ("min", None),
    ],
)  # fmt: skip
def test_times(text: str, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512MiB", 512 << 20), ("512M", 512 << 20), ("4G", 4 << 30), ("4 GiB", 4 << 30), ("4096", 4096),
        ("1.5g", 3 << 29), ("64 B", 64), ("1T", 1 << 40), ("4GB", None), ("4iB", None), ("-1M", None),
    ],
)  # fmt: skip
def test_sizes(text: str, size: int | None) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize(
    ("text", "percent"),
    [("3", 3.0), ("3%", 3.0), ("0.5 %", 0.5), ("-1%", None), ("3%%", None), ("3 p", None)],
)
def test_percentages(text: str, percent: float | None) -> None:
    assert percent_of(text) == percent


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_quantity_is_refused(text: str) -> None:
    assert [read(text) for read in KINDS] == [None] * 4


@given(st.integers(0, 10**15))
def test_a_number_is_the_same_however_it_is_written(number: int) -> None:
    for text in (str(number), f"{number:,}", f" {number} ", f"{number}.0", f"{number}e0"):
        assert count_of(text) == number
    assert count_of(f"{number}e2") == count_of(f"{number}00") == number * 100
    assert number >= 10**14 or count_of(f"{number}k") == number * 1000
    assert bytes_of(f"{number}") == number and seconds_of(f"{number:,}") == number


@given(
    st.text(st.characters(codec="utf-8"), max_size=30) | st.text("0123456789.,-+eEkKmMgGhs%iB x", max_size=12)
)
def test_any_text_is_a_quantity_within_the_limit_or_none(text: str) -> None:
    for read in (count_of, seconds_of, bytes_of):
        found = read(text)
        assert found is None or (isinstance(found, int) and abs(found) <= 4 * LIMIT and text.isascii())
    percent = percent_of(text)
    assert percent is None or 0 <= percent < LIMIT


@pytest.mark.parametrize("name", [name for name, row in OPTIONS.items() if row.is_typed])
@given(st.text("0123456789.,-+ekMGh%x[]", max_size=12))
def test_a_typed_field_reads_any_text_or_says_in_a_line_what_is_allowed(name: str, text: str) -> None:
    try:
        value_of(name, text)
    except InputError as error:
        assert "\n" not in str(error) and len(str(error)) < 200 and str(error).startswith(f"{name} ")


def test_lists_have_the_same_numbers() -> None:
    assert numbers_of_ranges("1k, 2K 1e4", are_counts=True) == [1000, 2000, 10_000]
    assert numbers_of_ranges("1k..8k x2", are_counts=True) == [1000, 2000, 4000, 8000]
    assert numbers_of_ranges("1k .. 3k + 1000", are_counts=True) == [1000, 2000, 3000]
    assert numbers_of_ranges("1G,2G") == ["1G", "2G"]  # of a variable, where G has its own meaning
    with pytest.raises(InputError, match="write 10000 or 10k, not 10,000"):
        numbers_of_ranges("10,000", are_counts=True)


def test_a_plan_file_may_have_the_text() -> None:
    text = """
rows = "1M"
seconds = "2min"
time_limit = "1h30"
tables = "1e1"
matters_pct = "3%"
rate = "1k..4k x2"
repeats = "5"
"""
    found = plan_request_of_text(text)
    assert (found.rows, found.seconds, found.time_limit, found.tables) == (10**6, 120, 5400, 10)
    assert (found.matters_pct, found.rate, found.repeats) == (3.0, (1000, 2000, 4000), 5)
    assert plan_request_of_text(plan_file_text(found)) == found


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('seconds = "1M"', "line 1: seconds must be a time such as 90 (seconds), 2min or 1h30, not '1M'"),
        ('rows = "1,0000"', "line 1: rows must be a number such as 1000, 10k, 1M or 1e6, or like"),
        ('tables = "many"', "line 1: tables must be a number such as 1000, 10k, 1M or 1e6, not 'many'"),
        ('tables = "-1"', "line 1: tables must be between 1 and "),
        ('repeats = "ever"', "1M or 1e6, or until-decided, not 'ever'"),
    ],
)
def test_a_wrong_text_of_a_plan_file_is_named(line: str, why: str) -> None:
    with pytest.raises(InputError) as refused:
        plan_request_of_text(line)
    assert why in str(refused.value)
