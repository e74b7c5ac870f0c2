"""Table options as CREATE TABLE takes them; on real servers: integration/test_table_options.py."""

from __future__ import annotations

import pytest

from app.protocol.sysbench import without_column_family


@pytest.mark.parametrize(
    ("said", "options", "family"),
    [
        ("", "", ""),
        ("ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8", ""),
        ("COLUMN_FAMILY=packed", "", "packed"),
        ("column_family = packed, MAX_ROWS=3", "MAX_ROWS=3", "packed"),
        ("MAX_ROWS=3 COLUMN_FAMILY=p2 AVG_ROW_LENGTH=4", "MAX_ROWS=3 AVG_ROW_LENGTH=4", "p2"),
        ("MY_COLUMN_FAMILY=packed", "MY_COLUMN_FAMILY=packed", ""),
    ],
)
def test_a_column_family_is_none_of_them(said: str, options: str, family: str) -> None:
    assert without_column_family(said) == (options, family)
