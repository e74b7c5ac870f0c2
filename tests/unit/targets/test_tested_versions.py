"""The versions that were tried: those of the table in docs/builds.md, each with what it was tried on."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from app.core.table import markdown_of
from app.protocol.answers import Build
from app.targets.tested_versions import (
    MEANINGS,
    NEVER,
    RECORDED,
    SESSIONS,
    TRIED,
    how_tested,
    with_tested_versions,
)
from tests.running import builds

ROOT = Path(__file__).parents[3]
RECORDINGS = ROOT / "tests/data/recordings.tsv"


def recordings() -> list[dict[str, str]]:
    lines = [line for line in RECORDINGS.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def test_the_page_of_builds_has_the_table() -> None:
    page = (ROOT / "docs/builds.md").read_text()
    rows = [(each.family, each.series, each.how, each.what) for each in TRIED]
    assert markdown_of(("family", "series", "", "on what"), rows, 4) in page
    assert all(meaning in page for meaning in MEANINGS.values())


@pytest.mark.parametrize("each", [each for each in TRIED if each.how == RECORDED], ids=lambda each: each.text)
def test_a_recording_is_there_and_says_where_it_is_from(each: object) -> None:
    assert isinstance(each, type(TRIED[0]))
    found = [one for one in recordings() if how_tested(one["family"], one["version"]) == each]
    assert found and all("@" in one["where"] for one in found)
    assert any(one["version"] in each.what for one in found)


def test_what_was_tried_is_a_build_of_the_tests() -> None:
    fetched = {f"MySQL {name.split('-')[1]}" for name in builds.SOURCES if name.startswith("mysql")}
    fetched |= {f"MariaDB {name.split('-')[1]}" for name in builds.SOURCES if name.startswith("mariadb")}
    assert {f"{each.family} {each.series}" for each in TRIED if each.is_tried} == {*fetched, "MariaDB 10.11"}


@pytest.mark.parametrize(
    ("family", "version", "how"),
    [
        ("MySQL", "5.6.51", SESSIONS),
        ("MySQL", "5.0.96", NEVER),
        ("Percona", "8.0.41-32", RECORDED),
        ("FB MySQL", "8.0.32", NEVER),
        ("MariaDB", "12.3.1", NEVER),
        ("MariaDB", "10.1.1", RECORDED),
        ("Drizzle", "7.2", NEVER),
        (None, None, NEVER),
    ],
)
def test_a_version_is_as_its_series(family: str | None, version: str | None, how: str) -> None:
    assert how_tested(family, version).how == how
    assert with_tested_versions([Build("b", "/b", "/b/mysqld", family, version)])[0]["tried"] == how


def test_no_series_stands_twice() -> None:
    assert len({(each.family, each.series) for each in TRIED}) == len(TRIED)
