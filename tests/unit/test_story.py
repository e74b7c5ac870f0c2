"""docs/story: what its page shows is what the commands print of the sessions in docs/story."""

from __future__ import annotations

import pytest

from tests.story import PAGE, SESSIONS, with_tables
from tests.unit.cli.words import said


def test_tables_and_sentences_are_those_of_the_sessions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    said(capsys, "import", str(SESSIONS))
    text = PAGE.read_text()
    assert "$ dyno compare quick" in text
    assert with_tables(text, lambda words: said(capsys, *words.split())) == text
