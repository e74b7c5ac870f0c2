"""Figures as people read them."""

from __future__ import annotations

from datetime import datetime

import pytest

from app.agent.sampling.host import SERIES
from app.comparison.cells.measures import MEASURES
from app.core.quantity import seconds_of
from app.core.units import (
    bytes_text,
    clock_text,
    direction_of,
    figure_text,
    seconds_text,
    time_text,
    unit_text,
    with_unit,
)
from app.engines import KNOWN


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (0.00003, "<0.0001"), (0.0123, "0.0123"), (1.5, "1.50"), (12345.6, "12,346")],
)
def test_what_is_nothing_and_what_is_next_to_nothing_are_told_apart(value: float | None, text: str) -> None:
    assert figure_text(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (59.6, "1 min 00 s"),
        (3900, "1 h 05 min"),
        (86399, "23 h 59 min"),
        (86400, "1 day 0 h"),
        (185000, "2 days 3 h"),
    ],
)
def test_times_beyond_a_day_count_days(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "21:56"),
        (7200, "23:56"),
        (7500, "Thu 00:01"),
        (6 * 86400, "Tue 21:56"),
        (8 * 86400, "Thu 3 Dec 21:56"),
    ],
)
def test_moments_of_another_day_name_it(seconds: float, text: str) -> None:
    now = datetime(2026, 11, 25, 21, 56).timestamp()
    assert clock_text(now + seconds, now) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1000**2, "976.6 KiB"),
        (1 << 20, "1.0 MiB"),
        (3 << 29, "1.5 GiB"),
        (1 << 40, "1.0 TiB"),
        (1 << 50, "1024.0 TiB"),
        (-2048, "-2.0 KiB"),
    ],
)
def test_sizes_are_powers_of_1024_and_say_so(size: int, text: str) -> None:
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("KB/s", "KiB/s"),
        ("MB", "MiB"),
        ("KB/query", "KiB/query"),
        ("pages of 8 KB, zlib level 6", "pages of 8 KiB, zlib level 6"),
        ("KiB/s", "KiB/s"),
        ("MHz", "MHz"),
        ("queries/s", "queries/s"),
        ("bytes/byte", "bytes/byte"),
        ("", ""),
    ],
)
def test_a_stored_unit_is_shown_as_what_it_is(stored: str, shown: str) -> None:
    assert unit_text(stored) == shown
    assert unit_text(shown) == shown


def test_stored_units_stay_and_none_is_shown_as_stored() -> None:
    counters = [each.unit for engine in KNOWN.values() for each in engine.counters]
    stored = {*counters, *(each.unit for each in SERIES), *(each.unit for each in MEASURES)}
    assert {"KB/s", "MB", "KB/{of}"} <= stored
    assert not any("KB" in unit_text(each) or "MB" in unit_text(each) for each in stored)


def test_a_figure_with_its_unit() -> None:
    assert with_unit(12.5, "KB/query") == "12.50 KiB/query"
    assert with_unit(3 << 20, "bytes") == "3.0 MiB"
    assert direction_of("KB") == direction_of("MiB") == "lower"
    assert direction_of("KB/s") == "higher"


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        *(("90", 90), ("45 s", 45), ("30min", 1800), ("30 m", 1800), ("2H", 7200), ("1 h 30 min", 5400)),
        *(
            ("1h30min5s", 5405),
            ("-3", -3),
            ("", None),
            ("1h30", 5400),
            ("8h 5", 29100),
            ("1h90", None),
            ("5 30s", None),
            ("5 days", None),
            ("1.5 h", 5400),
        ),
    ],
)
def test_times_are_read_as_people_type_them(text: str, seconds: int | None) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("seconds", [0, 1, 59, 60, 61, 3600, 5400, 5401, 86_400])
def test_nothing_of_a_time_is_lost_in_its_field(seconds: int) -> None:
    assert seconds_of(time_text(seconds)) == seconds
