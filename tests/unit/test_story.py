"""docs/story: what its page shows is what the commands print of the sessions in docs/story."""

from __future__ import annotations

import pytest

from tests.story import PAGE, ROOT, SESSIONS, with_tables
from tests.unit.cli.words import said


def test_tables_and_sentences_are_those_of_the_sessions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said(capsys, "import", str(SESSIONS))
    text = PAGE.read_text()
    assert "$ dyno compare quick" in text
    assert with_tables(text, lambda words: said(capsys, *words.split())) == text


def test_the_readme_shows_what_the_story_does() -> None:
    readme = (ROOT / "README.md").read_text()
    result = readme.partition("## A result")[2].partition("## ")[0]
    command, shown = (result.split("```")[1].split("...\n")[each].strip() for each in (0, 1))
    page = PAGE.read_text()
    assert command.removeprefix("$ ") in page and shown in page and "95% sure" in shown
