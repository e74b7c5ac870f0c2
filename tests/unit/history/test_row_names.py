"""Rows of SQL have names: none is read by its place, and names are those of the columns."""

from __future__ import annotations

import re
from pathlib import Path

import app.history
from app.history.lists import sessions
from app.history.steps import step_rows

FOLDER = Path(app.history.__file__).parent


def test_no_row_of_several_columns_is_read_by_place() -> None:
    places = re.compile(r"\brow\[[1-9]")
    assert [path.name for path in FOLDER.rglob("*.py") if places.search(path.read_text())] == []


def test_the_names_of_a_step_are_its_columns() -> None:
    columns = step_rows._STEP.split("SELECT")[1].split("FROM")[0].split(",")
    known = {"grouping": "group", "row_count": "rows"}
    named = [each.strip().removeprefix("step.") for each in columns]
    assert [known.get(each, each) for each in named] == list(step_rows.StoredStepRow._fields)


def test_the_names_of_a_session_are_its_columns() -> None:
    statement = re.sub(r"CASE .* END", "state", " ".join(sessions._SELECT.split()))
    statement = re.sub(r"strftime\(.*'unixepoch'\)", "started_at", statement)
    statement = re.sub(r"\(SELECT (\w+) [^)]*\)", r"\1", statement)
    columns = statement.removeprefix("SELECT ").split(" FROM ")[0].split(", ")
    assert columns == list(sessions.SessionRow._fields)
