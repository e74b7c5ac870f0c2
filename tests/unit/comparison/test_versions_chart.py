"""Counted steps over versions: the order of the places, the lines, and the same in a report."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from app.comparison.cells.cell import Comparison
from app.comparison.charts.request import ChartRequest, load_chart_numbers
from app.comparison.charts.versions import (
    counted_rows,
    line_colours,
    version_numbers,
    version_places,
    versions_remark,
)
from app.comparison.verdicts.compare import compare
from app.core.errors import InputError
from app.history.store.history import History
from app.report.versions import version_chart
from tests import comparable, counted

COUNTS = {
    "mysql-9.7.4": [(60, 60.3), (90, 90)],
    "mysql-5.6.24": [(40, 40), (80, 80)],
    "mariadb-11.8.9": [(50, 50), (70, 70)],
    "mysql-5.10.1": [(50, 50), (100, 100)],
}


def compared(history: History, base: str = "mysql-5.6.24") -> Comparison:
    ids = counted.keep(history, COUNTS)
    return compare(history, ids, ids[list(COUNTS).index(base)])


def test_places_are_by_family_and_version_as_people_count(history: History) -> None:
    found = compared(history)
    assert [place.name for place in version_places(found)][:3] == ["5.6.24", "5.10.1", "9.7.4"]
    last = version_places(found)[-1]
    assert (last.family, last.name, last.x) == ("MariaDB", "11.8.9", 4.0), "with room before it"
    of_mariadb = compared(history, "mariadb-11.8.9")
    assert version_places(of_mariadb)[0].server == "MariaDB 11.8.9", "the family of the base is first"


def test_each_step_is_a_line_relative_to_the_base(history: History) -> None:
    rows = version_numbers(compared(history)).rows
    assert [(row[0], row[2], row[4]) for row in rows[:3]] == [
        ("point-query", "5.6.24", 1.0), ("point-query", "5.10.1", 1.25),
        ("point-query", "9.7.4", pytest.approx(1.504, abs=0.001)),
    ]  # fmt: skip
    assert {row[0] for row in rows} == {"point-query", "order"} and len(rows) == 8


def test_the_remark_says_what_1_is_and_how_far_starts_are_apart(history: History) -> None:
    text = versions_remark(compared(history))
    assert text.startswith("1 is MySQL 5.6.24. From left to right: MySQL 5.6.24 to 9.7.4, MariaDB 11.8.9.")
    assert text.endswith("Starts of one server are within 0.5%.")


def test_writes_are_dashed_and_have_the_colours_from_the_beginning(history: History) -> None:
    found = compared(history)
    assert line_colours(counted_rows(found)) == [0, 1] and "Dashed" not in versions_remark(found)
    rows = [replace(row, counts_writes=row.workload == "order") for row in found.rows]
    assert line_colours(counted_rows(replace(found, rows=rows))) == [0, 0]
    assert versions_remark(replace(found, rows=rows)).endswith("within 0.5%. Dashed: writes.")


def test_what_was_counted_once_has_no_spread(history: History) -> None:
    ids = counted.keep(history, {"mysql-5.6.24": [(1,)], "mysql-9.7.4": [(2,)]})
    assert "Each was counted once" in versions_remark(compare(history, ids))


@pytest.mark.parametrize("builds", [["mysql-9.7.4"], []])
def test_one_version_or_no_count_is_refused_in_one_line(history: History, builds: list[str]) -> None:
    counts = {build: COUNTS[build] for build in builds}
    ids = counted.keep(history, counts) if counts else comparable.keep(history.path.parent, comparable.plan())
    with pytest.raises(InputError, match="No step was counted in two versions"):
        load_chart_numbers(history, ChartRequest("versions", ids))


def test_a_report_has_a_picture_from_three_versions_on(history: History) -> None:
    found = compared(history)
    picture = version_chart(found)
    assert picture.count("<polyline") == 4, "two steps, in two families"
    assert all(name in picture for name in ("5.10.1", "MariaDB", "order", "less is less work"))
    texts = re.findall(r'points="([^"]+)"', picture)
    assert all(float(x) >= 0 for each in texts for pair in each.split() for x in pair.split(","))
    ids = counted.keep(history, {"mysql-5.6.24": [(1, 1)], "mysql-9.7.4": [(2, 2)]}, 2)
    two = compare(history, ids)
    assert counted_rows(two) and version_chart(two) == "", "bars say the same"
