"""The statements of lists, once for SQLite and once for a team's server: the same columns."""

from __future__ import annotations

import re

import pytest

from app.core.errors import InputError
from app.history.lists import sessions
from app.history.lists.browsing import FACETS, Filter
from app.team import list_statements
from app.team.listing import TeamSessionLists, team_session_page


def columns(statement: str) -> list[str]:
    """The columns of a SELECT, with one word for one that is computed."""
    text = " ".join(statement.split())
    for inner in (
        r"CASE .* END",
        r"\(SELECT [^)]*\)",
        r"(?:strftime|DATE_FORMAT)\(.*'unixepoch'\)",
        r"DATE_FORMAT\(.*SZ'\)",
    ):
        text = re.sub(inner, "computed", text)
    return [each.strip(" `") for each in text.removeprefix("SELECT ").split(" FROM ")[0].split(",")]


def test_both_have_the_same_columns_as_a_row() -> None:
    here, there = columns(sessions._SELECT), columns(list_statements.SESSIONS)
    names = list(sessions.SessionRow._fields)
    assert len(here) == len(there) == len(names)
    assert here == there
    assert [each for each, name in zip(here, names, strict=True) if each not in (name, "computed")] == []


def test_everything_that_people_add_is_read_on_both() -> None:
    kinds = re.findall(r"SELECT '(\w+)', session, (\w+) FROM (\w+)", list_statements.ADDED)
    assert {kind: f"{what} FROM {table}" for kind, what, table in kinds} == sessions._ADDED


def test_each_mark_of_a_filter_has_its_value() -> None:
    every = Filter("it's 100%", dict.fromkeys(FACETS, ("one", "two")))
    condition, values = list_statements.where(every)
    assert condition.count("%s") == len(values) == 2 * 4 + 2 * len(FACETS)
    assert list_statements.where(Filter()) == ("", [])
    with pytest.raises(InputError, match="cannot filter by 'colour'"):
        list_statements.where(Filter(chosen={"colour": ("red",)}))


def test_no_session_is_looked_up_where_none_matches() -> None:
    asked: list[str] = []

    class Empty:
        def rows(self, statement: str, *values: object) -> list[tuple[object, ...]]:
            assert statement.count("%s") == len(values)
            asked.append(statement)
            return []

    assert team_session_page(TeamSessionLists(Empty()), Filter("x")) == [] and len(asked) == 1
