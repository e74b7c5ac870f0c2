"""The manual pages: one for each word, with all its options."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from app.cli.manual import manual_pages
from app.cli.words import command_words, nouns


def test_each_word_has_a_page_with_all_its_options() -> None:
    found = manual_pages()
    assert found.keys() == {"dyno", *(f"dyno-{word}" for word in nouns())}
    for command, entries in command_words().items():
        page = found["-".join(command.split()[:2])].replace("\\-", "-")
        for entry in entries:
            if entry.names[0].startswith("-"):
                assert all(name in page for name in entry.names), (command, entry)


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff here")
def test_groff_has_nothing_to_say_about_them() -> None:
    for name, text in manual_pages().items():
        done = subprocess.run(
            ["groff", "-man", "-ww", "-Tutf8"], input=text, capture_output=True, text=True, check=True
        )
        assert done.stderr == "", name
