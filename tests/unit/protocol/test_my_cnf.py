"""Lines of a my.cnf and names of options: one reader for desktop and agent."""

from __future__ import annotations

import pytest

from app.protocol.my_cnf import option_in, option_key, split_line, strip_prefixes, unquote


def test_all_spellings_of_an_option_are_one() -> None:
    spellings = ("log_bin", "log-bin", "skip-log-bin", "loose_LOG_BIN", " loose-skip-log_bin ")
    assert {option_key(each) for each in spellings} == {"log_bin"}


def test_prefixes_and_quotes_come_off() -> None:
    assert strip_prefixes("loose_skip_log_bin") == ["loose_skip_log_bin", "skip_log_bin", "log_bin"]
    assert [unquote(value) for value in ("'a'", '"a"', "'a", "a", "'")] == ["a", "a", "'a", "a", "'"]


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("Log-Bin = x y # why", ("log_bin", "x y")),
        ("init_connect='SET a=1 # b'", ("init_connect", "'SET a=1 # b'")),
        ("skip-log-bin", ("skip_log_bin", None)),
        ("k=", ("k", "")),
        ("", None),
        ("  ", None),
        ("# log_bin", None),
        ("; log_bin", None),
        ("[mysqld]", None),
        ("!include x", None),
    ],
)
def test_the_option_of_a_line(line: str, option: tuple[str, str | None] | None) -> None:
    assert option_in(line) == option


def test_a_name_can_be_had_as_it_is_written() -> None:
    assert split_line("  Loose-Log_Bin = x # y") == ("Loose-Log_Bin", "x")
