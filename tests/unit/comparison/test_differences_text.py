"""What sessions do not have in common, as it is shown."""

from __future__ import annotations

from app.comparison.differences.differences import DifferenceEntry
from app.comparison.texts.differences_text import differences_table, shown_values

ZLIB = "write_buffer_size=32m;bottommost_compression=kZlibCompression;table={whole_key_filtering=1;a=2};x=1"


def entry(*values: str | None) -> DifferenceEntry:
    return {"group": "variables", "name": "options", "values": list(values)}


def test_of_long_lists_only_what_not_all_have_is_shown() -> None:
    none = ZLIB.replace("kZlib", "kNo")
    assert shown_values(entry(ZLIB, none, None)) == [
        "… bottommost_compression=kZlibCompression",
        "… bottommost_compression=kNoCompression",
        None,
    ]
    other = ZLIB.replace("a=2", "a=3")
    assert shown_values(entry(ZLIB, other))[1] == "… table={whole_key_filtering=1;a=3}"
    assert shown_values(entry(ZLIB, ZLIB.removesuffix(";x=1"))) == ["… x=1", "…"]


def test_short_values_and_those_without_a_part_in_common_are_whole() -> None:
    for values in (("a,b", "a,c"), (ZLIB, "y=1"), ("long " * 20, "other " * 20)):
        assert shown_values(entry(*values)) == list(values)


def test_the_table_shows_them_so() -> None:
    table = differences_table(["one", "two"], [entry(ZLIB, ZLIB.replace("x=1", "x=2"))])
    assert table.lines == (("variables", "options", "… x=1", "… x=2"),)


def test_sessions_that_are_the_same_in_all_lines_share_a_column() -> None:
    names = ["a-1", "b-1", "a-2", "b-2", "b-3", "b-4"]
    table = differences_table(names, [entry("1", "2", "1", "2", "2", "2"), entry("", "3", "", "3", "3", "3")])
    assert table.heads == ("of", "what", "a-1, a-2", "b-1 and 3 more")
    assert [line[2:] for line in table.lines] == [("1", "2"), ("", "3")]
    assert differences_table(names, []).lines == ()
