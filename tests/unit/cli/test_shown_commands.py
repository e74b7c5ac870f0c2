"""Every command that README and docs show is one of the command line, with its options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.cli.parser import NOUNS
from tests.unit.cli.words import WHOLE

ROOT = Path(__file__).parents[3]
PAGES = [ROOT / "README.md", ROOT / "workloads" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"```(?:\w*)\n(.*?)```", re.DOTALL)
SHOWN = re.compile(r"^(?:\$ )?(?:\.venv/bin/)?dyno ((?:.*\\\n)*.*)$", re.MULTILINE)
SPAN = re.compile(r"`(?:\.venv/bin/)?dyno ([^`]+)`")
OPTION = re.compile(r"(?<![\w-])--[a-z][\w-]*")
OTHER = re.compile(r"[|<>;]|\s#|\s&&")  # where the command ends
NO_WORDS = {"WORD", "COMMAND", "VERB", "…", "..."}


def commands(text: str) -> Iterator[str]:
    """The commands of a page, without `dyno`; in a block each on a line of its own."""
    for block in BLOCK.findall(text):
        yield from (OTHER.split(each)[0] for each in SHOWN.findall(block))
    for span in SPAN.findall(BLOCK.sub("", text)):
        yield OTHER.split(span.replace("\n", " "))[0]


def parser_of(words: list[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of the last word that is a noun or a verb, and the words that it does not know."""
    parser: argparse.ArgumentParser = WHOLE
    while words:
        below = next((each for each in parser._actions if isinstance(each, argparse._SubParsersAction)), None)
        if below is None or words[0].startswith("-"):
            break
        if words[0] not in below.choices:
            return parser, words[:1]
        parser = below.choices[words.pop(0)]
    return parser, []


def lack(command: str) -> list[str]:
    """What a command names that the command line does not have."""
    parser, unknown = parser_of([word for word in command.split() if word != "\\"])
    if unknown and not NO_WORDS.isdisjoint(unknown):
        return []
    return unknown + [each for each in OPTION.findall(command) if each not in parser._option_string_actions]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_commands_are_those_of_today(path: Path) -> None:
    found = {each: its for each in commands(path.read_text(encoding="utf-8")) if (its := lack(each))}
    assert found == {}


def test_commands_are_found() -> None:
    found = [each for path in PAGES for each in commands(path.read_text(encoding="utf-8"))]
    assert len(found) > 100 and {each.split()[0] for each in found} >= set(NOUNS)
    assert lack("run --fast x") == ["--fast"] and lack("rum") == ["rum"] and lack("run --duel") == []
