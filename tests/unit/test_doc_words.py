"""The docs stay short, our words are explained once, and measured pages begin with a summary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MEASURED = sorted((DOCS / "measured").glob("*.md"))


def test_the_pages_for_users_have_at_most_25000_words() -> None:
    assert sum(len(path.read_text().split()) for path in DOCS.glob("*.md")) <= 25_000


def test_each_word_of_the_glossary_has_one_line() -> None:
    words = re.findall(r"^\| ([^|]+) \| ", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    assert len(words) >= 40 and words.count("contender") == 1
    ours = words[1 : words.index("it says")]
    assert ours == sorted(ours, key=str.lower)


@pytest.mark.parametrize("path", MEASURED, ids=lambda path: path.name)
def test_a_measured_page_begins_with_ten_lines_of_summary(path: Path) -> None:
    first = path.read_text().split("\n\n")[1].splitlines()
    assert 3 <= len(first) <= 10 and all(line.startswith(("- ", "  ")) for line in first)
