"""A table that is wider than its terminal goes on in further ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.core.table import CellText, Table, columns_per_table, columns_text, split, to_markdown, to_text

TABLE = Table(
    "What differs", ("of", "what", "a" * 9, "b" * 9, "c" * 9), (("x", "y", "1", "2", "3"),), 5, ("more",), 2
)


@pytest.mark.parametrize(
    ("width", "parts"),
    [
        (41, [[0, 1, 2, 3, 4]]),
        (40, [[0, 1, 2, 3], [0, 1, 4]]),
        (19, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
        (5, [[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
    ],
)
def test_as_many_columns_as_fit(width: int, parts: list[list[int]]) -> None:
    assert columns_per_table([2, 4, 9, 9, 9], width, 2) == parts


def test_columns_that_belong_together_stay_together() -> None:
    assert columns_per_table([4, 3, 3, 3, 3], 14, 1, together=2) == [[0, 1, 2], [0, 3, 4]]


def test_the_remarks_stand_below_the_last_one() -> None:
    tables = split(TABLE, 30)
    assert [table.heads[2:] for table in tables] == [("a" * 9, "b" * 9), ("c" * 9,)]
    assert [table.remarks for table in tables] == [(), ("more",)]
    assert tables[1].lines == (("x", "y", "3"),) and {table.title for table in tables} == {"What differs"}
    assert split(TABLE, 80) == [TABLE]
    assert [part.texts for part in split(replace(TABLE, texts=3), 30)] == [3, 2]


def test_texts_that_do_not_fit_next_to_each_other_go_on_below() -> None:
    line = ("a variable of a long name is 2 (base 4000)", "1.01 counted per query (base 0.0016)", "92%")
    table = Table("x", ("cause", "figure", "share"), (line,), 2)
    assert split(table, 120)[0].lines == (line,)
    parts = split(table, 50)
    assert all(len(each) <= 50 for each in to_text(table, 50).splitlines())
    said = " ".join(cell for part in parts for each in part.lines for cell in each).split()
    assert {*said} == {*" ".join(line).split()}


NOTED = Table(
    "A title of <b>", ("", "a|b"), (("scan", CellText("1,000", "0.93 worse", "worse")),), 1, ("x < y",),
    mean=("mean", CellText("0.93")),
)  # fmt: skip


def test_markdown_has_what_stands_beside_and_the_mean() -> None:
    assert to_markdown(NOTED).splitlines() == [
        "### A title of &lt;b>", "",
        "|  | a\\|b |", "| --- | ---: |", "| scan | 1,000 (0.93 worse) |", "| mean | 0.93 |", "",
        "x &lt; y",
    ]  # fmt: skip


def test_text_is_as_wide_as_its_signs() -> None:
    assert to_text(NOTED).splitlines() == [
        "A title of <b>",
        "        a|b",
        "scan  1,000",
        "mean   0.93",
        "x < y",
    ]
    assert columns_text(("a", "b"), [("\u8868", "x"), ("e\u0301", None)]) == "a   b\n\u8868  x\ne\u0301\n"
