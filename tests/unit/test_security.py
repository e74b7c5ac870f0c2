"""docs/developers/attacks.md names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "developers" / "attacks.md").read_text(encoding="utf-8")


def test_every_test_that_the_page_names_is_there() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")][2:]
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(rows) >= 20 and len(named) >= len(rows)
    assert all(re.search(r"`tests/[\w/]+\.py::test_\w+`", row) for row in rows), "a row without a test"
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), f"{file}::{test}"


def test_every_kind_of_attacker_has_a_row() -> None:
    for who in ("hostile target", "network", "another user of the target", "another user of the desktop",
                "file from a stranger"):  # fmt: skip
        assert f"| {who}" in PAGE
