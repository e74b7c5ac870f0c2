"""docs/story.md and the README: what they show is what the commands print of the sessions in docs/story."""

from __future__ import annotations

import pytest

from tests.story import PAGES, SESSIONS, with_tables
from tests.unit.cli.words import said


def test_tables_and_sentences_are_those_of_the_sessions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said(capsys, "import", str(SESSIONS))
    for page in PAGES:
        text = page.read_text()
        assert "$ dyno compare quick" in text
        assert with_tables(text, lambda words: said(capsys, *words.split())) == text
